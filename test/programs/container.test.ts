import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { start } from '../cli/emulator/running.ts';
import { binary, startBinary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';

/*
 * What docs/examples/Dockerfile runs, with the flags of compose.yaml, where there is no Docker: in a
 * network of its own with an address that is not loopback, as a user who is not root.
 */

const dockerfile = readFileSync('docs/examples/Dockerfile', 'utf8');
const compose = readFileSync('docs/examples/compose.yaml', 'utf8');

/** The words of an instruction in its JSON form. */
function wordsOf(instruction: 'CMD' | 'ENTRYPOINT'): string[] {
  const [, words = '[]'] = new RegExp(`^ *${instruction} (\\[.*\\])$`, 'm').exec(dockerfile) ?? [];
  return JSON.parse(words) as string[];
}

const ADDRESS = '10.77.0.2';
const NETWORK = `ip link set lo up && ip addr add ${ADDRESS}/24 dev lo && exec "$@"`;
const OWN_NETWORK = ['unshare', '-n', 'sh', '-c', NETWORK, 'sh'];
const NOT_ROOT = ['unshare', '-U', '--map-user=1000', '--map-group=1000'];

function canUnshare(): boolean {
  const [program = '', ...args] = [...OWN_NETWORK, ...NOT_ROOT, 'true'];
  return process.platform === 'linux' && spawnSync(program, args).status === 0;
}

/** Runs a program to its end in the network of a process. */
function inNetworkOf(
  pid: number,
  words: readonly string[],
): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('nsenter', ['-t', `${pid}`, '-n', ...words], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

test.skipIf(!canUnshare())(
  'the emulator of the image becomes healthy, and another container can call it with its token',
  async () => {
    const home = temporaryFolder();
    const env = { LECTERN_EMULATOR_TOKEN: 'token-of-the-team', TMPDIR: temporaryFolder() };
    const [lectern, , , ...flags] = wordsOf('ENTRYPOINT');
    const given = compose.match(/--public-\S+/g) ?? [];
    expect([lectern, given]).toEqual(['lectern', expect.arrayContaining([expect.anything()])]);
    const { ready, pid, kill, ended } = await start(
      [...flags, ...given],
      { home, env },
      (args, more) => startBinary(args, { ...more, wrapper: [...OWN_NETWORK, ...NOT_ROOT] }),
    );
    expect(ready).toMatchObject({
      base_url: 'http://emulator:8080',
      blob_url: 'http://emulator:8081',
      url: 'http://127.0.0.1:8080',
    });

    expect(inNetworkOf(pid, wordsOf('CMD')).status).toBe(0);
    const asked = (url: string, ...more: string[]): number => {
      const format = ['-s', '-o', '/dev/null', '-w', '%{http_code}'];
      return Number(inNetworkOf(pid, ['curl', ...format, ...more, url]).text);
    };
    const there = `http://${ADDRESS}:8080`;
    const bearer = ['-H', `Authorization: Bearer ${env.LECTERN_EMULATOR_TOKEN}`];
    expect(asked(`${there}/_emulator/ready`)).toBe(200);
    expect(asked(`${there}/_emulator/world`)).toBe(401);
    expect(asked(`${there}/_emulator/world`, ...bearer)).toBe(200);

    const launched = await binary(['emulator', 'launch'], {
      wrapper: ['nsenter', '-t', `${pid}`, '-n'],
      env: { ...env, LECTERN_EMULATOR: there },
    });
    expect(JSON.parse(launched.stdout)).toMatchObject({ iss: 'http://emulator:8080' });

    kill('SIGTERM');
    const { exit, stdout, stderr } = await ended;
    expect(exit).toBe(0);
    expect(stdout + stderr).not.toContain(env.LECTERN_EMULATOR_TOKEN);
  },
);

test.skipIf(!canUnshare())(
  'a current folder that the user cannot read has no project file',
  async () => {
    const cwd = temporaryFolder();
    const closed = 'mkdir closed && cd closed && chmod 0 . && exec "$@"';
    const wrapper = [...NOT_ROOT, 'sh', '-c', closed, 'sh'];
    const { exit, stderr } = await binary(['launch', 'list'], { cwd, wrapper });
    expect([exit, stderr]).toEqual([0, expect.stringContaining('no saved launches')]);
  },
);

test('the image does not run as root, and opens the ports that it listens on', () => {
  const flags = wordsOf('ENTRYPOINT');
  const ports = ['--port', '--blob-port', '--tool-port'].map(
    (flag) => flags[flags.indexOf(flag) + 1],
  );
  expect(dockerfile).toContain(`\nEXPOSE ${ports.join(' ')}\n`);
  expect(dockerfile.indexOf('\nUSER node\n')).toBeLessThan(dockerfile.indexOf('\nENTRYPOINT'));
  expect(dockerfile).toContain('FROM node:24-alpine\n');
  expect(compose).toContain(`127.0.0.1:${ports[0]}-${ports[2]}:${ports[0]}-${ports[2]}`);
});
