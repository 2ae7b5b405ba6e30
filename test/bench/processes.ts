import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Line } from './figure.ts';

/** A file beside these, or above. */
export const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const BINARY = at('../../bin/lectern.js');

/** A process that takes longer hangs; a million grades take minutes. */
const LONGEST_MS = 600_000;

/** The environment of every measured process: NODE_EXTRA_CA_CERTS adds 40 ms to each start of Node 20. */
function cleanEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return { ...rest, ...more };
}

/** Milliseconds from the start of a process to its end. Fails if the process fails or hangs. */
export function wallTime(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
    env: cleanEnvironment(env),
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Number(process.hrtime.bigint() - started) / 1e6);
      else if (signal === 'SIGKILL') reject(new Error(`stood still for ${LONGEST_MS / 1000} s`));
      else reject(new Error(`ended with ${code}`));
    });
  });
}

/** Milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Two things in turn, A B A B …. */
export function line(
  about: Omit<Line, 'pair'>,
  measured: () => Promise<number>,
  base: () => Promise<number>,
): Line {
  return { ...about, pair: async () => [await measured(), await base()] };
}

/**
 * The most memory that a process of Node held at once, in KiB, as the kernel reports at its end. The
 * process's own figure would do, did it not begin with that of the process that starts it.
 */
export async function peakMemory(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  file: string,
): Promise<number> {
  const tell = `import { readFileSync, writeFileSync } from 'node:fs';
    process.on('exit', () => {
      const status = readFileSync('/proc/self/status', 'utf8');
      writeFileSync(process.env.PEAK, /VmHWM:\\s+(\\d+)/.exec(status)[1]);
    });`;
  await wallTime(['--import', `data:text/javascript,${encodeURIComponent(tell)}`, ...args], {
    ...env,
    PEAK: file,
  });
  return Number(readFileSync(file, 'utf8'));
}
