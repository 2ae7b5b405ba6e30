import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchOf, type Launch, type LaunchRequest } from '../emulator/subject.ts';
import { BINARY } from '../support/binary.ts';
import { environment, lectern, temporaryFolder } from '../support/lectern.ts';
import { zipOf } from '../support/zip.ts';
import { heading, until } from './console.ts';
import { browserContext, browserTest, emulated, type Emulated } from './support.ts';

const run = promisify(execFile);

/** The console of an emulator of its own, and a shell in which its commands run. */
interface Terminal {
  readonly emulator: Emulated;
  readonly page: Page;
  readonly folder: string;
  readonly go: (path: string) => Promise<void>;
  /** The commands that the page shows, or those of a part of it, that have a word in them. */
  readonly shown: (word?: string) => Promise<string[]>;
  /** Runs a command as it is shown, in this process: read by a shell, each lectern in it called here. */
  readonly here: (command: string) => Promise<string>;
  /** Runs a command as it is shown, with the built binary; fails where it does. */
  readonly shell: (command: string, env?: Readonly<Record<string, string>>) => Promise<string>;
  /** What the emulator answers to a query. */
  readonly ask: <Answer>(path: string) => Promise<Answer>;
  readonly launch: (wish?: LaunchRequest) => Promise<Launch>;
}

async function openTerminal(): Promise<Terminal> {
  const emulator = await emulated();
  const { url, home, control } = emulator;
  const folder = temporaryFolder();
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  symlinkSync(BINARY, join(programs, 'lectern'));
  const context = await browserContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const at = `${url}/_emulator/console/`;
  const { code } = (await control('console/code', {})) as unknown as { code: string };
  await page.goto(`${at}#code=${code}`);
  await heading(page).filter({ hasText: 'Overview' }).waitFor();
  const PATH = [programs, process.env.PATH].join(delimiter);
  return {
    emulator,
    page,
    folder,
    go: async (path) => {
      await page.goto(at + path);
      await page.locator('main .command').first().waitFor();
    },
    shown: async (word = '') => {
      const commands = await page.locator('main .command code').allInnerTexts();
      return commands.filter((each) => each.includes(word));
    },
    here: async (command) => {
      const calls = `lectern() { printf '%s\\0' "$#" "$@"; }; ${command}`;
      const words = (await run('sh', ['-c', calls])).stdout.split('\0').slice(0, -1);
      const outputs: string[] = [];
      while (words.length > 0) {
        const call = words.splice(0, Number(words.shift()));
        const { exit, stdout, stderr } = await lectern(call, { home, cwd: folder });
        if (exit !== 0) throw new Error(`${command}: ${stderr}`);
        outputs.push(stdout);
      }
      return outputs.join('');
    },
    shell: async (command, env = {}) => {
      const options = { cwd: folder, env: environment({ home, env: { PATH, ...env } }) };
      return (await run('sh', ['-c', command], options)).stdout;
    },
    ask: async (path) => {
      const asked = control as (path: string) => Promise<never>;
      return asked(path);
    },
    launch: async (wish = {}) => launchOf((await control('launch', wish)).claims),
  };
}

