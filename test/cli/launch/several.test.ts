import { expect, test } from 'vitest';
import { launchFor } from '../../support/service.ts';
import { jsonOf, step, stepsAt } from '../../support/steps.ts';

const launch = (id: string): string =>
  JSON.stringify(launchFor('http://127.0.0.1:1', { launch_id: id }));
const token = (id: string): string =>
  ['{"alg":"none"}', launch(id), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const IGNORED = 'the text has a second, different launch: it was ignored, and the first was read';

async function decode(input: string) {
  const { claims, findings } = jsonOf(await step('launch decode --json', { input })) as {
    claims: { launch_id: string };
    findings: { code: string; severity: string; message: string }[];
  };
  return { claims, several: findings.filter(({ code }) => code === 'launch.several') };
}

test.each([
  ['on two lines', `${launch('a')}\n${launch('b')}\n`],
  ['in a list', `[${launch('a')},${launch('b')}]`],
  ['in a mail', `First:\n> ${launch('a')}\nand then\n> ${launch('b')}`],
  ['one as a token', `${launch('a')}\n\n${token('b')}`],
  ['in the members of an object', JSON.stringify({ before: token('a'), now: token('b') })],
])('a second, different launch %s is ignored with a warning', async (_, input) => {
  const { claims, several } = await decode(input);
  expect([claims.launch_id, several]).toEqual([
    'a',
    [expect.objectContaining({ severity: 'warning', message: IGNORED })],
  ]);
  const warned = { stderr: `warning: ${IGNORED}` };
  const { step: at } = stepsAt({ files: { 'two.json': input } });
  await at('launch decode two.json', warned);
  await at('launch save mine two.json', warned);
  await at('storage get member -l ./two.json', { ...warned, exit: 8 });
});

test.each([
  ['as claims and as a token', `${launch('a')}\n\n${token('a')}`],
  ['within a wrapper with a token', `{"api":{"token":"other"},"claims":${launch('a')}}`],
  ['next to other JSON', `{"time":1}\n${launch('a')}\n{"user":"else"}`],
])('a launch %s does not count as a second launch', async (_, input) => {
  const { claims, several } = await decode(input);
  expect([claims.launch_id, several]).toEqual(['a', []]);
});
