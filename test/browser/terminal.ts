import type { LaunchRequest } from '../../src/emulator/index.ts';
import { launchOf } from '../emulator/subject.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { inShell } from '../support/shell.ts';
import { heading } from './console.ts';
import { emulated, sharedContext } from './support.ts';

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
    /** Runs a command as it is shown, in this process. */
    here: (command: string): Promise<string> => inShell(command, { home, cwd: folder }),
    /** What the emulator answers to a query. */
    ask: control,
    launch: async (wish: LaunchRequest = {}) => launchOf((await control('launch', wish)).claims),
  };
}
