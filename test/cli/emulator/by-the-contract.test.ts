import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTree } from '../../support/command-tree.ts';
import { start } from '../../support/lectern.ts';
import { type SarifLog, sarifProblems } from '../../support/sarif.ts';
import { waitingFor } from '../../support/scope.ts';
import { emulated } from './running.ts';

interface Report {
  readonly requests: number;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

/** Commands of each kind that calls the service, and the exit that each has. */
const COMMANDS: readonly (readonly [line: string, exit: number])[] = [
  ['launch check -l teacher', 0],
  ['storage put context row.json --yes -l teacher', 0],
  ['storage get context -l amina', 0],
  ['storage put context row.json --yes -l amina', 5],
  ['storage patch context --add /round:=1 -l teacher', 0],
  ['storage patch context --add /round:=2 -l assistant', 0],
  ['storage put context other.json --yes -l teacher', 0],
  ['storage diff context row.json -l teacher', 0],
  ['storage size context -l teacher', 0],
  ['storage undo context --yes -l teacher', 0],
  ['storage copy context member --yes -l teacher', 0],
  ['storage edit context --yes -l teacher', 0],
  ['storage put context other.json --dry-run -l teacher', 0],
  ['storage put member wrong.json --yes -l amina', 3],
  ['files upload member rubric.txt -l amina', 0],
  ['files upload member rubric.txt --key again.txt -l amina', 0],
  ['files ls member -l amina', 0],
  ['files stat member rubric.txt -l amina', 0],
  ['storage backup backup --files -l amina', 0],
  ['storage restore backup member --yes -l amina', 0],
  ['files download member rubric.txt --output copy.txt -l amina', 0],
  ['files sync handouts location -l teacher', 0],
  ['files sync location copies -l teacher', 0],
  ['files sync handouts member --delete --yes -l amina', 0],
  ['files rm member a.txt --yes -l amina', 0],
  ['grade submit --score 0.5 -l amina', 0],
  ['grade submit --score 0.75 --member member-112 -l teacher', 0],
  ['emulator lms refuse --times 1', 0],
  ['grade submit --from grades.csv --yes -l teacher', 9],
  ['grade resume 1 --retry-failed --yes', 0],
  ['grade submit --score 1 --member member-113 -l teacher -k essay', 0],
  ['emulator lms refuse --times 1', 0],
  ['grade submit --score 0.25 --member member-114 -l teacher', 9],
  ['grade submit --score 0.25 --member member-114 -l teacher', 0],
  ['emulator fault --method POST --path /scores --close after', 0],
  ['grade submit --score 0.5 --member member-115 -l teacher', 10],
  ['emulator fault --method PUT --path /row --close after', 0],
  ['storage put member row.json --yes -l amina', 0],
  ['storage get parent_context -l copy', 0],
  ['storage get context -l copy', 7],
  ['provision context -l copy', 0],
  ['provision location -l copy', 0],
  ['storage get context -l copy', 0],
  ['emulator clock advance 13h', 0],
  ['storage get member -l amina', 4],
  ['launch check -l teacher', 4],
];

/** Commands that call nothing, or the same as others do: `grade work` and `grade undo` send as `grade submit`. */
const OTHERS = [
  'storage history',
  'grade report',
  'grade settle',
  'grade undo',
  'grade runs',
  'grade log',
  'grade work',
  'grade stop',
  'grade verify',
];

test('every command that calls the service is in this test', async () => {
  const nouns = ['storage', 'files', 'grade', 'provision', 'launch check'];
  const missing: string[] = [];
  for await (const { path, command } of commandTree()) {
    const calls = nouns.some((noun) => path === noun || path.startsWith(`${noun} `));
    const isOther = OTHERS.some((other) => path.startsWith(other));
    if (!calls || command.commands.length > 0 || isOther) continue;
    const isTried = COMMANDS.some(([line]) => line.startsWith(path)) || path === 'storage watch';
    if (!isTried) missing.push(path);
  }
  expect(missing).toEqual([]);
});

test('the emulator reports nothing but its own refusals on lectern itself', async () => {
  const { home, run, json } = await emulated();
  const files: Readonly<Record<string, string>> = {
    'row.json': '{"page":1}',
    'other.json': '{"title":"A"}',
    'wrong.json': '[1]',
    'rubric.txt': 'Clarity 40 %.\n',
    'grades.csv': 'member,score\nmember-111,0.6\nmember-112,0.9\n',
    'editor.cjs': "require('node:fs').writeFileSync(process.argv.at(-1), '{\"edited\":true}');",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(`${home}/${name}`, text);
  for (const folder of ['handouts', 'copies']) mkdirSync(`${home}/${folder}`);
  writeFileSync(`${home}/handouts/a.txt`, 'a');
  const launches = [
    'emulator launch --role student --save amina',
    'emulator launch --role instructor --save teacher',
    'emulator launch --role assistant --save assistant',
    'emulator provision-request --save copy',
    'emulator key --tool essay --save essay',
  ];
  for (const line of launches) expect([line, (await run(line)).exit]).toEqual([line, 0]);
  const env = { EDITOR: `${process.execPath} editor.cjs` };
  await watchOnce(home);
  for (const [line, exit] of COMMANDS) {
    const result = await run(line, { cwd: home, env });
    expect([line, result.exit, result.stderr]).toEqual([line, exit, expect.any(String)]);
  }
  const { requests, findings } = await json<Report>('emulator report');
  expect(requests).toBeGreaterThan(COMMANDS.length);
  expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    expect.stringMatching(/^request\.refused: the service refused with 403 row\.forbidden/),
    expect.stringMatching(/^request\.refused: the service refused with 422 row\.unprovisioned/),
  ]);
});

