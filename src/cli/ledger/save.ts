import { UsageError, InvalidError } from '../../errors.ts';
import { checkName, isSameName, refuseTaken } from '../arguments/names.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { SAVED_KINDS } from '../saved/kinds.ts';
import { readSecret, savedNow, saveEntry } from '../saved/save.ts';
import { LOCAL, withoutPassword } from '../session/ledger.ts';
import type { LedgerSaveOptions } from './flags.ts';

/** Saves the address of a shared ledger under a name, with its password if one is given. */
export async function runSave(context: Context<LedgerSaveOptions>, name: string): Promise<Result> {
  checkName(name);
  if (isSameName(name, LOCAL)) throw new UsageError(`${LOCAL} is the ledger of this machine`);
  const { force } = context.options;
  const url = await checkedUrl(context.options.url);
  await refuseTaken(await context.ledgers(), 'ledger', name, force);
  const question = 'Password (hidden; empty for none):';
  const password = checkPassword(
    await readSecret(context, 'password', { question, isOptional: true }),
  );
  const entry = { name, url, ...savedNow(context), ...(password !== undefined && { password }) };
  const { item, notes } = await saveEntry(context, SAVED_KINDS.ledger, entry, force);
  return { json: item, notes };
}

async function checkedUrl(given: string | undefined): Promise<string> {
  const hint = 'lectern ledger save NAME --url postgres://user@host/database';
  if (given === undefined) throw new UsageError('the address of the ledger is missing', hint);
  const url = withoutPassword(given);
  const { readAddress } = await import('../../ledger/postgres/address.ts');
  const address = readAddress(url);
  if (!('wrong' in address)) return url;
  throw new UsageError(`--url is not the address of a ledger: ${address.wrong}`, hint);
}

/** One line; unlike a key, a password may contain any characters. An empty one is none. */
function checkPassword(typed: string): string | undefined {
  const password = typed.replace(/\r?\n$/, '');
  if (password === '') return undefined;
  if (!/[\0\r\n]/.test(password)) return password;
  throw new InvalidError('the password contains a line break or a NUL', {
    code: 'ledger.password',
    hint: 'pass only the password, on one line',
  });
}
