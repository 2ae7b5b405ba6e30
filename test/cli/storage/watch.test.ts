import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { rowService } from './row-service.ts';

const ARGS = ['storage', 'watch', 'context', '--interval', '0.1'];

test('storage watch --json prints a line for each change, and exits with 130', async () => {
  const rows = await rowService({ context: '{"a":1.10}' });
  const watch = start([...ARGS, '--json'], { home: rows.home, env: rows.environment });
  const lines = createInterface(watch.stdout)[Symbol.asyncIterator]();
  const seen = async (): Promise<string> => (await lines.next()).value as string;
  await rows.read();
  rows.set('context', '{"a":9007199254740993}');
  const first = await seen();
  expect(first).toContain('"patch":[{"op":"replace","path":"/a","value":9007199254740993}]');
  expect(JSON.parse(first)).toMatchObject({ row: 'context', bytes: 22 });
  rows.set('context', '{ "a": 9007199254740993 }');
  await rows.read();
  rows.fault((_, response) => {
    response.writeHead(503).end();
    return true;
  });
  await rows.read();
  rows.fault(() => false);
  rows.set('context', '{"a":1,"a":2}');
  expect(JSON.parse(await seen())).toMatchObject({ patch: [{ op: 'replace', path: '' }] });
  await rows.step('storage watch context --interval 0 # exit 2');
  watch.kill('SIGINT');
  expect((await watch.ended).exit).toBe(130);
});

test('storage watch prints that it keeps the token alive, and ends when the token ends', async () => {
  const rows = await rowService({ context: '{"a":1}' });
  const screen = rows.screen(ARGS.join(' '));
  await screen.shows('each call restarts the idle time');
  rows.set('context', '{"a":1,"b":[]}');
  await screen.shows('{"op":"add","path":"/b","value":[]}');
  rows.fault((_, response) => {
    response.writeHead(401).end();
    return true;
  });
  expect(await screen.exit).toBe(4);
});