/** Watches a row until it has been read. */
async function watchOnce(home: string): Promise<void> {
  const watching = start(['storage', 'watch', 'member', '-l', 'amina'], { home });
  await waitingFor(
    'the first read',
    new Promise((resolve) => {
      watching.stderr.once('data', resolve);
      watching.stdout.once('data', resolve);
    }),
  );
  watching.kill('SIGINT');
  expect((await watching.ended).exit).toBe(130);
}

test('emulator report --fail-on exits with 9, and SARIF works for code scanning', async () => {
  const { run, started } = await emulated();
  expect((await run('emulator report --fail-on warning')).exit).toBe(0);
  await fetch(`${started.ready.url}/apps/me`);
  const failed = await run('emulator report --fail-on error');
  expect([failed.exit, failed.stderr]).toEqual([
    9,
    expect.stringContaining('the report has 1 error (--fail-on error)'),
  ]);
  // The summary once, and the error once.
  expect(failed.stderr.split('\n')).toHaveLength(3);
  const { exit, stdout } = await run('emulator report --format sarif');
  expect(exit).toBe(0);
  const log = JSON.parse(stdout) as SarifLog;
  expect(sarifProblems(log)).toEqual([]);
  const fingerprint = { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) };
  expect(log.runs[0].results).toMatchObject([
    {
      ruleId: 'request.removed_endpoint',
      level: 'error',
      locations: [{ physicalLocation: { artifactLocation: { uri: 'emulator' } } }],
      partialFingerprints: fingerprint,
    },
  ]);
  const lines = (await run('emulator report')).stdout.split('\n');
  expect(lines[0]).toMatch(/^error\trequest\.removed_endpoint\t1\t/);
  expect((await run('emulator exec --fail-on error -- true')).exit).toBe(2);
});

test('the report survives a restart with its data, and a reset clears it', async () => {
  const { lectern, temporaryFolder } = await import('../../support/lectern.ts');
  const { start: startEmulator } = await import('./running.ts');
  const [home, data] = [temporaryFolder(), temporaryFolder()];
  const first = await startEmulator(['--data', data], { home });
  await fetch(`${first.ready.url}/apps/me`);
  first.kill('SIGTERM');
  await first.ended;
  const second = await startEmulator(['--data', data], { home });
  await fetch(`${second.ready.url}/apps/me/locations`);
  const report = async () => {
    const { stdout } = await lectern(['emulator', 'report', '--json'], { home });
    return JSON.parse(stdout) as { findings: { requests: number[] }[]; requests: number };
  };
  const { findings, requests } = await report();
  expect([requests, findings.map((each) => each.requests)]).toEqual([2, [[1], [2]]]);
  await lectern(['emulator', 'reset'], { home });
  expect(await report()).toMatchObject({ requests: 0, findings: [] });
});
