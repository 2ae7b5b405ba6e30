import { describe, expect, test } from 'vitest';
import { fieldsOfList } from '../../src/cli/output/fields.ts';
import { JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { declarations } from '../support/command-tree.ts';
import { attemptRecord, INSTRUCTOR, json, launchFile, startService } from '../support/service.ts';
import { linesIn, step, stepsAt } from '../support/steps.ts';
import { emulated } from './emulator/running.ts';

test('--fields is a flag of each command whose JSON has items', async () => {
  const commands = await declarations();
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
    expect([name, columns.length > 0]).toEqual([name, list.columns !== undefined]);
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
  test('chooses members of JSON, columns of text and of a table, in this order', async () => {
    const { step: at, atTerminal } = await graded();
    const log = async (flags: string) => (await at(`grade log ${flags}`)).stdout;
    expect(await log('--json --fields outcome,member')).toBe(
      '{"outcome":"in_doubt","member":"m-2"}\n{"outcome":"recorded","member":"m-1"}\n',
    );
    expect(await log('--json --fields attempt.id,member,attempt.annotations.context')).toBe(
      '{"attempt":null,"member":"m-2"}\n{"attempt":{"id":"attempt-1","annotations":{"context":"c-1"}},"member":"m-1"}\n',
    );
    expect(await log('--fields outcome,member')).toBe('in_doubt\tm-2\nsuccess\tm-1\n');
    const shows = /outcome +member\s+in doubt +m-2\s+success +m-1/;
    await atTerminal('grade log --fields outcome,member', { columns: 40, shows });
  });

  test('chooses from the records of a run, and leaves its summary whole', async () => {
    const { origin } = await startService(json(200, attemptRecord()));
    const { step: at, atTerminal } = stepsAt({
      env: { LECTERN_LAUNCH: launchFile(origin, INSTRUCTOR) },
    });
    const submit = 'grade submit --from - --yes --json --fields line,member';
    const { stdout } = await at(`${submit} < member,score,comment\\nm-1,0.5,good`);
    const [row, summary] = stdout.trim().split('\n');
    expect([row, JSON.parse(summary ?? '')]).toEqual([
      '{"line":2,"member":"m-1"}',
      { summary: expect.objectContaining({ run: 1, recorded: 1 }) },
    ]);
    const choice = 'grade report --fields comment,member';
    expect((await at(choice)).stdout).toBe('comment,member\ngood,m-1\n');
    const array = await at('grade report --json --fields grade.score');
    expect(array.stdout).toBe('[{"grade":{"score":0.5}}]\n');
    await atTerminal(choice, { shows: /comment +member\s+good +m-1/ });
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

  test('chooses from the plan of a dry run, or from the list named', async () => {
    const { step: at } = await emulated();
    const lines = `
      emulator launch --role instructor --save teacher
      grade submit --from - --no-send < member,score\\nmember-112,1
      files upload member a.txt --dry-run --fields method,path # PUT\ta.txt
      files upload member a.txt --dry-run --json --fields method,path # {"method":"PUT","path":"a.txt"}
      files upload member a.txt b.txt --dry-run --json --fields path # [{"path":"a.txt"},{"path":"b.txt"}]
      files rm member a.txt --dry-run --fields method # DELETE
      files rm member a.txt --dry-run --json --fields method # {"method":"DELETE"}
      files sync handouts member --dry-run --fields key,size # c.txt\t1
      files sync handouts member --dry-run --json --fields key # "steps":[{"key":"c.txt"}],"skipped":[],"summary":
      grade submit --from grades.csv --dry-run --json --fields member,change # "records":[{"member":"member-111","change":"new"}]
      grade resume --dry-run --fields member # member-112
      grade resume --dry-run --json --fields member # "rows":[{"member":"member-112"}],"superseded":[]
      emulator lms ok --json --fields scope # {"lms":{"essay-1":{"scope":"lineitem"},
      emulator state --json --fields courses.id # {"courses":[{"id":"biology-101"},
      emulator report --json --fields code # "findings":[],"coverage":[{"situation":`;
    await at(lines, { files: PLANNED });
    for (const [line, stdout] of CHOSEN) await at(line, { stdout });
  });

  const CHOSEN: readonly [line: string, stdout: RegExp][] = [
    ['emulator show members --limit 1 --fields id,email', /^member-101\t/],
    ['emulator lms ok --fields location,scope', /^essay-1\tlineitem\n/],
    [
      'emulator state --fields kind,id,title',
      /^tool\tessay\t\n(.*\n)*course\tbiology-101\tBiology 101\n/,
    ],
    ['emulator report --fields code,kind', /^a student's launch: no personal data\tnever met\n/],
    ['explain schema --fields schema', /^help\nproject\nseed\n$/],
    ['explain exit-codes --fields exit', /^0\n1\n2\n/],
    ['explain limits --json --fields limit,bytes', /^\[\{"limit":"JSON[^}]+\d\},/],
  ];

  test('takes a column with a space by its name with an underscore', async () => {
    const { step: at } = await graded();
    await at(`
      grade submit --from - --no-send < member,score\\nm-3,1
      grade runs --fields not_sent,run # 1\t1
      grade settle --member m-2 --recorded --because seen --dry-run --fields export_line,member # \tm-2
      grade settle --member m-2 --recorded --because seen --dry-run --json --fields member # "settled":[{"member":"m-2"}]`);
  });

  test.each(
    linesIn(`
    launch list --fields nam # exit 2: did you mean name? one of name, current
    launch list --fields attempt.id # exit 2: unknown field "attempt.id"
    grade log --json --fields attempt.idd # exit 2: did you mean attempt.id?
    grade log --json --fields member.id # exit 2: unknown field
    grade log --json --fields MEMBER # exit 2: did you mean member?
    grade log --fields= # exit 2: expected names
    grade log --fields member,,run # exit 2: expected names
    grade log --fields member,member # exit 2: expected each name once, not member twice
    grade log --fields member --fields run # exit 2: give it once
    storage get member --raw --fields a # exit 2: unknown option
    launch decode --fields kind # exit 2: unknown option
    storage history --show 1 --fields id # exit 2: cannot be used with option
    grade submit --score 1 --json --fields member # exit 2: --fields needs --from
    grade submit --from none.csv --fields member # exit 2: --fields needs --json
    grade submit --from none.csv --json --fields membr # exit 2: did you mean member?
    storage watch member --fields time # exit 2: --fields needs --json
    emulator show members --json --fields bytes # exit 2: one of id, 
    emulator show members --fields bytes # exit 2: one of id, name,
    files rm member a --dry-run --json --fields outcome # exit 2: unknown field
    doctor --fields check # exit 2: one of name, state, detail, hint
    explain limits --fields exit # exit 2: one of limit, value, bytes, safe_bytes
    explain 409 --fields exit # exit 2: chooses from a list, and this is none
    explain 409 --json --fields exit # exit 2: chooses from a list, and this is none`),
  )('that is wrong is refused before anything is done: %s', async (line) => {
    await step(line, { stdout: '' });
  });

  test('is completed, and shown by the help of a command', async () => {
    await step(`
      completion candidates -- key list --fields name,o # name,origin
      completion candidates -- grade log --json --fields attempt.i # attempt.id
      key list --help # Fields (--fields): …   columns  name, current, origin, saved …   --json   name, current, origin, saved`);
  });
});