/** Presses a button; what it does takes effect later. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

browserTest(
  'what pages tell to begin with runs: a launch, and all that empty lists name',
  async () => {
    const { go, shown, shell, folder, ask, page } = await openTerminal();
    writeFileSync(join(folder, 'notes.txt'), 'notes');
    const beginnings = ['', 'files', 'gradebook', 'traffic', 'rows', 'tokens', 'report'];
    const told: string[] = [];
    for (const path of beginnings) {
      await go(path);
      const ready = page.locator('main .empty, main td, main dd').first();
      await ready.waitFor();
      told.push(...(await shown()));
    }
    const commands = [...new Set(told)].filter((each) => !each.includes('--follow'));
    expect(commands.length).toBeGreaterThan(9);
    // What is told first on the first of them makes the launch that all others name.
    const [launch = '', ...others] = commands;
    expect(launch).toContain('--save student');
    await shell(launch);
    await Promise.all(others.map((command) => shell(command)));
    const { attempts, files } = await ask<{ attempts: number; files: number }>('summary');
    expect([attempts, files]).toEqual([1, 1]);
  },
);

interface World {
  readonly locations: readonly { readonly lms: object }[];
  readonly tools: readonly { readonly status: string; readonly codes: readonly object[] }[];
}

browserTest('Gradebook, Clock and Faults: the command does what was clicked', async () => {
  const { page, go, shown, here, ask, emulator } = await openTerminal();
  const last = async (word: string): Promise<string> => (await shown(word)).at(-1) ?? '';
  const lms = async (): Promise<unknown> =>
    (await ask<World>('world')).locations.map((each) => each.lms);
  await go('gradebook');
  await page.getByText('Refuse some scores only').click();
  await page.getByLabel('Only this member').fill('member-111');
  await page.getByLabel('Times').fill('2');
  const modes = [
    ['Refuse', () => page.getByLabel('Refuse', { exact: true }).check()],
    ['No column', () => page.getByLabel('No column').check()],
    ['--times 2', () => press(page, 'Refuse these')],
  ] as const;
  for (const [name, choose] of modes) {
    const before = await last('emulator lms');
    await choose();
    await until(async () => (await last('emulator lms')) !== before, true);
    const clicked = await lms();
    // From another state than the click began with.
    await emulator.control('lms', { scope: 'score', column: 'missing', refuse: { status: 500 } });
    await here(await last('emulator lms'));
    expect([name, await lms()]).toEqual([name, clicked]);
  }
  await go('clock');
  const offset = async (): Promise<number> =>
    Math.round((await ask<{ offset_ms: number }>('clock')).offset_ms / 10_000);
  for (const name of ['+1 day']) {
    const before = await last('emulator clock');
    await press(page, name);
    await until(async () => (await last('emulator clock')) !== before, true);
    const clicked = await offset();
    expect(clicked).toBeGreaterThan(0);
    await emulator.control('clock', { machine: true });
    await here(await last('emulator clock'));
    expect([name, await offset()]).toEqual([name, clicked]);
    await press(page, 'Back to now');
    await until(() => last('emulator clock'), 'lectern emulator clock reset');
  }
  await go('faults');
  await page.getByText('A fault of your own').click();
  /** What waits, whatever its numbers. */
  const faults = async (): Promise<string> =>
    JSON.stringify((await ask<{ faults: unknown }>('faults')).faults, (key, value: unknown) =>
      key === 'id' ? undefined : value,
    );
  for (const name of ['503 once', 'Slow', 'Add the fault']) {
    if (name === 'Add the fault') {
      await page.getByLabel('Path, a regular expression').fill("/it's $HOME (row|scores)");
      await page.getByLabel('Method').selectOption('PUT');
      await page.getByLabel('Times').fill('3');
      await page.getByLabel('Effect').selectOption('429');
    }
    await press(page, name);
    await page.getByRole('table', { name: 'Waiting faults' }).waitFor();
    const clicked = await faults();
    await press(page, 'Remove');
    await page.getByText('None: every request').waitFor();
    await here((await shown('fault --'))[0] ?? '');
    expect([name, await faults()]).toEqual([name, clicked]);
    await emulator.control('fault/clear', {});
    await page.getByText('None: every request').waitFor();
  }
});

