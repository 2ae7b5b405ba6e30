import { expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { commandTree } from '../../support/command-tree.ts';
import { start } from '../../support/lectern.ts';
import { type SarifLog, sarifProblems } from '../../support/sarif.ts';
import { waitingFor } from '../../support/scope.ts';
import { jsonOf, linesIn } from '../../support/steps.ts';
import { emulated } from './running.ts';

type Report = Answers['GET report'];

/** Commands of each kind that calls the service, and the exit that each has. */
const COMMANDS = `
  launch check -l teacher
  storage put context row.json --yes -l teacher
  storage get context -l amina
  storage put context row.json --yes -l amina # exit 5
  storage patch context --add /round:=1 -l teacher
  storage patch context --add /round:=2 -l assistant
  storage put context other.json --yes -l teacher
  storage diff context row.json -l teacher
  storage size context -l teacher
  storage undo context --yes -l teacher
  storage copy context member --yes -l teacher
  storage edit context --yes -l teacher
  storage put context other.json --dry-run -l teacher
  storage put member wrong.json --yes -l amina # exit 3
  files upload member rubric.txt -l amina
  files upload member rubric.txt --key again.txt -l amina
  files ls member -l amina
  files stat member rubric.txt -l amina
  storage backup backup --files -l amina
  storage restore backup member --yes -l amina
  files download member rubric.txt --output copy.txt -l amina
  files sync handouts location -l teacher
  files sync location copies -l teacher
  files sync handouts member --delete --yes -l amina
  files rm member a.txt --yes -l amina
  grade submit --score 0.5 -l amina
  grade submit --score 0.75 --member member-112 -l teacher
  emulator lms refuse --times 1
  grade submit --from grades.csv --yes -l teacher # exit 9
  grade resume 1 --retry-failed --yes
  grade submit --score 1 --member member-113 -l teacher -k essay
  emulator lms refuse --times 1
  grade submit --score 0.25 --member member-114 -l teacher # exit 9
  grade submit --score 0.25 --member member-114 -l teacher
  emulator fault --method POST --path /scores --close after
  grade submit --score 0.5 --member member-115 -l teacher # exit 10
  emulator fault --method PUT --path /row --close after
  storage put member row.json --yes -l amina
  storage get parent_context -l copy
  storage get context -l copy # exit 7
  provision context -l copy
  provision location -l copy
  storage get context -l copy
  emulator clock advance 13h
  storage get member -l amina # exit 4
  launch check -l teacher # exit 4`;

/** Commands that call nothing, or the same as others do: `grade work` and `grade undo` send as `grade submit`. */
const OTHERS = /^(storage (history|watch)|grade (report|settle|undo|runs|log|work|stop|verify))\b/;

test('every command that calls the service is in this test', async () => {
  const missing: string[] = [];
  for await (const { path, command } of commandTree()) {
    const calls = /^(storage|files|grade|provision|launch check)\b/.test(path);
    if (!calls || command.commands.length > 0 || OTHERS.test(path)) continue;
    if (!linesIn(COMMANDS).some((line) => line.startsWith(path))) missing.push(path);
  }
  expect(missing).toEqual([]);
});

test('the emulator reports nothing but its own refusals on lectern itself', async () => {
  const { home, step: at, json } = await emulated();
  const files = {
    'row.json': '{"page":1}',
    'other.json': '{"title":"A"}',
    'wrong.json': '[1]',
    'rubric.txt': 'Clarity 40 %.\n',
    'grades.csv': 'member,score\nmember-111,0.6\nmember-112,0.9\n',
    'editor.cjs': "require('node:fs').writeFileSync(process.argv.at(-1), '{\"edited\":true}');",
    'handouts/a.txt': 'a',
    'copies/.keep': '',
  };
  await at(`
    emulator launch --role student --save amina
    emulator launch --role instructor --save teacher
    emulator launch --role assistant --save assistant
    emulator provision-request --save copy
    emulator key --tool essay --save essay`);
  await watchOnce(home);
  await at(COMMANDS, { files, env: { EDITOR: `${process.execPath} editor.cjs` } });
  const { requests, findings } = await json<Report>('emulator report');
  expect(requests).toBeGreaterThan(linesIn(COMMANDS).length);
  expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    expect.stringMatching(/^request\.refused: the service refused with 403 row\.forbidden/),
    expect.stringMatching(/^request\.refused: the service refused with 422 row\.unprovisioned/),
  ]);
});

/** Watches a row until it has been read. */
async function watchOnce(home: string): Promise<void> {
  const watching = start(['storage', 'watch', 'member', '-l', 'amina'], { home });
  const read = new Promise((resolve) => {
    watching.stderr.once('data', resolve);
    watching.stdout.once('data', resolve);
  });
  await waitingFor('the first read', read);
  watching.kill('SIGINT');
  expect((await watching.ended).exit).toBe(130);
}

test('emulator report --fail-on exits with 9, and SARIF works for code scanning', async () => {
  const { step: at, started } = await emulated();
  await at('emulator report --fail-on warning');
  await fetch(`${started.ready.url}/apps/me`);
  const verdict = /^1 error, 0 warnings in 1 request; .*\n$/;
  await at('emulator report --fail-on error # exit 9', { stderr: verdict });
  const counted = 'emulator report --format sarif --fail-on error # exit 9';
  const sarif = await at(`${counted}: the report has 1 error (--fail-on error)`);
  const log = jsonOf(sarif) as SarifLog;
  expect(sarifProblems(log)).toEqual([]);
  const locations = [{ physicalLocation: { artifactLocation: { uri: 'emulator' } } }];
  const partialFingerprints = {
    primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/),
  };
  const error = { ruleId: 'request.removed_endpoint', level: 'error' };
  expect(log.runs[0].results).toMatchObject([{ ...error, locations, partialFingerprints }]);
  await at('emulator exec --fail-on error -- true # exit 2');
});
