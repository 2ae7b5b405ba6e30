import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Line, Pair } from './figure.ts';
import { requestsPerSecond, type Shot } from './load.ts';
import type { Bench } from './main.ts';
import { at, BINARY } from './processes.ts';

const PAIRS = 21;
const ROUND_MS = 400;
const WARM_UP_MS = 1500;

const ROWS = Array.from('abcdefgh', (letter) => JSON.stringify({ text: letter.repeat(1000) }));
const GRADE = JSON.stringify({ score: 0.85 });

/** How fast the emulator answers, with all that it checks and keeps, beside a bare node:http handler. */
export const emulator: Bench = async (lines, folder) => {
  const args = [BINARY, 'emulator', 'start', '--json', '--data', join(folder, 'data')];
  const [served, bare] = await Promise.all([
    start(args, folder),
    start([at('bare-server.js')], folder),
  ]);
  try {
    const claims = await launch(served.url, folder);
    const { token } = claims.api;
    const { member } = claims.storage;
    const compare = (name: string, goal: number, shot: Shot): Line => {
      const base = { ...shot, url: bare.url };
      return { name, goal: { atLeast: goal }, pairs: PAIRS, pair: pairOf(shot, base) };
    };
    const put = { method: 'PUT', url: member, token, bodies: ROWS };
    await requestsPerSecond(put, 1);
    await lines([
      compare('emulator: GET of a row / bare node:http, 64 connections', 0.25, {
        method: 'GET',
        url: member,
        token,
      }),
      compare('emulator: durable PUT of 1 KB / bare node:http', 0.2, put),
      compare('emulator: durable grade POST / bare node:http', 0.2, {
        method: 'POST',
        url: claims.grade.submit,
        token,
        bodies: [GRADE],
      }),
    ]);
  } finally {
    for (const { child } of [served, bare]) child.kill();
  }
};

/** Its first pair warms both up. */
function pairOf(measured: Shot, base: Shot): () => Promise<Pair> {
  let ms = WARM_UP_MS;
  return async () => {
    const rates = [
      await requestsPerSecond(measured, ms),
      await requestsPerSecond(base, ms),
    ] as const;
    ms = ROUND_MS;
    return rates;
  };
}

/** Starts a server in a process of its own; it prints its address in one line of JSON. */
export async function start(
  args: readonly string[],
  home: string,
): Promise<{ child: ChildProcess; url: string }> {
  const env = { ...process.env, LECTERN_HOME: home };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

export interface Claims {
  readonly api: { readonly token: string };
  readonly storage: { readonly member: string };
  readonly grade: { readonly submit: string };
}

/** The token of the control side of an emulator that was started under a home. */
export function controlToken(url: string, home: string): string {
  const record = readFileSync(join(home, 'emulators', `${new URL(url).port}.json`), 'utf8');
  return (JSON.parse(record) as { control_token: string }).control_token;
}

/** Calls an operation of the control side; its answer. */
export async function operate<Answer>(
  url: string,
  home: string,
  operation: string,
  body: object,
): Promise<Answer> {
  const authorization = `Bearer ${controlToken(url, home)}`;
  const response = await fetch(`${url}/_emulator/${operation}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

export async function launch(url: string, home: string, wish: object = {}): Promise<Claims> {
  return (await operate<{ claims: Claims }>(url, home, 'launch', wish)).claims;
}
