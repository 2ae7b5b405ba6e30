import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../support/emulator.ts';
import {
  answerJson,
  type Handler,
  launchFile,
  launchFor,
  startService,
} from '../../support/service.ts';
import { atTerminal, type Expected, type Given, jsonOf, stepsAt } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';

/** Steps with `launch.json`, and what is found of each claim in it. */
function claimed(claims: object) {
  const at = stepsAt({ files: { 'launch.json': JSON.stringify(claims) } });
  const check = async (more: Given & Expected = {}) => {
    const result = await at.step('launch check launch.json --json --timeout 30', more);
    const found = jsonOf(result) as { checks: Record<string, unknown>[]; token: string };
    const by = (name: string) =>
      Object.fromEntries(found.checks.map((each) => [each.claim, each[name]]));
    return { ...found, verdicts: by('verdict'), states: by('state'), bytes: by('bytes') };
  };
  return { ...at, check };
}

/** A service that answers by the claim that a path belongs to. */
async function checkAt(
  answers: Record<string, Handler>,
  exit: number,
  more: Record<string, unknown> = {},
) {
  const service = await startService((request, response) => {
    const claim = Object.keys(answers).find((each) => request.target.includes(each));
    const answer = claim === undefined ? undefined : answers[claim];
    if (answer) return answer(request, response);
    answerJson(response, 200, request.target.includes('f%69les') ? [] : {});
  });
  const error = exit === 0 ? undefined : { code: 'launch.check', exit };
  const result = await claimed(launchFor(service.origin, more)).check({ exit, error });
  return { ...result, requests: service.requests };
}

const status =
  (code: number): Handler =>
  (_, response) =>
    answerJson(response, code, { message: 'no' });

const ROWS = ['context', 'location', 'member', 'member_location'];
const READ = [...ROWS.map((row) => `storage.${row}`), ...ROWS.map((row) => `files.${row}`)];

