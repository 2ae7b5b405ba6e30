import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as lectern from '../../src/index.ts';
import { atEnd } from '../support/scope.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';

test('planRun names no line for a finding about the whole file', async () => {
  const ledger = await lectern.openLedger({ file: join(temporaryFolder(), 'ledger.sqlite') });
  atEnd(() => ledger.close());
  const claims = launchFor('http://127.0.0.1:1');
  const run = lectern.newRun(claims, lectern.credentialOf(claims), 'test');
  const records = lectern.recordChunks([{ member: 'a', score: 5 }]);
  await expect(lectern.planRun(ledger, run, records)).rejects.toThrow(
    /^nothing was sent: 1 finding, the first: scores over 1/,
  );
});
