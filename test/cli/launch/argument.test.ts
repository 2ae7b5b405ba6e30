import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { launchFor, startService } from '../../support/service.ts';

test('a launch file may have any name', async () => {
  const service = await startService((_, response) => void response.end('{}'));
  const folder = temporaryFolder();
  for (const name of ['my-launch.staging-eu.json', '0123456789abcdef0123456789abcdef', 'spa ce']) {
    writeFileSync(join(folder, name), JSON.stringify(launchFor(service.origin)));
    const result = await lectern(['storage', 'get', 'member', '-l', name], { cwd: folder });
    expect([name, result.exit, result.stderr]).toEqual([name, 0, '']);
  }
});
