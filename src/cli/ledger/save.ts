import { UsageError, InvalidError } from '../../errors.ts';
import { checkName, isSameName, refuseTaken } from '../arguments/names.ts';
import { MAX_LAUNCH_BYTES, readInput } from '../input/read.ts';
import type { Context, Runtime } from '../runtime.ts';
import { LOCAL, withoutPassword } from '../session/ledger.ts';
import { canPrompt, note, noteSecretFile, printJson } from '../ui.ts';
import type { LedgerSaveOptions } from './flags.ts';

/** Saves the address of a shared ledger under a name, with its password if one is given. */
export async function runSave(context: Context<LedgerSaveOptions>, given: string): Promise<void> {
  checkName(given);
  if (isSameName(given, LOCAL)) throw new UsageError(`${LOCAL} is the ledger of this machine`);
  const url = await checkedUrl(context.options.url);
  const store = await context.ledgers();
  await refuseTaken(store, 'ledger', given, context.options.force);
  const password = checkPassword(await readPassword(context));
  const saved = { name: given, url, saved: new Date(context.now()).toISOString() };
  const { name, secretFile } = await store.save(
    password === undefined ? saved : { ...saved, password },
  );
  if (context.options.json) await printJson<'ledger save'>(context, { ...saved, name });
  await note(context, `saved ledger ${name}; use it with: lectern ledger use ${name}`);
  await noteSecretFile(context, 'password', secretFile);
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

/** An empty line means none: ~/.pgpass or PGPASSWORD may have it. */
async function readPassword(runtime: Runtime): Promise<string> {
  if (canPrompt(runtime)) {
    return (await runtime.prompts()).secret('Password (hidden; empty for none):');
  }
  if (runtime.stdin.isTerminal) return '';
  const { bytes } = await readInput(runtime, '-', 'the password', MAX_LAUNCH_BYTES);
  return new TextDecoder().decode(bytes);
}

/** One line; unlike a key, a password may contain any characters. */
function checkPassword(typed: string): string | undefined {
  const password = typed.replace(/\r?\n$/, '');
  if (password === '') return undefined;
  if (!/[\0\r\n]/.test(password)) return password;
  throw new InvalidError('the password contains a line break or a NUL', {
    code: 'ledger.password',
    hint: 'pass only the password, on one line',
  });
}
