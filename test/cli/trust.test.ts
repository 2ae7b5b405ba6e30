/** The table of docs/security.md: what material of somebody else never causes. */
import { DatabaseSync } from '@photostructure/sqlite';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { answerJson, json, launchFor, type Service, startService } from '../support/service.ts';
import { linesIn } from '../support/steps.ts';
import { start } from './emulator/running.ts';

/** In the file outside of the project, and in every secret of the user. */
const PRIVATE = 'PRIVATE-CANARY';
const SECRET = 'SECRET-CANARY';

interface World {
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  readonly ran: string;
  /** Where nothing may be sent. */
  readonly elsewhere: Service;
  readonly env: Readonly<Record<string, string>>;
  readonly printed: string[];
}

async function worldOf(): Promise<World> {
  const base = temporaryFolder();
  const [project, outside, home] = ['project', 'outside', 'home'].map((each) =>
    join(base, each),
  ) as [string, string, string];
  for (const each of [project, outside, home]) mkdirSync(each);
  writeFileSync(join(outside, 'private.txt'), PRIVATE);
  const ran = join(base, 'ran');
  const program = join(base, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  const env = {
    ...Object.fromEntries(['VISUAL', 'EDITOR', 'PAGER', 'BROWSER'].map((name) => [name, program])),
    PGPASSWORD: SECRET,
    LECTERN_TOKEN: SECRET,
    LECTERN_API_KEY: SECRET,
  };
  const elsewhere = await startService(json(200, {}));
  return { project, outside, home, ran, elsewhere, env, printed: [] };
}

type Effect = (world: World) => void;

/** What must be so after hostile material was used, by the column of the table. */
const NEVER: Readonly<Record<string, Effect>> = {
  'reads a file': ({ printed, elsewhere }) =>
    expect(printed.join('') + sentTo(elsewhere)).not.toContain(PRIVATE),
  'writes a file': ({ outside }) => expect(readdirSync(outside)).toEqual(['private.txt']),
  deletes: ({ outside }) =>
    expect(readFileSync(join(outside, 'private.txt'), 'utf8')).toBe(PRIVATE),
  'sends a secret': ({ elsewhere }) => expect(sentTo(elsewhere)).not.toContain(SECRET),
  'runs a program': ({ ran }) => expect(existsSync(ran)).toBe(false),
};

function sentTo({ requests }: Service): string {
  return requests
    .map(({ target, headers, body }) => target + JSON.stringify(headers) + body)
    .join();
}

/** Runs command lines, all of which end with `exit` where one is given. */
async function run(
  { home, project: cwd, env, printed }: World,
  lines: string,
  { exit, ...more }: { readonly exit?: number; readonly env?: Record<string, string> } = {},
): Promise<void> {
  for (const line of linesIn(lines)) {
    const given = { home, cwd, env: { ...env, ...more.env } };
    const { exit: ended, stdout, stderr } = await lectern(line.split(' '), given);
    printed.push(stdout, stderr);
    if (exit !== undefined) expect([line, ended]).toEqual([line, exit]);
  }
}

/** Claims of a service whose addresses lead to another origin, or to a file. */
function hostileClaims({ elsewhere, outside }: World, origin: string) {
  const away = `${elsewhere.origin}/contexts/c/members/m/x`;
  const rows = {
    context: away,
    location: `${elsewhere.origin}/../x`,
    member: `file://${outside}/private.txt`,
  };
  return {
    ...launchFor(origin),
    user: { member: '../../outside/private.txt' },
    storage: rows,
    files: rows,
    grade: { submit: away },
  };
}

/** Uses hostile material of a row of the table. */
const MATERIAL: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'a project file': async (world) => {
    const { project, elsewhere } = world;
    const claims = { ...launchFor(elsewhere.origin), iss: 'http://service.example' };
    writeFileSync(join(project, 'launch.json'), JSON.stringify(claims));
    for (const [settings, line] of [
      [{ launch: 'launch.json' }, 'storage get context'],
      [{ launch: 'launch.json' }, 'grade submit --score 0.5 --member m'],
      [{ launch: '../outside/private.txt' }, 'storage get context'],
      [{ ledger: `postgres://127.0.0.1:${elsewhere.port}/x` }, 'grade runs'],
      [{ emulator: { seed: '../outside/private.txt' } }, 'emulator exec -- true'],
      [{ emulator: { data: '../outside' } }, 'emulator start'],
      [{ emulator: { tools: { a: '../outside' } } }, 'emulator exec -- true'],
    ] as const) {
      writeFileSync(join(project, 'lectern.json'), JSON.stringify(settings));
      const own = line.startsWith('grade') ? {} : { LECTERN_API_KEY: '' };
      await run(world, line, { exit: 3, env: own });
    }
  },

  'a launch': async (world) => {
    const service = await startService(json(200, {}));
    const claims = hostileClaims(world, service.origin);
    writeFileSync(join(world.project, 'launch.json'), JSON.stringify(claims));
    const lines = `
      launch decode launch.json
      launch save x launch.json
      launch check x
      storage get context -l x
      storage get member -l x
      storage put location launch.json --yes -l x
      files download member --all --to . -l x
      grade submit --score 0.5 -l x`;
    await run(world, lines);
  },

  'an answer of a service': async (world) => {
    const { project, elsewhere } = world;
    const url = `${elsewhere.origin}/private.txt`;
    const service = await startService(({ target }, response) => {
      const keys = ['../outside/new.txt', '..', 'ok.txt'];
      const items = keys.map((key) => ({ key, size: 2, modified: 1 }));
      if (/files[^/]*$/.test(target)) return answerJson(response, 200, items);
      if (target.includes('ok.txt')) {
        const record = { key: '../outside/new.txt', size: 2, modified: 1, content_type: 'x' };
        return answerJson(response, 200, { ...record, url, expires: 9e12, fields: {} });
      }
      response.writeHead(307, { location: `${elsewhere.origin}/`, link: 'file:///' }).end();
    });
    const addresses = { member: `${service.origin}/files`, context: `${service.origin}/row` };
    const claims = { ...launchFor(service.origin), storage: addresses, files: addresses };
    writeFileSync(join(project, 'launch.json'), JSON.stringify(claims));
    const lines = `
      storage get context -l launch.json
      storage put context launch.json --yes -l launch.json
      files ls member -l launch.json
      files download member --all --to in -l launch.json
      files download member ok.txt --to in -l launch.json
      files sync member in --yes -l launch.json
      grade submit --score 0.5 --member m -l launch.json`;
    await run(world, lines);
  },

  'a file that is given': async (world) => {
    const { project, outside, ran, elsewhere } = world;
    const hostile = [`$(touch ${ran})`, `=cmd|'touch ${ran}'!A0`, `@${outside}/private.txt`];
    const records = hostile.map((each) => `"${each}",0.5`).join('\n');
    writeFileSync(join(project, 'grades.csv'), `member,score\n${records}\n`);
    const value = { $ref: `${outside}/private.txt`, url: elsewhere.origin };
    writeFileSync(join(project, 'any.json'), JSON.stringify(value));
    const kinds = ['row', 'patch', 'seed', 'locations', 'launch'];
    const grades = 'http://127.0.0.1:1/contexts/c/members/{member}/x';
    const lines = `
      validate grades grades.csv
      grade submit --from grades.csv --dry-run --url ${grades}
      ${kinds.map((kind) => `validate ${kind} any.json`).join('\n')}
      emulator exec --seed any.json -- true`;
    await run(world, lines);
  },

  'an export of an emulator': async (world) => {
    const { project, home } = world;
    const data = join(project, 'data');
    await start(['--data', data], { home });
    const env = { LECTERN_TOKEN: '', LECTERN_API_KEY: '', LECTERN_LAUNCH: 'x' };
    writeFileSync(join(project, 'kept.txt'), 'kept');
    const made = `
      emulator launch --role student --save x
      files upload member kept.txt
      emulator export state.db`;
    await run(world, made, { env, exit: 0 });
    const database = new DatabaseSync(join(project, 'state.db'));
    database.exec("UPDATE files SET key = '../../../outside/private.txt'");
    database.close();
    await run(world, 'emulator import state.db --yes', { env, exit: 3 });
    const used = `
      emulator state
      files download member --all --to in
      files rm member ../../../outside/private.txt --yes`;
    await run(world, used, { env });
  },

  'a ledger of somebody else': async (world) => {
    const { project, elsewhere } = world;
    const stopping = await startService(json(401, {}));
    const theirs = { ...world, home: temporaryFolder(), env: { LECTERN_API_KEY: 'theirs' } };
    writeFileSync(
      join(project, 'grades.csv'),
      'member,score\n../../outside/private.txt,0.5\nm,1\n',
    );
    const url = `${stopping.origin}/contexts/c/members/{member}/grade`;
    await run(theirs, `grade submit --from grades.csv --yes --url ${url}`);
    cpSync(theirs.home, world.home, { recursive: true });
    const before = stopping.requests.length;
    await run(world, 'grade runs\ngrade report 1\ngrade log\ngrade resume 1');
    expect([stopping.requests.length, elsewhere.requests]).toEqual([before, []]);
  },
};

/** The cells of the table that say "never", by material. */
const CELLS = (() => {
  const table = readFileSync('docs/security.md', 'utf8').match(/^\|.*$/gm) ?? [];
  const [head = [], , ...rows] = table.map((line) => line.split(/ *\| */).slice(1, -1));
  return rows.map(([material = '', ...cells]) => ({
    material,
    effects: head.slice(1).filter((_, index) => cells[index]?.startsWith('never')),
  }));
})();

describe('material of somebody else', () => {
  test('is all of the table of docs/security.md', () => {
    expect(CELLS.map(({ material }) => material)).toEqual(Object.keys(MATERIAL));
  });

  test.each(CELLS)('$material: never $effects', async ({ material, effects }) => {
    const world = await worldOf();
    await MATERIAL[material]?.(world);
    expect(effects.length).toBeGreaterThan(1);
    for (const effect of effects) NEVER[effect]?.(world);
  });
});
