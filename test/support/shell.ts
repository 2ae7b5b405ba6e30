import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type HereOptions, lectern } from './lectern.ts';

const run = promisify(execFile);

/**
 * Runs a command as a shell reads it, and returns what is printed: each `lectern` in it is called in
 * this process, with what is piped into it.
 */
export async function inShell(command: string, options: HereOptions = {}): Promise<string> {
  const calls = `lectern() { printf '%s\\0' "$#" "$@"; cat; printf '\\0'; }; { ${command}; } < /dev/null`;
  const words = (await run('sh', ['-c', calls])).stdout.split('\0').slice(0, -1);
  const outputs: string[] = [];
  while (words.length > 0) {
    const call = words.splice(0, Number(words.shift()));
    const input = words.shift() ?? '';
    const { exit, stdout, stderr } = await lectern(call, { ...options, input });
    if (exit !== 0) throw new Error(`${command}: ${stderr}`);
    outputs.push(stdout);
  }
  return outputs.join('');
}
