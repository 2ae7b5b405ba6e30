import { UsageError } from '../../errors.ts';
import { isName } from '../arguments/names.ts';
import type { Context } from '../runtime.ts';
import { namesHint } from '../session/ledger.ts';
import { note, printJson } from '../ui.ts';

/** Deletes a saved address and its password; the ledger itself stays. */
export async function runRemove(context: Context, given: string): Promise<void> {
  const store = await context.ledgers();
  const name = isName(given) ? await store.spelling(given) : undefined;
  if (name === undefined) {
    throw new UsageError('no ledger is saved under this name', await namesHint(context, given));
  }
  await store.remove(name);
  const settings = await context.settings();
  const wasCurrent = settings.get('currentLedger') === name;
  if (wasCurrent) await settings.set('currentLedger', undefined);
  if (context.options.json) await printJson<'ledger rm'>(context, { removed: name });
  else {
    const now = wasCurrent ? '; the ledger of this machine is in use now' : '';
    await note(context, `deleted the address of ledger ${name}${now}`);
  }
}
