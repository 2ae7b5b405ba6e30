import { UsageError } from '../../errors.ts';
import { isName, isSameName } from '../arguments/names.ts';
import type { Context } from '../runtime.ts';
import { LOCAL, namesHint } from '../session/ledger.ts';
import { notePrecedence } from '../session/precedence.ts';
import { note, printJson } from '../ui.ts';

/** Chooses the ledger of later commands; `local` is that of this machine. */
export async function runUse(context: Context, name: string): Promise<void> {
  await choose(context, name);
  await notePrecedence(context, 'ledger');
}

async function choose(context: Context, name: string): Promise<void> {
  const settings = await context.settings();
  if (isSameName(name, LOCAL)) {
    await settings.set('currentLedger', undefined);
    if (context.options.json) await printJson<'ledger use'>(context, { name: LOCAL });
    else await note(context, 'now using the ledger of this machine');
    return;
  }
  const saved = isName(name) ? await (await context.ledgers()).find(name) : undefined;
  if (!saved) {
    throw new UsageError('no ledger is saved under this name', await namesHint(context, name));
  }
  await settings.set('currentLedger', saved.name);
  if (context.options.json) await printJson<'ledger use'>(context, saved);
  else await note(context, `now using ledger ${saved.name}: ${saved.url}`);
}
