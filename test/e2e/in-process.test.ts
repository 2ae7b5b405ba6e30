import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { json, launchFile, startService } from '../support/service.ts';

test.each<[string, string[], string]>([
  ['a read', ['storage', 'get', 'member'], ''],
  ['a usage error', ['storage', 'gte'], ''],
  ['rejected input', ['validate', 'row', '-', '--json'], '[1]'],
  ['help', ['grade', '--help'], ''],
])('%s gives the same in the process of the test and in a separate one', async (_, args, input) => {
  const service = await startService(json(200, { a: 1 }));
  const env = { LECTERN_LAUNCH: launchFile(service.origin) };
  const here = await lectern(args, { home: temporaryFolder(), env, input });
  const apart = await binary(args, { home: temporaryFolder(), env, input });
  expect(here).toEqual(apart);
});
