import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Figure, medianRatio } from './figure.ts';

const PAIRS = 21;

/** The environment of every measured process: NODE_EXTRA_CA_CERTS adds 40 ms to each start of Node 20. */
function cleanEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return { ...rest, ...more };
}

/** Milliseconds from the start of a process to its end. Fails where the process does. */
export function wallTime(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: cleanEnvironment(env) });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Number(process.hrtime.bigint() - started) / 1e6);
      else reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

/** Times two command lines of Node in turn. */
export function compareProcesses(
  name: string,
  goal: Figure['goal'],
  measured: readonly string[],
  base: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Figure> {
  return comparePairs(
    { name, goal, pairs: PAIRS },
    () => wallTime(measured, env),
    () => wallTime(base, env),
  );
}

/** Measures two things in turn, A B A B …, after one of each that is not counted. */
export async function comparePairs(
  figure: Omit<Figure, 'ratio'>,
  measured: () => Promise<number>,
  base: () => Promise<number>,
): Promise<Figure> {
  const pairs: [number, number][] = [];
  for (let round = 0; round <= figure.pairs; round += 1) {
    const pair: [number, number] = [await measured(), await base()];
    if (round > 0) pairs.push(pair);
  }
  return { ...figure, ratio: medianRatio(pairs) };
}

/**
 * The most memory that a process of Node held at once, in KiB, as the kernel tells at its end. The
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
