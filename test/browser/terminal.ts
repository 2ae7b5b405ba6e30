import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import type { LaunchRequest } from '../../src/emulator/index.ts';
import { launchOf } from '../emulator/subject.ts';
import { folderOfBinary } from '../support/binary.ts';
import { environment, lectern, temporaryFolder } from '../support/lectern.ts';
import { heading } from './console.ts';
import { emulated, sharedContext } from './support.ts';

const run = promisify(execFile);

/** The console of an emulator of its own, and a shell in which its commands run. */
export async function openTerminal() {
  const emulator = await emulated();
  const { url, home, control } = emulator;
  const folder = temporaryFolder();
  const context = await sharedContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const at = `${url}/_emulator/console/`;
  const { code } = (await control('console/code', {})) as unknown as { code: string };
  await page.goto(`${at}#code=${code}`);
  await heading(page).filter({ hasText: 'Overview' }).waitFor();
  const PATH = [folderOfBinary(), process.env.PATH].join(delimiter);
  return {
    emulator,
    page,
    folder,
    go: async (path: string): Promise<void> => {
      await page.goto(at + path);
      await page.locator('main .command').first().waitFor({ state: 'attached' });
    },
    /** The commands that the page shows that have a word in them. */
    shown: async (word = ''): Promise<string[]> => {
      const commands = await page.locator('main .commands code').allTextContents();
      return commands.filter((each) => each.includes(word));
    },
    /** Runs a command as it is shown, in this process: read by a shell, each lectern in it called here. */
    here: async (command: string): Promise<string> => {
      const calls = `lectern() { printf '%s\\0' "$#" "$@"; }; ${command}`;
      const words = (await run('sh', ['-c', calls])).stdout.split('\0').slice(0, -1);
      const outputs: string[] = [];
      while (words.length > 0) {
        const call = words.splice(0, Number(words.shift()));
        const { exit, stdout, stderr } = await lectern(call, { home, cwd: folder });
        if (exit !== 0) throw new Error(`${command}: ${stderr}`);
        outputs.push(stdout);
      }
      return outputs.join('');
    },
    /** Runs a command as it is shown, with the built binary; fails where it does. */
    shell: async (command: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
      const options = { cwd: folder, env: environment({ home, env: { PATH, ...env } }) };
      return (await run('sh', ['-c', command], options)).stdout;
    },
    /** What the emulator answers to a query. */
    ask: control,
    launch: async (wish: LaunchRequest = {}) => launchOf((await control('launch', wish)).claims),
  };
}