describe('launch check on the emulator', () => {
  async function launched() {
    const emulator = await startEmulator();
    const claims = (await emulator.launch({ role: 'student' })) as { api: { token: string } };
    return { emulator, claims, ...claimed(claims) };
  }

  test('reads everything that can be read, and writes nothing', async () => {
    const { emulator, check } = await launched();
    const before = await emulator.control('GET state');
    const { verdicts, checks, token, states, bytes, ...more } = await check();
    for (const claim of READ)
      expect([verdicts[claim], states[claim]]).toEqual(['live', 'empty now']);
    expect(states['grade.submit']).toBe('skipped: would write');
    expect(more).toMatchObject({
      stored: 'all four rows are empty now: never written, or emptied',
    });
    expect(bytes).toMatchObject({ 'storage.member': 2, 'files.member': 0, 'grade.submit': null });
    expect(verdicts['grade.submit']).toBe('not called');
    for (const { verdict, ms } of checks) {
      expect(typeof ms).toBe(verdict === 'live' ? 'number' : 'object');
    }
    expect(token).toContain('restarts its 12 idle hours');
    expect(await emulator.control('GET state')).toMatchObject({ attempts: before.attempts });
  });

  test('shows the sizes of a row and files with data, and the verdict names the row', async () => {
    const { check, step: at } = await launched();
    await at('storage put member --yes -l launch.json', { input: '{ "page": 3 }' });
    expect(await check()).toMatchObject({
      stored: '1 of 4 rows has data: member; the others are empty now: never written, or emptied',
      states: { 'storage.member': 'has data', 'storage.context': 'empty now' },
      bytes: { 'storage.member': 10 },
    });
  });

  test('shows the states in 80 columns, and breaks no word of the notes', async () => {
    const { atTerminal: there } = await launched();
    const shows = [
      /^claim +status +bytes +state +ms/m,
      /^storage\.member +200 +2 B +empty now +\d+$/m,
      /^grade\.submit +skipped: would write$/m,
      'restarts its 12\nidle hours',
      'all four rows are empty now: never written, or emptied',
    ];
    await there('launch check launch.json', { columns: 80, shows });
  });

  test('names the newest previous version of an empty row, and the commands that show and restore it', async () => {
    const { step: at } = await launched();
    await at(`
      storage put member --yes -l launch.json < {"page":3}
      storage put member --yes -l launch.json < {"page":4}
      storage put member --yes -l launch.json < {}`);
    const stderr = [
      /^member had data: the newest previous version on this machine is 3 \(\d\d:\d\d, 10 B\)$/m,
      '\n  compare: lectern storage diff member --image 3 -l launch.json\n',
      '\n  restore: lectern storage undo member 3 -l launch.json\n',
    ];
    await at('launch check launch.json', { stderr });
    const { checks } = jsonOf(await at('launch check launch.json --json'));
    expect(checks.filter(({ previous }: { previous: unknown }) => previous !== null)).toMatchObject(
      [{ claim: 'storage.member', previous: { id: 3, bytes: 10 } }],
    );
    await at('storage undo member 3 -l launch.json --yes');
  });

  test('names no command that restores a row which the launch may not write', async () => {
    const { emulator, step: at } = await launched();
    const staff = JSON.stringify(await emulator.launch({ role: 'instructor' }));
    const files = { 'staff.json': staff };
    await at('storage put context --yes -l staff.json < {"page":3}', { files });
    await at('storage put context --yes -l staff.json < {}');
    await at('launch check staff.json', { stderr: 'storage undo context 2 -l staff.json' });
    const stderr = 'storage diff context --image 2 -l launch.json';
    await at('launch check launch.json', { stderr, lacks: 'storage undo' });
  });

  test.each([
    ['after a success', 0, '(the tool, its code or the membership changed)'],
    ['13 hours after a success', 13 * 3600, 'idle for 12 hours, or the tool, its code'],
  ])('gives the causes that remain for a token that ended %s, once', async (_, seconds, cause) => {
    const { emulator, claims, check, step: at } = await launched();
    await at('launch save lena launch.json');
    await at('launch check lena');
    await emulator.control('POST clock', { advance_seconds: seconds });
    await emulator.control('POST token/end', { token: claims.api.token });
    const { stderr } = await at('launch check lena', {
      exit: 4,
      stderr: /^lectern: ended: everything that was called \((idle for 12 hours, or )?the tool, /,
    });
    expect(stderr.split(cause)).toHaveLength(2);
    expect((await check({ exit: 4 })).token).toContain('get a new launch');
    const get = await at('storage get member', { exit: 4, stderr: cause });
    expect(get.stderr.includes('idle for 12 hours')).toBe(seconds > 0);
  });

  test('reads the parent rows of a provision request, whose own rows are not ready: 7', async () => {
    const emulator = await startEmulator();
    const { claims } = await emulator.control('POST provision-request', { course: 'biology-102' });
    const { checks, verdicts, token } = await claimed(claims as object).check({ exit: 7 });
    expect(new Set(checks.map((each) => Object.keys(each).join())).size).toBe(1);
    expect(verdicts).toMatchObject({
      'storage.context': 'unprovisioned',
      'storage.parent_context': 'live',
      'storage.parent_location': 'live',
      'provision.context': 'not called',
      'provision.location': 'not called',
    });
    expect(token).toContain('it ends 3 hours after it was issued');
  });
});

describe('launch check', () => {
  const CONTEXT = 'r%2Fows/context/';
  const MEMBER = 'r%2Fows/member/';
  const page: Handler = (_, response) => void response.end('<p>');
  const several = { [CONTEXT]: status(404), 'f%69les/member': status(503), [MEMBER]: status(401) };
  const worst = { 'storage.member': 'ended', 'storage.context': 'missing' };

  test.each<[string, Record<string, Handler>, Record<string, string>, number]>([
    ['302', { [MEMBER]: status(302) }, { 'storage.member': 'unreachable' }, 8],
    ['403', { [MEMBER]: status(403) }, { 'storage.member': 'forbidden' }, 5],
    ['404', { [CONTEXT]: status(404) }, { 'storage.context': 'missing' }, 6],
    ['422 of a shared row', { [CONTEXT]: status(422) }, { 'storage.context': 'unprovisioned' }, 7],
    ['422 of a member row', { [MEMBER]: status(422) }, { 'storage.member': 'refused' }, 7],
    ['418', { 'f%69les/location': status(418) }, { 'files.location': 'refused' }, 7],
    ['429', { 'f%69les/context': status(429) }, { 'files.context': 'unreachable' }, 8],
    ['503', { [MEMBER]: status(503) }, { 'storage.member': 'unreachable' }, 8],
    ['a body that is not a row', { [MEMBER]: page }, { 'storage.member': 'unreachable' }, 8],
    ['401 next to other errors', several, { ...worst, 'files.member': 'unreachable' }, 4],
  ])('explains the response %s', async (_, answers, expected, code) => {
    expect((await checkAt(answers, code)).verdicts).toMatchObject(expected);
  });

  test('does not call an address on another origin: 4', async () => {
    const elsewhere = await startService(status(200));
    const storage = { member: `${elsewhere.origin}/row` };
    const { verdicts, requests } = await checkAt({}, 4, { storage });
    expect(verdicts['storage.member']).toBe('not called');
    expect(elsewhere.requests).toEqual([]);
    expect(requests.length).toBe(4);
  });

  test('makes its calls concurrently, and uses only GET', async () => {
    const waiting: (() => void)[] = [];
    // No answer before all have asked: one after the other would end in a timeout.
    const together: Handler = (request, response) => {
      waiting.push(() => answerJson(response, 200, request.target.includes('f%69les') ? [] : {}));
      if (waiting.length === READ.length) waiting.forEach((answer) => answer());
    };
    const provision = { context: 'https://x.example/p' };
    const { requests } = await checkAt({ '/v0/': together }, 0, { provision });
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(requests.length).toBe(READ.length);
  });
});

describe('launch check --watch', () => {
  test('prints each change until Ctrl-C, with --json one line for each', async () => {
    const service = await startService((request, response) =>
      answerJson(response, 200, request.target.includes('f%69les') ? [] : {}),
    );
    const watch = `launch check ${launchFile(service.origin)} --watch`;
    const keys = { 'press Ctrl-C to stop': KEYS.interrupt };
    await atTerminal(watch, { keys, exit: 130, shows: 'files.member_location' });
    const line = { '"checks":[{"claim":"storage.context"': KEYS.interrupt };
    await atTerminal(`${watch} --json`, { keys: line, exit: 130, columns: 4000 });
  });
});
