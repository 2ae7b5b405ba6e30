// Regrades a course from an array. The ledger has what was sent: after a crash, or Ctrl-C, the same
// call sends the rest. node regrade.js launch.json state/ledger.sqlite
import { readFileSync } from 'node:fs';
import * as lectern from 'lectern';

const [launchFile = 'launch.json', file = 'state/ledger.sqlite'] = process.argv.slice(2);
const grades = [
  { member: 'member-111', score: 0.85, comment: 'Well argued' },
  { member: 'member-112', score: 0.6 },
];
const claims = JSON.parse(readFileSync(launchFile, 'utf8'));
const credential = lectern.credentialOf(claims);
const client = lectern.createClient(credential);
const ledger = await lectern.openLedger({ file });
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

const unfinished = (await ledger.runs()).find(({ summary }) => summary.notSent > 0);
const newRun = lectern.newRun(claims, credential, 'regrade.js');
const run = unfinished ?? (await lectern.planRun(ledger, newRun, lectern.recordChunks(grades))).run;
if (!run) throw new Error('there is nothing to send');
const options = { ledger, client, run, pid: process.pid, signal: stopping.signal };
await lectern.sendRun({
  ...options,
  onSent: ({ row, outcome }) => console.error(`${row.member}: ${outcome.kind}`),
});
const summary = await ledger.summary(run.id);
console.log(JSON.stringify({ run: run.id, ...summary }));
if (summary.success < summary.rows) process.exitCode = 1;
await Promise.all([client.close(), ledger.close()]);
