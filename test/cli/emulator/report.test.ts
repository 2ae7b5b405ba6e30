import { expect, test } from 'vitest';
import { CODES } from '../../../src/contract/index.ts';
import type { Answers, Exchange } from '../../../src/emulator/index.ts';
import type { Claims } from '../../emulator/documents.ts';
import { formOf, send, type Sent } from '../../emulator/wire.ts';
import { jsonOf, stepsAt } from '../../support/steps.ts';
import { REQUEST_SCRIPTS, runScript } from './requests-of.ts';
import { emulated } from './running.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJunit } from '../../support/junit.ts';
import { temporaryFolder } from '../../support/lectern.ts';

interface Report {
  readonly findings: Answers['GET report']['findings'];
  readonly coverage: readonly { situation: string; seen: boolean; how: string }[];
}
const REPORT = 'emulator report';

test('each finding is reported for a tool that causes it, and not for another', async () => {
  const here = await emulated();
  for (const { code, does, instead } of REQUEST_SCRIPTS) {
    await here.step('emulator reset');
    await runScript(here, does);
    const { findings } = await here.json<Report>(REPORT);
    expect(findings.map((each) => each.code)).toEqual([code]);
    const requests = [jsonOf(await here.step('emulator requests --json'))].flat() as Exchange[];
    const numbers = requests.map(({ number }) => number);
    for (const { requests: shown, severity, message, hint, rule } of findings) {
      expect([code, shown.length > 0, severity]).toEqual([code, true, CODES[code].severity]);
      expect(numbers).toEqual(expect.arrayContaining([...shown]));
      expect(`${message}${hint}${rule}`).not.toMatch(/undefined|NaN|lt_|pt_|key_/);
    }
    await here.step('emulator reset');
    await runScript(here, instead);
    expect([code, (await here.json<Report>(REPORT)).findings]).toEqual([code, []]);
  }
});

const upload = (fields: Record<string, string>, more: Sent = {}): Sent => {
  const { headers, body } = formOf(fields, 'hello');
  return { ...more, body, headers: { ...headers, ...more.headers } };
};

test('a situation that a tool has not met can be caused by the suggested command', async () => {
  const here = await emulated();
  const { step, json } = here;
  const notYet = (await json<Report>(REPORT)).coverage;
  expect(notYet.every(({ seen, how }) => !seen && how.startsWith('lectern '))).toBe(true);
  const missed: string[] = [];
  let probe = await probeOf(here);
  let isUntouched = true;
  for (const { situation, how } of notYet) {
    if (!isUntouched) {
      await step('emulator reset');
      probe = await probeOf(here);
    }
    isUntouched = how.includes(' fault ');
    const { stdout } = await step(how.replaceAll(/(^| && )lectern /g, '\n'));
    await probe(how, stdout);
    const { coverage } = await json<Report>(REPORT);
    if (coverage.find((each) => each.situation === situation)?.seen !== true) {
      missed.push(`${situation}: ${how}`);
    }
  }
  expect(missed).toEqual([]);
});

const SUSPENDED_AND_STAFF = JSON.stringify({
  tools: [{ id: 'asleep' }, { id: 'quiz' }, { id: 'polls' }],
  courses: [
    {
      id: 'c',
      members: [{ id: 'm', groups: ['everyone', 'manager'] }, { id: 's' }],
      locations: ['asleep', 'quiz', 'polls'].flatMap((tool) => [
        { id: `${tool}-1`, tool },
        { id: `${tool}-read`, tool, type: 'reading' },
      ]),
    },
  ],
});

test('the suggested commands are for the tool and the person that called, and can be run', async () => {
  const seed = join(temporaryFolder(), 'seed.json');
  writeFileSync(seed, SUSPENDED_AND_STAFF);
  const { json, step } = await emulated('--seed', seed);
  await step('emulator tool suspend asleep');
  const { api, storage } = await json<Claims>('emulator launch --location polls-1 --member m');
  await send('GET', storage.member, { token: api.token });
  const { coverage } = await json<Report>(REPORT);
  expect(coverage.map(({ how }) => how)).toEqual(
    expect.arrayContaining([
      'lectern emulator launch --member m --location polls-1',
      'lectern emulator launch --role student --location polls-1',
      'lectern emulator launch --location polls-read',
      expect.stringMatching(/tool deprecate 1 polls && .* launch --location polls-1$/),
      'lectern emulator launch --member s --location polls-1',
      'lectern emulator member remove m',
    ]),
  );
});