browserTest('Launch, Rows, Files, Tokens and Tools: the command does it too', async () => {
  const { page, go, shown, here, ask, folder, emulator, launch } = await openTerminal();
  await go('launch');
  await page.getByLabel('Course').selectOption('History 202');
  await page.getByLabel('Person').fill('greta');
  await page.getByRole('button', { name: 'Greta' }).click();
  const [launchCommand = ''] = await shown('emulator launch');
  expect(JSON.parse(await here(launchCommand))).toMatchObject({
    context: 'history-202',
    user: { member: 'member-212' },
  });
  writeFileSync(join(folder, 'row.json'), '{"rate":1.10}');
  await go('rows/member/essay/member-111');
  await page.getByRole('region', { name: 'History' }).waitFor();
  for (const command of await shown('emulator row')) await here(command);
  await until(() => page.getByLabel('Row as JSON').inputValue(), '{"rate":1.10}');
  for (const row of ['member/essay/member-111', 'context/essay/biology-101']) {
    writeFileSync(join(folder, 'FILE'), row);
    await go(`files/${row}`);
    await page.getByLabel('Key, else').fill('essay.txt');
    for (const command of (await shown()).slice(0, 2)) await here(command);
    await press(page, 'Download essay.txt');
    await until(async () => (await shown('files download')).length, 1);
    expect(await here((await shown('files download'))[0] ?? '')).toBe(row);
    await press(page, 'Delete essay.txt');
    await page.getByText('No files yet.').waitFor();
    await here((await shown('files rm'))[0] ?? '');
  }
  await launch();
  const { token } = await launch({ role: 'instructor' });
  await go('tokens');
  await page.getByRole('button', { name: 'End' }).first().waitFor();
  await here((await shown('token end'))[0] ?? '');
  const live = await ask<{ items: readonly { launch_id: string }[]; total: number }>(
    'tokens?live=true',
  );
  await until(async () => page.getByRole('button', { name: 'End' }).count(), live.total);
  expect(token).toMatch(/^lt_/);
  await go('tools');
  const status = async (): Promise<string | undefined> =>
    (await ask<World>('world')).tools[0]?.status;
  for (const [name, verb, then] of [
    ['Suspend', 'suspend', 'suspended'],
    ['Activate', 'activate', 'active'],
    ['Replace code', 'replace-code', 'active'],
  ] as const) {
    await press(page, name);
    await page.getByText(`tool ${verb} essay`).first().waitFor();
    const [command = ''] = await shown(`tool ${verb} essay`);
    // The page begins with the command that suspends.
    await until(status, then);
    await emulator.control('tool', {
      tool: 'essay',
      action: verb === 'activate' ? 'suspend' : 'activate',
    });
    await here(command);
    expect([name, await status()]).toEqual([name, then]);
  }
  await press(page, 'Reveal API key of essay');
  const key = await page.getByText(/^key_/).innerText();
  expect(await here((await shown('emulator key'))[0] ?? '')).toContain(key);
  writeFileSync(join(folder, "it's.zip"), zipOf([{ name: 'index.html', content: 'hello' }]));
  await page.getByLabel('Upload code').setInputFiles(join(folder, "it's.zip"));
  await page.getByText('tool upload').waitFor();
  await here((await shown('tool upload'))[0] ?? '');
  expect((await ask<World>('world')).tools.map(({ codes }) => codes.length)).toContain(2);
});

browserTest('Traffic: what is copied as lectern runs, and does the same', async () => {
  const { page, go, shown, shell, ask, launch } = await openTerminal();
  await go('traffic');
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  const student = await launch({ role: 'student' });
  await student.call('PUT', student.row('member'), {
    body: `{"rate":1.10,"text":"it's $HOME – ✓"}`,
  });
  await student.patch(student.row('member'), [{ op: 'add', path: '/step', value: 1 }]);
  await student.get(student.row('member'));
  await student.upload('member', 'notes.txt', 'x');
  await student.get(student.file('member', 'notes.txt'));
  await student.get(student.files('member'));
  await student.grade({ score: 0.5, max_score: 10, comment: "Ada's" });
  await student.call('DELETE', student.file('member', 'gone.txt'));
  interface Requests {
    readonly requests: readonly {
      readonly number: number;
      readonly origin: string;
      readonly method: string;
      readonly path: string;
      readonly status: number;
    }[];
  }
  const { requests: sent } = await ask<Requests>('requests');
  const env = { LECTERN_TOKEN: student.token };
  for (const { number, origin, method, path, status } of sent) {
    if (origin === 'blobs' || path.includes('/files/') === (method === 'PUT')) continue;
    await go(`traffic/${number}`);
    await page.bringToFront();
    await press(page, 'Copy as lectern');
    await page.getByText('lectern command copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).not.toContain(student.token);
    const { requests: before } = await ask<Requests>('requests');
    await shell(command, env);
    const { requests: after } = await ask<Requests>('requests');
    const made = after.slice(before.length).map((each) => [each.method, each.status]);
    expect([command, made]).toEqual([command, expect.arrayContaining([[method, status]])]);
  }
  const { requests: before } = await ask<Requests>('requests');
  await shell((await shown('--replay'))[0] ?? '');
  expect((await ask<Requests>('requests')).requests).toHaveLength(before.length + 1);
});
