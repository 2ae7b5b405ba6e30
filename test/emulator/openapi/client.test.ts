import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openapi } from '../../../src/emulator/openapi/index.ts';
import { startEmulator } from '../../support/emulator.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
let folder: string;

beforeAll(() => {
  // Below node_modules, so that the client finds its package.
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'lectern-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A client with the types that openapi-typescript generates from both documents. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths as Service } from './service.d.ts';
import type { paths as Control } from './control.d.ts';

export async function drive(baseUrl: string, controlToken: string) {
  const as = (token: string) => ({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
  const control = createClient<Control>(as(controlToken));
  const launched = await control.POST('/_emulator/launch', { body: { role: 'student' } });
  if (!launched.data) throw new Error(launched.error.error.message);
  const { claims, course_page } = launched.data;
  const service = createClient<Service>(as((claims.api as { token: string }).token));
  const row = {
    params: {
      path: { member: (claims.user as { member: string }).member },
      query: { tool: launched.data.tool, of: 'me&you' as const },
    },
  };
  const put = await service.PUT('/data/v1/members%2F{member}/row', { ...row, body: { theme: 'dark' } });
  const patched = await service.PATCH('/data/v1/members%2F{member}/row', {
    ...row,
    body: { patch: [{ op: 'add', path: '/size', value: 2 }] },
  });
  const read = await service.GET('/data/v1/members%2F{member}/row', row);
  const files = '/data/v1/members%2F{member}/of%3A{tool}/files';
  const at = { params: { path: { ...row.params.path, tool: launched.data.tool } } };
  const listed = await service.GET(files, at);
  const keyed = { params: { path: { ...at.params.path, key: 'notes.txt' } } };
  const declared = await service.PUT(\`\${files}/{key}\`, { ...keyed, body: { size: 5 } });
  const absent = await service.GET(\`\${files}/{key}\`, keyed);
  const graded = await service.POST(
    '/contexts/{course}/tools/{tool}/placements/{location}/members/{member}/scores',
    {
      params: {
        path: {
          course: claims.context as string,
          tool: launched.data.tool,
          location: (claims.location as { id: string }).id,
          member: row.params.path.member,
        },
        query: { as: 'attempt/new' },
      },
      body: { score: 0.5, activity_progress: 'Submitted' },
    },
  );
  const clock = await control.POST('/_emulator/clock', { body: { advance_seconds: 60 } });
  const refused = await control.POST('/_emulator/lms', { body: { scope: 'score', slow_ms: -1 } });
  const offset: number = Math.round((clock.data?.offset_ms ?? 0) / 1000);
  const status: 'success' | 'failed' | undefined = graded.data?.status;
  const code: string | undefined = absent.error?.error.code;
  return {
    statuses: [put, patched, read, listed, declared, absent, graded, clock, refused].map(
      ({ response }) => response.status,
    ),
    row: read.data,
    fields: Object.keys(declared.data?.fields ?? {}),
    course_page,
    offset,
    status,
    code,
    refused: refused.error?.error.message,
  };
}
`;

/** Calls of the client that its types refuse, each in a line of its own. */
const WRONG = `
import createClient from 'openapi-fetch';
import type { paths as Control } from './control.d.ts';
const control = createClient<Control>({});
void control.GET('/_emulator/nothing');
void control.POST('/_emulator/lms', { body: { scope: 'grade' } });
void control.POST('/_emulator/adopt', { body: { course: 'biology-101' } });
`;

interface Driven {
  readonly drive: (url: string, token: string) => Promise<Readonly<Record<string, unknown>>>;
}

test('a client that openapi-typescript makes drives the service and the control API', async () => {
  for (const part of ['service', 'control'] as const) {
    const document = JSON.stringify(openapi(part));
    const made = await run('node', [join(import.meta.dirname, 'make-types.js')], document);
    expect(made.stderr).toBe('');
    writeFileSync(join(folder, `${part}.d.ts`), made.stdout);
  }
  writeFileSync(join(folder, 'client.ts'), CLIENT);
  writeFileSync(join(folder, 'wrong.ts'), WRONG);
  const built = await compile('client.ts');
  expect(built.stdout).toBe('');
  const { url, token } = await startEmulator();
  const client = (await import(pathToFileURL(join(folder, 'client.js')).href)) as Driven;
  const driven = await client.drive(url, token);
  expect(driven).toMatchObject({
    statuses: [204, 204, 200, 200, 200, 404, 200, 200, 422],
    row: { theme: 'dark', size: 2 },
    course_page: expect.stringContaining(`${url}/_emulator/course/`),
    offset: 60,
    status: 'success',
    code: 'file.not_found',
    refused: expect.stringContaining('slow_ms'),
  });
  expect(driven.fields).toContain('policy');

  const refused = await compile('wrong.ts');
  const lines = [...refused.stdout.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([5, 6, 7]);
});

/** Checks a file of the folder and what it imports, and writes the JavaScript beside it. */
function compile(file: string) {
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--ignoreConfig'];
  const more = ['--skipLibCheck', '--rewriteRelativeImportExtensions', '--pretty', 'false'];
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, ...options, ...more, join(folder, file)]);
}

function run(command: string, args: readonly string[], input = '') {
  return new Promise<{ stdout: string; stderr: string }>((done) => {
    const options = { cwd: ROOT, maxBuffer: 64 << 20 };
    const child = execFile(command, [...args], options, (_, stdout, stderr) =>
      done({ stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}
