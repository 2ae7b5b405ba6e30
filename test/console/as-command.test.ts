import { expect, test } from 'vitest';
import { asLectern } from '../../src/console/parts/as-command.ts';

const BASE = 'http://127.0.0.1:8080';
const at = (path: string): string => `${BASE}${path}`;

// The addresses of a launch are opaque: those of --vary, and of a service behind `lectern observe`.
test.each<[method: string, about: string | null, path: string, command: string]>([
  ['GET', 'member row', '/v1/tools/a/row', `lectern storage get ${at('/v1/tools/a/row')}`],
  ['GET', 'context files', '/s/files?of=a/b', `lectern files ls '${at('/s/files?of=a/b')}'`],
  ['GET', 'member file', '/s/f/a%20b?of=a/b', `lectern files stat '${at('/s/f?of=a/b')}' 'a b'`],
  ['DELETE', 'member file', '/files/a/x', `lectern files rm ${at('/files/a')} x --yes`],
  ['PUT', 'location provision', '/p', `lectern provision location --url ${at('/p')}`],
  ['POST', 'grade', '/g', `lectern grade submit --url ${at('/g')} --score SCORE`],
  ['GET', 'grade', '/contexts/c/scores', ''],
  ['DELETE', 'member row', '/data/v1/row', ''],
  ['GET', null, '/apps/me', ''],
])('%s of a %s at %s is a command of its method', (method, about, path, command) => {
  const request = { method, about, path, captured: null };
  expect(asLectern(request as Parameters<typeof asLectern>[0], BASE)).toBe(command);
});
