import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../../src/contract/index.ts';
import type { Exchange } from '../../../src/emulator/index.ts';
import type { Claims } from '../../emulator/documents.ts';
import { formOf, send, type Sent } from '../../emulator/wire.ts';
import { lectern } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';
import { REQUEST_SCRIPTS, runScript } from './requests-of.ts';
import { emulated } from './running.ts';

interface Report {
  readonly requests: number;
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly requests: readonly number[];
    readonly message: string;
    readonly hint: string;
    readonly rule: string;
  }[];
  readonly coverage: readonly {
    readonly situation: string;
    readonly seen: boolean;
    readonly how: string;
  }[];
}

const REPORT = 'emulator report';

describe.each(REQUEST_SCRIPTS)('the finding $code', ({ code, does, instead }) => {
  test('is reported for a tool that causes it, and not for another', async () => {
    const here = await emulated();
    await runScript(here, does);
    const { findings } = await here.json<Report>(REPORT);
    expect(findings.map((each) => each.code)).toEqual([code]);
    const { stdout } = await here.run('emulator requests --json');
    const requests = stdout.trim().split('\n');
    const numbers = requests.map((line) => (JSON.parse(line) as Exchange).number);
    for (const { requests: shown, severity, message, hint, rule } of findings) {
      expect(shown.length).toBeGreaterThan(0);
      expect(numbers).toEqual(expect.arrayContaining([...shown]));
      expect(severity).toBe(CODES[code].severity);
      expect(`${message}${hint}${rule}`).not.toMatch(/undefined|NaN|lt_|pt_|key_/);
    }
    await here.run('emulator reset');
    expect((await here.json<Report>(REPORT)).findings).toEqual([]);
    await runScript(here, instead);
    expect((await here.json<Report>(REPORT)).findings).toEqual([]);
  });
});

/** The words of a command line as a shell reads it, for the quotes that `how` uses. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

const upload = (fields: Record<string, string>, more: Sent = {}): Sent => {
  const { headers, body } = formOf(fields, 'hello');
  return { ...more, body, headers: { ...headers, ...more.headers } };
};

describe('a situation that a tool has not met', () => {
  test('can be caused by the suggested command', async () => {
    const here = await emulated();
    const { run, json } = here;
    const notYet = (await json<Report>(REPORT)).coverage;
    expect(notYet.every(({ seen, how }) => !seen && how.startsWith('lectern '))).toBe(true);
    const missed: string[] = [];
    let probe = await probeOf(here);
    let isUntouched = true;
    for (const { situation, how } of notYet) {
      if (!isUntouched) {
        await run('emulator reset');
        probe = await probeOf(here);
      }
      isUntouched = how.includes(' fault ');
      const outputs: string[] = [];
      for (const part of how.split(' && ')) {
        const { exit, stdout, stderr } = await run(wordsOf(part).slice(1));
        expect(`${part}: ${exit} ${stderr}`).toContain(`${part}: 0`);
        outputs.push(stdout);
      }
      await probe(how, outputs.at(-1) ?? '');
      const { coverage } = await json<Report>(REPORT);
      if (coverage.find((each) => each.situation === situation)?.seen !== true) {
        missed.push(`${situation}: ${how}`);
      }
    }
    expect(missed).toEqual([]);
  });
});

type Emulated = Awaited<ReturnType<typeof emulated>>;

/** A tool with a launch of each kind, taken before; it then calls all there is, or what a fault waits for. */
async function probeOf({ json, started }: Emulated) {
  const { url } = started.ready;
  const student = await json<Claims>('emulator launch --role student');
  const staff = await json<Claims>('emulator launch --role instructor');
  const hosted = await json<Claims>('emulator launch --location sketch-1');
  const copy = await json<Claims>('emulator provision-request');
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
    if (pending !== undefined)
      await call('POST', pending.url, { ...upload(pending.fields), token: undefined });
    const page = await send('GET', `${url}/_emulator/course/${hosted.launch_id}`);
    const origin = /src="(http:\/\/[^/]+)\//.exec(page.text)?.[1];
    if (origin !== undefined) {
      await call('GET', hosted.storage.member, { token: hosted.api.token, headers: { origin } });
    }
  };
}

describe.each([60, 80, 120])('emulator report on a terminal of %i columns', (columns) => {
  test('shows findings first, then situations that were not met, with a command on one line', async () => {
    const { home, started } = await emulated();
    const page = async (): Promise<string[]> => {
      const args = ['emulator', 'report', '--limit', '100'];
      const shown = terminal(args, { home, columns, rows: 60 });
      expect(await shown.exit).toBe(0);
      return stripVTControlCharacters(shown.bytes()).trimEnd().split(/\r?\n/);
    };
    const empty = await page();
    const all = /^never met: (\d+) of (\d+)$/.exec(empty[0] ?? '');
    expect(empty.at(-1)).toBe(`no findings in 0 requests; 0 of ${all?.[2]} situations met`);
    expect(all?.[1]).toBe(all?.[2]);

    const { base_url: url } = started.ready;
    for (let number = 1; number <= 15; number++) await send('GET', `${url}/apps/me/${number}`);
    await send('POST', `${url}/nothing/of/the/kind`, { token: 'a-token-of-nobody' });
    const lines = await page();
    expect(lines.slice(-2).join(' ')).toMatch(/16 errors, 0 warnings in 16 requests; \d+ of/);
    const text = lines.join(' ').replaceAll(/\s+/g, ' ');
    // Ten of a kind are enough, and the hint for all is printed once.
    expect(text.match(/is a removed endpoint/g)).toHaveLength(10);
    expect(text).toContain('and 5 more: lectern emulator report --json');
    expect(text.match(/configure the tool in the dashboard/g)).toHaveLength(1);
    expect(text).toMatch(/removed endpoint.*no launch handed out.*never met: /);
    const isCommand = (line: string): boolean => line.startsWith('      lectern ');
    expect(lines.filter((line) => line.length > columns && !isCommand(line))).toEqual([]);
    const { coverage } = await emulatedReport(home);
    const missing = coverage.filter(({ seen }) => !seen).map(({ how }) => `      ${how}`);
    expect(lines.filter(isCommand)).toEqual(missing);
  });
});

async function emulatedReport(home: string): Promise<Report> {
  return JSON.parse((await lectern([...REPORT.split(' '), '--json'], { home })).stdout) as Report;
}
