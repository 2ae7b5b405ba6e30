import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor, startService } from '../support/service.ts';

/** A service with a row, and a folder with `launch.json` for it and the `row.json` to replace it. */
export async function rowToReplace() {
  const service = await startService(({ method }, response) => {
    if (method === 'PUT') response.writeHead(204).end();
    else response.end('{"old":1}');
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'launch.json'), JSON.stringify(launchFor(service.origin)));
  writeFileSync(join(folder, 'row.json'), '{"new":2}');
  return { folder, methods: () => service.requests.map(({ method }) => method) };
}
