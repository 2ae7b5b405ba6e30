import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder, lectern } from '../../support/lectern.ts';
import { startService, text } from '../../support/service.ts';
import { emulated, start } from './running.ts';

/** An emulator whose one tool answers everything with this text. */
async function withTool(answer: string) {
  const { origin } = await startService(text(200, answer));
  const home = temporaryFolder();
  const seed = {
    tools: [
      { id: 'quiz', provision_url: `${origin}/provision`, locations_url: `${origin}/locations` },
    ],
    courses: [{ id: 'c', provisioned: false, locations: [{ id: 'l', tool: 'quiz' }] }],
  };
  writeFileSync(`${home}/seed.json`, JSON.stringify(seed));
  await start(['--memory', '--seed', `${home}/seed.json`], { home });
  return (...words: string[]) => lectern(['emulator', ...words], { home });
}

test('emulator provision-request prints the claims and the response of the tool', async () => {
  const run = await withTool('{}');
  const { exit, stdout, stderr } = await run('provision-request');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('sent to tool quiz: answered 200')]);
  expect(JSON.parse(stdout)).toMatchObject({ context: 'c' });
  expect((await run('state')).stdout).toMatch(/provision request\tquiz\tc\tl\t1\t200/);
});

test('emulator locations-request prints what the service accepts, and what is wrong', async () => {
  const run = await withTool(JSON.stringify({ message: 'x'.repeat(2001) }));
  const { exit, stdout, stderr } = await run('locations-request');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('message has 2001 characters')]);
  expect((JSON.parse(stdout) as { message: string }).message).toHaveLength(2000);
  expect((await run('state')).stdout).toMatch(/locations answer\tquiz\tc\t200\ttaken/);
});

test('emulator locations-request exits with an error if the service would reject the response', async () => {
  const run = await withTool('{"places":[]}');
  const { exit, stdout, stderr } = await run('locations-request', '--json');
  expect(exit).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ answer: null, status: 200 });
  expect(stderr).toContain('locations.nothing');
});

test.each(['RS256', 'HS256', 'plain', 'expired', 'HS256-expired'])(
  'emulator launch --token --sign %s prints the signed token alone',
  async (sign) => {
    const { run } = await emulated();
    const { exit, stdout, stderr } = await run(`emulator launch --token --sign ${sign}`);
    expect([exit, stderr]).toEqual([0, '']);
    const [header = '', payload = ''] = stdout.trimEnd().split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const alg = sign === 'plain' ? 'none' : sign.startsWith('HS256') ? 'HS256' : 'RS256';
    expect(read(header)).toMatchObject({ alg });
    expect(read(payload).exp * 1000 > Date.now()).toBe(!sign.endsWith('expired'));
  },
);

test('emulator launch --token without a placement is of an external tool', async () => {
  const home = temporaryFolder();
  await start(['--memory', '--seed', 'example'], { home });
  const { exit, stdout } = await lectern(['emulator', 'launch', '--token'], { home });
  expect(exit).toBe(0);
  const [, payload = ''] = stdout.split('.');
  expect(Buffer.from(payload, 'base64url').toString()).toContain('"aud":"observations"');
});

test.each([
  ['with --open', '--open', "option '--token' cannot be used with option '--open'"],
  ['for a hosted tool', '--location sketch-1', 'only an external one is sent a launch token'],
])('emulator launch --token is refused %s', async (_, more, why) => {
  const { run } = await emulated();
  const { exit, stdout, stderr } = await run(`emulator launch --token ${more}`);
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain(why);
  expect((await run('emulator show tokens')).stdout).toBe('');
});

test('emulator fault --offline closes every call until fault clear', async () => {
  const { run } = await emulated();
  await run('emulator launch --save amina');
  expect((await run('emulator fault --offline')).stdout).toContain('\tlasts\t');
  for (let times = 0; times < 2; times++) {
    expect((await run('storage get member -l amina')).exit).toBe(8);
  }
  await run('emulator fault clear');
  expect((await run('storage get member -l amina')).exit).toBe(0);
});

test('a tool on the network of the emulator is called only by one with --host', async () => {
  const home = temporaryFolder();
  const courses = [{ id: 'c', provisioned: false, locations: [{ id: 'l', tool: 'quiz' }] }];
  const validated = (url: string) => {
    const seed = { tools: [{ id: 'quiz', provision_url: url }], courses };
    writeFileSync(`${home}/seed.json`, JSON.stringify(seed));
    return lectern(['validate', 'seed', `${home}/seed.json`], { home });
  };
  expect((await validated('http://tool.example.org:1/provision')).exit).toBe(3);
  expect((await validated('http://10.0.0.7:1/provision')).exit).toBe(0);
  expect((await validated('http://tool:1/provision')).exit).toBe(0);
  await start(['--memory', '--seed', `${home}/seed.json`], { home });
  const { stderr } = await lectern(['emulator', 'provision-request'], { home });
  expect(stderr).toContain('start the emulator with --host');
});
