import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as lectern from '../../src/index.ts';
import { atEnd } from '../support/scope.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';

const warned = Array.from({ length: 60 }, (_, at) => `#${at},1\n`).join('');

test.each([
  { name: 'about the whole file', text: 'a,5\n', first: /^, the first: scores over 1/ },
  { name: 'after 50 warnings', text: `${warned}a,x\n`, first: /^$/ },
])('planRun refuses an error $name, and stores no run', async ({ text, first }) => {
  const ledger = await lectern.openLedger({ file: join(temporaryFolder(), 'ledger.sqlite') });
  atEnd(() => ledger.close());
  const claims = launchFor('http://127.0.0.1:1');
  const run = lectern.newRun(claims, lectern.credentialOf(claims), 'test');
  const chunks = (async function* () {
    yield Buffer.from(`member,score\n${text}`);
  })();
  const refused = lectern.planRun(ledger, run, chunks);
  const { message } = (await refused.catch((error: unknown) => error)) as Error;
  const [start = '', rest = ''] = message.split(/(?<=1 error)/);
  expect([start, rest]).toEqual([
    'nothing was sent: 1 error',
    expect.stringMatching(first) as string,
  ]);
  expect(await ledger.runs()).toEqual([]);
});
