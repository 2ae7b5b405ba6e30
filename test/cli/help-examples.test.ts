import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { declarations } from '../support/command-tree.ts';
import { emulated } from './emulator/running.ts';

/** They serve, wait, ask a server, edit or start a program: other tests run these commands. */
const NOT_RUN = [
  'emulator start',
  'emulator exec',
  'observe',
  'emulator locations-request',
  'storage watch',
  'storage edit',
  'demo',
];

/** Examples that --json excludes. */
const NO_JSON = /--depth|--csv|--receipt/;

/** The words of a command line as a shell reads them, and the file of its standard input. */
function wordsOf(line: string): { args: string[]; input: string | undefined } {
  const [command = '', input] = line.split(' < ');
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  const [program, ...args] = words.map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
  expect(program).toBe('lectern');
  return { args, input };
}

test.each<{ name: string; more: string[] }>([
  { name: 'as it is written', more: [] },
  { name: 'with --json', more: ['--json'] },
])('every example of the help runs $name', async ({ more }) => {
  const { home, run } = await emulated();
  const files: Record<string, string> = {
    'row.json': '{"page":1}',
    'patch.json': '[{"op":"add","path":"/page","value":2}]',
    'grade.json': '{"score":0.5}',
    'grades.csv': 'member,score\nmember-111,0.5\nmember-112,0.9\n',
    'seed.json': '{"tools":[{"id":"quiz"}],"courses":[{"id":"biology"}]}',
    'locations.json': '{"locations":[]}',
    'rubric.txt': 'Clarity 40 %.\n',
    'quiz.key': 'key-of-the-quiz\n',
    'password.txt': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(`${home}/${name}`, text);
  for (const folder of ['handouts', 'copies', 'tool']) mkdirSync(`${home}/${folder}`);
  writeFileSync(`${home}/handouts/rubric.txt`, 'Clarity 40 %.\n');
  writeFileSync(`${home}/tool/index.html`, '<p>hello</p>');
  const teacher = await run('emulator launch --role instructor --save teacher');
  writeFileSync(`${home}/claims.json`, teacher.stdout);
  expect((await run('emulator launch --role student --save spare')).exit).toBe(0);
  expect((await run('emulator provision-request --save request')).exit).toBe(0);
  const key = { input: 'old-key' };
  expect((await run('key save old --origin https://service.example', key)).exit).toBe(0);
  // What ends a token or a launch comes after those that need it.
  const commands = (await declarations()).filter(([, { isHidden }]) => !isHidden);
  commands.sort(([a], [b]) => LAST.indexOf(a) - LAST.indexOf(b));
  for (const [path, spec] of commands.filter(([each]) => !NOT_RUN.includes(each))) {
    const { examples = [], exits = [] } = spec;
    expect([path, examples.length > 0]).toEqual([path, spec.load !== undefined]);
    for (const example of examples.filter((each) => more.length === 0 || !NO_JSON.test(each))) {
      const { args, input } = wordsOf(example);
      expect(args.slice(0, path.split(' ').length).join(' ')).toBe(path);
      const result = await run([...args, ...more], {
        cwd: home,
        env: { LECTERN_LAUNCH: args.includes('-l') ? '' : 'teacher' },
        ...(input === undefined ? {} : { input: files[input] as string }),
      });
      expect([example, result.exit, result.stderr]).toEqual([
        example,
        expect.toSatisfy(
          (exit: number) => exit === 0 || (exit !== 2 && exits.some((each) => each === exit)),
        ),
        expect.any(String),
      ]);
    }
  }
});

const LAST = [
  'ledger save',
  'ledger import',
  'ledger prune',
  'ledger use',
  'ledger show',
  'ledger rm',
  'emulator token end',
  'launch rm',
  'emulator clock set',
  'emulator reset',
  'emulator import',
  'emulator stop',
];
