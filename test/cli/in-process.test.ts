import { expect, test } from 'vitest';
import { lecternHere } from '../support/in-process.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { json, launchFile, startService } from '../support/service.ts';

test.each<[string, string[], string]>([
  ['a read', ['storage', 'get', 'member'], ''],
  ['a usage error', ['storage', 'gte'], ''],
  ['input that is refused', ['validate', 'row', '-', '--json'], '[1]'],
  ['help', ['grade', '--help'], ''],
])('in this process %s is what it is in one of its own', async (_, args, input) => {
  const service = await startService(json(200, { a: 1 }));
  const env = { LECTERN_LAUNCH: launchFile(service.origin) };
  const here = await lecternHere(args, { home: temporaryFolder(), env, input });
  const { signal, ...apart } = await lectern(args, { home: temporaryFolder(), env, input });
  expect(here).toEqual(apart);
  expect(signal).toBeNull();
});