type Emulated = Awaited<ReturnType<typeof emulated>>;

/** A tool with a launch of each kind, taken before; it then calls all there is, or what a fault waits for. */
async function probeOf({ json, started }: Emulated) {
  const { url } = started.ready;
  const student = await json<Claims>('emulator launch --role student');
  const staff = await json<Claims>('emulator launch --role instructor');
  const hosted = await json<Claims>('emulator launch --location sketch-1');
  const copy = await json<Claims>('emulator provision-request');
  const { api_key: apiKey } = await json<Answers['POST key']>('emulator key');
  const [pending, last] = await Promise.all(
    ['pending', 'last'].map(async (key) => {
      const declared = { token: student.api.token, json: { size: 5 } };
      const answer = await send('PUT', `${student.files.member}/${key}`, declared);
      return answer.json<{ url: string; fields: Record<string, string> }>();
    }),
  );
  await send('GET', `${url}/_emulator/course/${hosted.launch_id}`);
  return async (how: string, printed: string): Promise<void> => {
    const call = (method: string, to: string, sent: Sent = {}): Promise<unknown> =>
      send(method, to, { token: student.api.token, ...sent }).catch(() => undefined);
    const fault = / fault (?:--method (\S+) )?--path (\S+)/.exec(how);
    if (fault !== null && pending !== undefined && last !== undefined) {
      const [, method = 'GET', path = ''] = fault;
      if (method === 'DELETE') {
        await send('POST', pending.url, upload(pending.fields));
        await call(method, `${student.files.member}/pending`);
        await call(method, `${student.files.member}/pending`);
        return;
      }
      const targets = [
        student.storage.member ?? '',
        `${student.files.member}/absent`,
        student.grade.submit,
        pending.url,
      ];
      await call(method, targets.find((each) => each.includes(path)) ?? '', { body: '{}' });
      return;
    }
    const own = printed.startsWith('{') ? (JSON.parse(printed) as Record<string, unknown>) : {};
    const fresh = [own, own.account, own.fresh].filter(
      (each): each is Claims => typeof each === 'object' && each !== null && 'storage' in each,
    );
    // A launch that the command has made shows by itself what it brings.
    const launches = fresh.length > 0 ? fresh : [student, staff, hosted, copy];
    for (const { api, storage, grade } of launches) {
      const { token } = api;
      await call('GET', storage.context, { token });
      if (storage.member !== undefined) await call('GET', storage.member, { token });
      const { submit } = grade ?? {};
      if (typeof submit === 'string') {
        await call('POST', submit, { token, json: { score: 1, max_score: 10 } });
        await call('POST', submit, { token, json: { score: 0 } });
      }
    }
    await call('POST', student.grade.submit, { token: apiKey, json: { score: 1 } });
    if (pending !== undefined)
      await call('POST', pending.url, { ...upload(pending.fields), token: undefined });
    const page = await send('GET', `${url}/_emulator/course/${hosted.launch_id}`);
    const origin = /src="(http:\/\/[^/]+)\//.exec(page.text)?.[1];
    if (origin !== undefined) {
      await call('GET', hosted.storage.member, { token: hosted.api.token, headers: { origin } });
    }
  };
}

test.each([60, 120])(
  'emulator report on a terminal of %i columns shows findings first, then situations that were not met',
  async (columns) => {
    const { started, json, atTerminal } = await emulated();
    const page = async () =>
      (await atTerminal('emulator report --limit 100', { columns, rows: 900 })).lines;
    const empty = await page();
    const all = /^never met: (\d+) of \1$/.exec(empty[0] ?? '');
    expect(empty.at(-1)).toBe(`no findings in 0 requests; 0 of ${all?.[1]} situations met`);

    const { base_url: url } = started.ready;
    for (let number = 1; number <= 15; number++) await send('GET', `${url}/apps/me/${number}`);
    await send('POST', `${url}/nothing/of/the/kind`, { token: 'a-token-of-nobody' });
    const lines = await page();
    const text = lines.join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/removed endpoint.*no launch handed out.*never met: /);
    expect(text).toMatch(/16 errors, 0 warnings in 16 requests; \d+ of \d+ situations met$/);
    // Ten of a kind are enough, and the hint for all is printed once.
    expect(text.match(/is a removed endpoint/g)).toHaveLength(10);
    expect(text).toContain('and 5 more: lectern emulator report --json');
    expect(text.match(/configure the tool in the dashboard/g)).toHaveLength(1);
    const { coverage } = await json<Report>(REPORT);
    const missing = coverage.filter(({ seen }) => !seen).map(({ how }) => how);
    // A command is not broken, so that it can be copied; the terminal wraps it.
    const shown = lines.join('').replaceAll(/\s+/g, ' ');
    for (const how of missing) expect(shown).toContain(how.slice(0, columns - 8).trim());
  },
);

