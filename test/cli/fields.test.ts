import { describe, expect, test } from 'vitest';
import type { CommandDeclaration } from '../../src/cli/declare/define.ts';
import { fieldsOfList } from '../../src/cli/output/fields.ts';
import { JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { loadTree } from '../../src/cli/program.ts';
import { attemptRecord, INSTRUCTOR, json, launchFile, startService } from '../support/service.ts';
import { step, stepsAt } from '../support/steps.ts';
import { terminal } from '../support/terminal.ts';
import { emulated } from './emulator/running.ts';

function declared(
  specs: readonly CommandDeclaration[],
  above = '',
): [string, CommandDeclaration][] {
  return specs.flatMap((spec) => {
    const name = `${above} ${spec.name}`.trim();
    return [[name, spec] as [string, CommandDeclaration], ...declared(spec.commands ?? [], name)];
  });
}

test('--fields is a flag of each command whose JSON has items', async () => {
  const commands = declared(await loadTree());
  const withItems = Object.entries(JSON_FORMS).filter(([, forms]) =>
    forms.some(({ items }) => items !== undefined),
  );
  const withList = commands.filter(([, { list }]) => list !== undefined);
  expect(withList.map(([name]) => name).sort()).toEqual(withItems.map(([name]) => name).sort());
  for (const [name, { list = {}, flags = {} }] of withList) {
    const { columns, members } = await fieldsOfList(name, list);
    expect([name, Object.keys(flags)]).toEqual([
      name,
      expect.arrayContaining(['--fields <names>']),
    ]);
    expect([name, members.length > 0]).toEqual([name, true]);
    expect([name, columns.length > 0]).toEqual([name, (list.tables ?? list.columns) !== undefined]);
  }
});

/** A home with two attempts: the second one is in doubt. */
async function graded() {
  let count = 0;
  const service = await startService((request, response) => {
    count += 1;
    const status = count === 1 ? 200 : 500;
    return json(status, attemptRecord({ score: 1.1, max_score: 9007199254740993n.toString() }))(
      request,
      response,
    );
  });
  const given = stepsAt({ env: { LECTERN_LAUNCH: launchFile(service.origin, INSTRUCTOR) } });
  await given.step('grade submit --member m-1 --score 1');
  await given.step('grade submit --member m-2 --score 0.5', { exit: 10 });
  return given;
}

describe('--fields', () => {
  test.each([
    // The members of JSON in this order, nested ones with a dot.
    [
      '--json --fields outcome,member',
      '{"outcome":"in_doubt","member":"m-2"}\n{"outcome":"recorded","member":"m-1"}\n',
    ],
    [
      '--json --fields attempt.id,member,attempt.annotations.context',
      '{"attempt":null,"member":"m-2"}\n{"attempt":{"id":"attempt-1","annotations":{"context":"c-1"}},"member":"m-1"}\n',
    ],
    // The columns of the text.
    ['--fields outcome,member', 'in_doubt\tm-2\nsuccess\tm-1\n'],
  ])('chooses, in this order: grade log %s', async (line, stdout) => {
    const { step: at } = await graded();
    expect((await at(`grade log ${line}`)).stdout).toBe(stdout);
  });

  test('chooses the columns of a table', async () => {
    const { home } = await graded();
    const args = ['grade', 'log', '--fields', 'outcome,member'];
    const shown = terminal(args, { home, columns: 40 });
    expect(await shown.exit).toBe(0);
    expect(shown.screen()).toMatch(/outcome +member\s+in doubt +m-2\s+success +m-1/);
  });

  test('chooses from the records of a run, and leaves its summary whole', async () => {
    const service = await startService(json(200, attemptRecord()));
    const env = { LECTERN_LAUNCH: launchFile(service.origin, INSTRUCTOR) };
    const { home, step: at } = stepsAt({ env });
    const input = 'member,score,comment\nm-1,0.5,good\n';
    const { stdout } = await at('grade submit --from - --yes --json --fields line,member', {
      input,
    });
    const [row, summary] = stdout.trim().split('\n');
    expect([row, JSON.parse(summary ?? '')]).toEqual([
      '{"line":2,"member":"m-1"}',
      { summary: expect.objectContaining({ run: 1, recorded: 1 }) },
    ]);
    const choice = 'grade report --fields comment,member';
    expect((await at(choice)).stdout).toBe('comment,member\ngood,m-1\n');
    const array = await at('grade report --json --fields grade.score');
    expect(array.stdout).toBe('[{"grade":{"score":0.5}}]\n');
    const shown = terminal(choice.split(' '), { home });
    expect(await shown.exit).toBe(0);
    expect(shown.screen()).toMatch(/comment +member\s+good +m-1/);
  });

  test('chooses from the list in a document, and leaves the rest of it whole', async () => {
    const { run } = await emulated();
    const page = await run('emulator show members --limit 1 --json --fields name,id');
    expect(JSON.parse(page.stdout)).toEqual({
      items: [{ name: 'Mara Lindqvist', id: 'member-101' }],
      next: expect.stringMatching(/^\S+$/),
      previous: null,
      total: 14,
      before: 0,
    });
    expect(page.stdout).toContain('{"name":"Mara Lindqvist","id":"member-101"}');
    const rows = await run('emulator show members --limit 1 --fields groups,id');
    expect(rows.stdout).toBe('instructor\tmember-101\n');
  });

  const PLANNED = {
    'a.txt': 'x',
    'b.txt': 'x',
    'handouts/c.txt': 'x',
    'grades.csv': 'member,score\nmember-111,1\n',
  };

  test.each<{ line: string; stdout: string | RegExp }>([
    {
      line: 'files upload member a.txt --dry-run --fields method,path',
      stdout: 'PUT\ta.txt\n',
    },
    {
      line: 'files upload member a.txt --dry-run --json --fields method,path',
      stdout: '{"method":"PUT","path":"a.txt"}\n',
    },
    {
      line: 'files upload member a.txt b.txt --dry-run --json --fields path',
      stdout: '[{"path":"a.txt"},{"path":"b.txt"}]\n',
    },
    { line: 'files rm member a.txt --dry-run --fields method', stdout: 'DELETE\n' },
    {
      line: 'files rm member a.txt --dry-run --json --fields method',
      stdout: '{"method":"DELETE"}\n',
    },
    { line: 'files sync handouts member --dry-run --fields key,size', stdout: 'c.txt\t1\n' },
    {
      line: 'files sync handouts member --dry-run --json --fields key',
      stdout: /"steps":\[\{"key":"c.txt"\}\],"skipped":\[\],"summary":/,
    },
    {
      line: 'grade submit --from grades.csv --dry-run --json --fields member,change',
      stdout: /"records":\[\{"member":"member-111","change":"new"\}\]/,
    },
    { line: 'grade resume --dry-run --fields member', stdout: 'member-112\n' },
    {
      line: 'grade resume --dry-run --json --fields member',
      stdout: /"rows":\[\{"member":"member-112"\}\],"superseded":\[\]/,
    },
    { line: 'emulator show members --limit 1 --fields id,email', stdout: /^member-101\t/ },
    { line: 'emulator lms ok --fields location,scope', stdout: /^essay-1\tlineitem\n/ },
    {
      line: 'emulator lms ok --json --fields scope',
      stdout: /^{"lms":{"essay-1":{"scope":"lineitem"},/,
    },
    {
      line: 'emulator state --fields kind,id,title',
      stdout: /^tool\tessay\t\n(.*\n)*course\tbiology-101\tBiology 101\n/,
    },
    {
      line: 'emulator state --json --fields courses.id',
      stdout: /^{"courses":\[{"id":"biology-101"},/,
    },
    { line: 'explain exit-codes --fields exit', stdout: /^0\n1\n2\n/ },
    { line: 'explain limits --json --fields limit,bytes', stdout: /^\[\{"limit":"JSON[^}]+\d\},/ },
    { line: 'explain schema --fields schema', stdout: 'help\nproject\nseed\n' },
  ])('chooses from the plan of a dry run, or from the list that is named: $line', async (each) => {
    const { run, home } = await emulated();
    await run('emulator launch --role instructor --save teacher');
    await run('grade submit --from - --no-send', { input: 'member,score\nmember-112,1\n' });
    await step(each.line, { home, cwd: home, files: PLANNED, stdout: each.stdout });
  });

  test('leaves the second list of a document whole', async () => {
    const { step: at } = await graded();
    await at('grade submit --from - --no-send', { input: 'member,score\nm-1,0.5\n' });
    await at('grade submit --member m-1 --score 0.75', { exit: 10 });
    await at('grade resume --dry-run --json --fields member', {
      stdout: /"rows":\[\],"superseded":\[\{"line":2,"member":"m-1","score":0.5,"newer":/,
    });
  });

  test('takes a column with a space by its name with an underscore', async () => {
    const { step: at } = await graded();
    await at('grade submit --from - --no-send', { input: 'member,score\nm-3,1\n' });
    await at('grade runs --fields not_sent,run', { stdout: /^1\t1\n$/ });
  });

  test.each([
    [
      'launch list --fields nam',
      /unknown field "nam"\n {2}did you mean name\? one of name, current/,
    ],
    ['launch list --fields attempt.id', /unknown field "attempt.id"/],
    ['grade log --json --fields attempt.idd', /unknown field .*did you mean attempt.id\?/],
    ['grade log --json --fields member.id', /unknown field \\"member.id\\"/],
    ['grade log --json --fields MEMBER', /unknown field .*did you mean member\?/],
    ['grade log --json --fields attempt.annotations.course', /unknown field/],
    ['grade log --fields=', /expected names/],
    ['grade log --fields member,,run', /expected names/],
    ['grade log --fields member,member', /expected each name once, not member twice/],
    ['grade log --fields member --fields run', /give it once/],
    ['storage get member --raw --fields a', /unknown option '--fields'/],
    ['launch decode --fields kind', /unknown option '--fields'/],
    ['storage history --show 1 --fields id', /cannot be used with option '--show <id>'/],
    ['grade submit --score 1 --json --fields member', /--fields needs --from/],
    ['grade submit --from none.csv --fields member', /--fields needs --json/],
    ['grade submit --from none.csv --json --fields membr', /did you mean member\?/],
    ['storage watch member --fields time', /--fields needs --json/],
    ['emulator show members --json --fields bytes', /unknown field .*one of id, /],
    ['emulator show members --fields bytes', /unknown field "bytes"\n {2}one of id, name, /],
    ['files rm member a --dry-run --json --fields outcome', /unknown field/],
    ['doctor --fields check', /one of name, state, detail, hint/],
    ['explain limits --fields exit', /one of limit, value, bytes, safe_bytes/],
    ['explain 409 --fields exit', /chooses from a list, and this is none/],
    ['explain 409 --json --fields exit', /chooses from a list, and this is none/],
  ])('that is wrong is refused before anything is done: %s', async (line, stderr) => {
    await step(line, { exit: 2, stdout: '', stderr });
  });

  test('is completed, and shown by the help of a command', async () => {
    const candidates = 'completion candidates --';
    await step(`${candidates} key list --fields name,o`, { stdout: /^\s*name,origin\s*$/m });
    await step(`${candidates} grade log --json --fields attempt.i`, {
      stdout: /^\s*attempt\.id\s*$/m,
    });
    const stdout =
      'Fields (--fields):\n  columns  name, current, origin, saved\n  --json   name, current, origin, saved\n';
    await step('key list --help', { stdout });
  });
});
