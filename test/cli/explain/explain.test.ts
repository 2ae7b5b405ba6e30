import type { Explained } from '../../../src/cli/output/explained.ts';
import type { Term } from '../../../src/cli/output/others-forms.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CODES, ERRORS } from '../../../src/contract/index.ts';
import { EXIT_CODES, exitOfRefusal } from '../../../src/cli/exit-codes.ts';
import { GLOSSARY } from '../../../src/cli/explain/words.ts';
import { wholeReference } from '../../../src/cli/explain/reference.ts';
import { listedFreedoms } from '../../../src/emulator/index.ts';
import { freedomBlocks, referenceBlocks } from '../../../src/cli/output/explain.ts';
import { lectern } from '../../support/lectern.ts';
import { atTerminal, jsonOf, linesIn, step } from '../../support/steps.ts';

const explain = (...args: string[]) => lectern(['explain', ...args]);

interface ExplainedCode {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly example: string;
}

test('docs/reference.md is current; vitest -u updates it', async () => {
  const page = `${referenceBlocks(await wholeReference()).join('\n\n')}\n`;
  await expect(page).toMatchFileSnapshot('../../../docs/reference.md');
});

test('explain prints the text of docs/reference.md without Markdown', async () => {
  const { exit, stdout, stderr } = await explain('all');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const page = readFileSync(new URL('../../../docs/reference.md', import.meta.url), 'utf8');
  const wordsOf = (text: string) => text.replace(/^#+ |`/gm, '').toLowerCase();
  expect(wordsOf(stdout)).toBe(wordsOf(page));
  expect(stdout).not.toMatch(/^(?! {4})(?:#|.*`)/m);
  expect(stdout).toContain('\nFINDING CODES\n');
});

test('each text that lists the streams of --json lists all of them', async () => {
  const commands = JSON.parse((await explain('json', '--json')).stdout) as Explained<'json'>[];
  const streams = commands.filter(({ prints }) =>
    prints.some((each) => each.startsWith('a line each')),
  );
  const pages = ['README.md', 'docs/scripting.md', 'docs/programs.md'];
  const texts = pages.map((page) => readFileSync(page, 'utf8'));
  const { stdout } = await lectern(['help', 'formatting']);
  for (const text of [...texts, stdout]) {
    const [, list = ''] = /for\s+streams:? ?\(?([^).]+)/.exec(text) ?? [];
    const words = new Set(list.match(/[a-z]+/g));
    const missing = streams.filter(({ command }) =>
      command.split(' ').some((each) => !words.has(each)),
    );
    expect(missing).toEqual([]);
  }
});

test('docs/vary.md is current; vitest -u updates it', async () => {
  const page = `${freedomBlocks(listedFreedoms()).join('\n\n')}\n`;
  await expect(page).toMatchFileSnapshot('../../../docs/vary.md');
});

test('every reading that varies is a question of docs/readings.md', async () => {
  const { stdout } = await explain('vary', '--json');
  const page = readFileSync('docs/readings.md', 'utf8');
  const readings = (JSON.parse(stdout) as Explained<'vary'>[]).flatMap(
    ({ reading }) => reading ?? [],
  );
  expect(readings.filter((question) => !page.includes(`| ${question} `))).toEqual([]);
});

test('docs/glossary.md is current; vitest -u updates it', async () => {
  const width = (column: keyof Term, head: string) =>
    Math.max(head.length, ...GLOSSARY.map((each) => each[column].length));
  const widths = [width('term', 'Term'), width('meaning', 'Meaning')] as const;
  const line = (term: string, meaning: string, fill = ' ') =>
    `| ${term.padEnd(widths[0], fill)} | ${meaning.padEnd(widths[1], fill)} |\n`;
  const rows = GLOSSARY.map(({ term, meaning }) => line(term, meaning)).join('');
  const page = `# Glossary

lectern uses the contract's own words: row, context, member_location, launch, claim, provision, attempt, line item, declare. A few terms are its own.

${line('Term', 'Meaning')}${line('', '', '-')}${rows}`;
  await expect(page).toMatchFileSnapshot('../../../docs/glossary.md');
});

test('docs/regrade.md has the exports of explain grades', async () => {
  const page = readFileSync(new URL('../../../docs/regrade.md', import.meta.url), 'utf8');
  const { stdout } = await explain('grades', '--json');
  const rows = (JSON.parse(stdout) as Explained<'grades'>[]).map((each) => {
    const { gradebook, identifiers, score, maximum, no_grade: noGrade, command } = each;
    const flags = command.replace('lectern grade submit --from FILE ', '');
    const read = [`\`${identifiers[0]}\``, asCode(score), maximum, noGrade, asCode(flags)];
    return `| ${[gradebook, ...read].join(' | ')} |`;
  });
  const shown = page.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ');
  expect(rows.filter((row) => !shown.includes(row))).toEqual([]);
});

/** A text as code in a cell of a table. */
function asCode(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

test('explain example grades prints the file of README.md; vitest -u updates it', async () => {
  const { exit, stdout } = await explain('example', 'grades');
  expect(exit).toBe(0);
  await expect(stdout).toMatchFileSnapshot('../../../docs/examples/grades.csv');
  const asJson = await explain('example-grades', '--json');
  expect(JSON.parse(asJson.stdout)).toEqual({ name: 'grades.csv', text: stdout });
});

test('explain without an argument prints an index of at most 24 lines', async () => {
  const words = ['limits', 'schema NAME', 'openapi', 'capture', 'glossary', 'all'];
  const shows = [...words, '422', 'grade.score_range', 'before-image'];
  const { lines } = await atTerminal('explain', { columns: 80, rows: 60, shows });
  expect([lines[0], lines.length < 24]).toEqual(['LECTERN EXPLAIN WORD', true]);
});

test('explain knows the code of every error', async () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const ours = files.filter(
    (path) => path.endsWith('.ts') && !/^(emulator|console|contract)/.test(path),
  );
  const text = ours.map((path) => readFileSync(`src/${path}`, 'utf8')).join('');
  const found = text.matchAll(/(?:code:|ExitError\([\w.]+,|plain\() ?'([a-z_.]+)'/g);
  const codes = new Set([...found].map(([, code = '']) => code).filter((code) => code !== 'code'));
  expect(codes.size).toBeGreaterThan(60);
  const known = await Promise.all([...codes].map(async (code) => (await explain(code)).exit));
  expect([...codes].filter((_, at) => known[at] !== 0)).toEqual([]);
});

test.each(['in doubt', 'In-Doubt', 'in_doubt'])('explain finds the term %s', async (words) => {
  const stdout = /^in doubt\n\nA write was sent and its response is missing/;
  await step(`explain ${words}`, { stdout });
  await step(`explain ${words} --json`, { json: { term: 'in doubt' } });
});

test('the exit codes in README.md are those of the command line', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)];
  expect(rows.map(([, exit, meaning]) => [Number(exit), meaning])).toEqual(
    EXIT_CODES.map(({ code, meaning }) => [code, meaning]),
  );
});

test('explain --json prints one document, in which each code has an example and every number', async () => {
  const { stdout } = await explain('--json');
  const all = JSON.parse(stdout) as Record<string, readonly unknown[]>;
  const exits = ERRORS.map(({ status }) => ({ exit: exitOfRefusal(status) }));
  expect(all.errors).toEqual(ERRORS.map((row, index) => Object.assign({}, row, exits[index])));
  expect(all.exit_codes?.length).toBe(EXIT_CODES.length);
  const codes = all.codes as readonly ExplainedCode[];
  expect(codes.map(({ code }) => code)).toEqual(Object.keys(CODES));
  for (const { example, message, hint } of codes) {
    expect(example).not.toBe('');
    expect(`${example}${message}${hint}`).not.toMatch(/undefined|\[object/);
  }
});

describe('explain', () => {
  test.each<[word: string, words: string[]]>([
    ['limits', ['member row, as compact JSON: 512 KB', '25 MB', '12 hours', '2000', '5 levels']],
    ['errors', ['ERRORS\n', '\n401\n', '\n403\n', '\n404\n', '\n422\n', 'exit 7']],
    ['exit-codes', ['10: in doubt', '130: interrupted']],
    ['changes', ['\n2026-10-12\n', '\n2026-08-25\n']],
    ['grades', ['\nMoodle gradebook\n', 'maximum: row Points Possible', '--map SID=member']],
    ['403', ['storage:', 'grade:', 'exit 5', '\nauth.other_tool\n']],
    ['row.too_large', ['HTTP 422', 'Limits: JSON object of a row', 'over the 1 MB limit']],
    ['auth.not_this_member', ['HTTP 403', 'students can only grade themselves']],
    ['grades.member_twice', ['m-1,0.85\n', 'first on line 2']],
  ])('explains %s', async (word, stdout) => {
    await step(`explain ${word}`, { stdout });
    expect(jsonOf(await step(`explain ${word} --json`))).toBeTypeOf('object');
  });

  test.each(
    linesIn(`
    explain 404 # member (exit 6; not listed in the contract: this is how lectern reads it)
    explain 500 # a write exits with 10
    explain 302 # never followed
    explain 409 # listed in the contract: exit 7
    explain 429 # listed in the contract: exit 8
    explain 204 # success
    explain 9 # 9: an attempt was recorded as failed
    explain 130 # 130: interrupted
    explain row.too_larg # exit 2: row.too_large
    explain limit # exit 2: limits
    explain score_range # exit 2: grade.score_range
    explain 42 # exit 2: 422
    explain 999 # exit 2: one of
    explain __proto__ # exit 2: one of
    explain 'location has no line item' # deep-linked
    explain 'the attempt failed: Location has no line item (404 before)' # deep-linked
    explain 'score must be between 0 and 1' # grade.score_range
    explain 'API key is for tool essay, not tool quiz' # auth.other_tool
    explain 'lectern: JSON object of 1200000 bytes is over the 1 MB limit of a context row' # row.too_large
    explain run.moved # was imported
    explain 'lectern: run 2 was moved to run.jsonl at 2026-11-27T08:00:00.000Z' # was imported
    explain 'run 3 is being sent by process 812: let it end, or stop it' # Another process
    explain 'run 1 has 12 of these records and is not finished: 4 not sent' # pass --again
    explain '3 grades still in doubt' # grade settle
    explain 'the plan has a different digest: 78e1cf' # --expect-digest
    explain 'LECTERN_POLICY=read refuses every change at https://lms.example' # --dry-run
    explain 'the member row has changed since it was read; nothing was sent' # repeat the change
    explain 'in doubt: the request was sent, but the connection was closed; it may or may not have taken effect' # grade settle
    explain in_doubt.timeout # grade settle
    explain 'no usable response: the connection was closed; nothing took effect' # lectern doctor
    explain 'cannot connect to http://127.0.0.1:20164 (launch astronomy): connection refused. Nothing was sent.' # start it again
    explain 'launch fake belongs to http://127.0.0.1:1 and is not sent to http://127.0.0.1:2' # saved for
    explain 'the tool API key can only submit grades; rows and files need the token of a launch' # --launch NAME
    explain 'invalid file key "a b": " " is not allowed' # file.key_invalid
    explain 'this is a staff launch: without --member it would grade its own user' # --help
    explain 'stopped after 10 consecutive requests without a usable response' # grade resume
    explain 'the disk is full, and nothing was stored: free some space' # lectern doctor
    explain 'the member row has no value at /nosuch' # a value in a row
    explain 'no previous version with ID 99' # a version
    explain 'the service answered 404: no file has the key x (no file has the key, the row URL does not exist, or the row does not belong to the tool)' # (exit 6)
    explain 'lectern: unknown row "membr" did you mean member? see lectern storage get --help' # command line
    explain 'connect ECONNREFUSED 127.0.0.1:443' # exit 2: no help
    explain 'the attempt was recorded as failed: the LMS refused the score with status 422' # answered 200
    explain glossary # before-image
    explain example # student_id,points
    explain grades.invalid # errors
    explain run.failed # --failed
    explain batch.failed # same command again
    explain launch.check # worst answer
    explain ledger.unreachable # refuses the login
    explain usage # command line
    explain refused.404 # (exit 6)
    explain 'Hi, GET /rows/c-1/member/m-2 answers 403 since this morning. Thanks' # 403`),
  )('finds what applies: %s', async (line) => {
    await step(line, line.includes('# exit 2') ? { stdout: '' } : { stderr: '' });
  });

  test('fits into a narrow terminal', async () => {
    const shows = '- launch token with a 12-hour idle\n  lifetime; claims';
    await atTerminal('explain changes', { columns: 40, shows });
  });
});

const MAIL = [
  'From: support@campus.example',
  'Subject: quiz',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '> POST https://s.example/contexts/c-1/members/m-2/scores?a=3Db answers 4=',
  '03 since=20Monday',
].join('\r\n');

/** A text, what is said of it, and what is not. */
test.each(
  linesIn(`
  GET /rows/c-1/member/m-2 answers 403 # is not allowed on the row # someone else
  PUT https://s.example/contexts/1/row 403 # is not allowed on the row # someone else
  403 at https://s.example/rows/m/files # is not allowed on the row # someone else
  MAIL # aimed at someone else # is not allowed on the row
  {"error":{"code":"row.too_large","exit":3}} # row.too_large # exit
  {"error":{"code":"credential.other_origin","exit":4}} # sent to the service # 403
  warning: /e: the number 1e400 loses digits in JavaScript; a tool that parses it reads Infinity; use a string if the digits matter|lectern: the service answered 403 # 403 # lossy
  > score must be|> between 0 and 1 # grade.score_range # max_score`),
)('explain of a text prints the help of that text alone: %s', async (line) => {
  const [text = '', found = '', lacks = ''] = line.split(' # ');
  const input = text.replace('MAIL', MAIL).replace('|', '\n');
  await step('explain -', { input, stdout: found, lacks });
});

test('explain - reads standard input, which no error repeats', async () => {
  await step('explain - # aimed at someone else', { input: MAIL });
  const log = 'the run 7 has started\nlectern: in doubt: request 1\n'.repeat(10_000);
  await step('explain - # exit 2', { input: log });
  const input = 'api.token: lt_secret-of-somebody';
  await step('explain - # exit 2: launch decode -', { input, lacks: 'lt_secret' });
});

test('explain programs prints docs/programs.md without Markdown, in 4 KB', async () => {
  const { exit, stdout } = await lectern(['explain', 'programs']);
  expect([exit, Buffer.byteLength(stdout) <= 4096]).toEqual([0, true]);
  const page = readFileSync('docs/programs.md', 'utf8');
  expect(stdout.toLowerCase()).toBe(page.replaceAll(/^#+ |`/gm, '').toLowerCase());
  const { stdout: document } = await lectern(['explain', 'programs', '--json']);
  expect(JSON.parse(document)).toEqual({ text: page });
});
