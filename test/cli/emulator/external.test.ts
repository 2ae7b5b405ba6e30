import { expect, test } from 'vitest';
import { startService, text } from '../../support/service.ts';
import { jsonOf, stepsAt } from '../../support/steps.ts';
import { emulated, start } from './running.ts';

/** A seed with a course and a tool that has these addresses. */
const seedWith = (urls: object) => ({
  'seed.json': JSON.stringify({
    tools: [{ id: 'quiz', ...urls }],
    courses: [{ id: 'c', provisioned: false, locations: [{ id: 'l', tool: 'quiz' }] }],
  }),
});

/** An emulator whose one tool answers everything with this text. */
async function withTool(answer: string) {
  const { origin } = await startService(text(200, answer));
  const urls = { provision_url: `${origin}/provision`, locations_url: `${origin}/locations` };
  const { home, folder, step } = stepsAt();
  await step('validate seed seed.json', { files: seedWith(urls) });
  await start(['--memory', '--seed', `${folder}/seed.json`], { home });
  return step;
}

test('emulator provision-request prints the claims and the response of the tool', async () => {
  const step = await withTool('{}');
  const stderr = 'sent to tool quiz: answered 200';
  await step('emulator provision-request', { stderr, json: { context: 'c' } });
  await step('emulator state', { stdout: /provision request\tquiz\tc\tl\t1\t200/ });
});

test('emulator locations-request prints what the service accepts, and what is wrong', async () => {
  const step = await withTool(JSON.stringify({ message: 'x'.repeat(2001) }));
  const asked = await step('emulator locations-request', { stderr: 'message has 2001 characters' });
  expect(jsonOf(asked).message).toHaveLength(2000);
  await step('emulator state', { stdout: /locations answer\tquiz\tc\t200\ttaken/ });
});

test('emulator locations-request exits with an error if the service would reject the response', async () => {
  const step = await withTool('{"places":[]}');
  const json = { answer: null, status: 200 };
  await step('emulator locations-request --json # exit 3: locations.nothing', { json });
  await step('emulator tool suspend\nemulator locations-request # exit 2: quiz is suspended');
});

test('emulator launch --token --sign prints the signed token alone', async () => {
  const { step } = await emulated();
  for (const sign of ['RS256', 'HS256', 'plain', 'expired', 'HS256-expired']) {
    const { stdout } = await step(`emulator launch --token --sign ${sign}`, { stderr: '' });
    const [header = '', payload = ''] = stdout.trimEnd().split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const alg = sign === 'plain' ? 'none' : sign.startsWith('HS256') ? 'HS256' : 'RS256';
    const isValid = read(payload).exp * 1000 > Date.now();
    expect([sign, read(header).alg, isValid]).toEqual([sign, alg, !sign.endsWith('expired')]);
  }
});

test('emulator launch --token without a placement is of an external tool', async () => {
  const { step } = await emulated('--seed', 'example');
  const [, payload = ''] = (await step('emulator launch --token')).stdout.split('.');
  expect(Buffer.from(payload, 'base64url').toString()).toContain('"aud":"observations"');
});

test('emulator launch --token is refused with --open and for a hosted tool', async () => {
  const { step } = await emulated();
  await step(`
    emulator launch --token --open # exit 2: cannot be used with option
    emulator launch --token --location sketch-1 # exit 2: only an external one is sent a launch token`);
  await step('emulator show tokens', { stdout: '' });
});

test('emulator fault --offline closes every call until fault clear', async () => {
  const { step } = await emulated();
  await step(`
    emulator launch --save amina
    emulator fault --offline # \tlasts\t
    storage get member -l amina # exit 8
    storage get member -l amina # exit 8
    emulator fault clear
    storage get member -l amina`);
});

test('a tool on the network of the emulator is called only by one with --host', async () => {
  const { home, folder, step } = stepsAt();
  for (const [host, exit] of Object.entries({ 'tool.example.org': 3, '10.0.0.7': 0, tool: 0 })) {
    const files = seedWith({ provision_url: `http://${host}:1/provision` });
    await step('validate seed seed.json', { files, exit });
  }
  await start(['--memory', '--seed', `${folder}/seed.json`], { home });
  await step('emulator provision-request # start the emulator with --host');
});