const ERROR = 'request.removed_endpoint';
const WARNING = 'request.launch_id';
const CASES = REQUEST_SCRIPTS.map(({ code }) => code);

/** An emulator to which a tool did something that is an error, and something that is a warning. */
async function withFindings() {
  const here = await emulated();
  for (const { code, does } of REQUEST_SCRIPTS) {
    if (code === ERROR || code === WARNING) await runScript(here, does);
  }
  return here;
}

test('emulator report --format junit has a case for each code, which fails for an error', async () => {
  const { step } = await withFindings();
  const { suite, cases } = readJunit((await step('emulator report --format junit')).stdout);
  expect(suite).toBe('lectern emulator report');
  expect(cases.map(({ name }) => name)).toEqual(CASES);
  const failed = cases.filter(({ failure }) => failure);
  expect(failed.map(({ name, failure }) => [name, failure?.type])).toEqual([[ERROR, ERROR]]);
  expect(failed[0]?.failure?.text).toMatch(/^request \d+: error: GET \/apps\/me is a removed/);
  const warned = cases.filter(({ output }) => output !== undefined);
  expect(warned.map(({ name }) => name)).toEqual([WARNING]);
  const strict = await step('emulator report --format junit --fail-on warning # exit 9');
  const both = readJunit(strict.stdout).cases.filter(({ failure }) => failure);
  expect(both.map(({ name }) => name).sort()).toEqual([WARNING, ERROR]);
  const verdict = /^1 errors?, \d warnings? in .* met\n$/;
  await step('emulator report --quiet --fail-on warning # exit 9', { stdout: verdict });
});

test('emulator report --format github prints a line for each finding', async () => {
  const { step } = await withFindings();
  const { stdout } = await step('emulator report --format github');
  const error = /^::error title=request\.removed_endpoint::GET \/apps\/me .*\(at request \d+\)/;
  const warning = /^::warning title=request\.launch_id::launch_id was sent/;
  const lines = [error, warning].map((each) => expect.stringMatching(each));
  expect(stdout.split('\n').sort()).toEqual(['', ...lines]);
  const strict = 'emulator report --format github --fail-on warning # exit 9';
  await step(strict, { lacks: '::warning' });
});

test.each(['report.xml', 'report --format junit'])(
  'emulator exec --report %s writes a JUnit file',
  async (flags) => {
    const { step, folder } = stepsAt();
    await step(`emulator exec --report ${flags} -- true`, { stdout: '' });
    const file = join(folder, flags.split(' ')[0] ?? '');
    const { cases } = readJunit(readFileSync(file, 'utf8'));
    expect(cases.map(({ name }) => name)).toEqual(CASES);
  },
);

test('emulator exec --report writes JSON to a file, and exits with the code of the command, or else with 9', async () => {
  const { step, folder } = stepsAt();
  const tool = (code: number): string =>
    `-- ${process.execPath} -e 'fetch(process.env.LECTERN_EMULATOR + "/apps/me").then(() => process.exit(${code}))'`;
  const report = 'emulator exec --report report.json';
  await step(`
    ${report} ${tool(0)} # the report is in report.json
    ${report} --fail-on error ${tool(0)} # exit 9
    ${report} --fail-on error ${tool(3)} # exit 3`);
  await step(`${report} --fail-on error --quiet ${tool(0)} # exit 9`, {
    stdout: /^1 error, 0 warnings in 1 request; .*\n$/,
    stderr: /^$/,
  });
  const findings = [{ code: ERROR, severity: 'error', requests: [1] }];
  const written = readFileSync(join(folder, 'report.json'), 'utf8');
  expect(JSON.parse(written)).toMatchObject({ findings });
});
