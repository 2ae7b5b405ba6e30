import type { GradeLedger } from '../../ledger/ledger.ts';
import type { LedgerServer } from '../../ledger/postgres/server.ts';
import { UsageError } from '../../errors.ts';
import { isName, isSameName, unknownName } from '../arguments/names.ts';
import { maskSecrets } from '../../contract/secrets.ts';
import type { Context } from '../runtime.ts';
import type { LedgerAddress } from '../stores.ts';
import { choose } from './precedence.ts';

/** The name of this machine's ledger, where another one is the default. */
export const LOCAL = 'local';

/** The attempts and runs of the selected shared ledger, else of this machine. */
export async function gradeLedger(context: Context): Promise<GradeLedger> {
  const server = await chosenServer(context);
  return server ? server.open() : context.ledger();
}

/** The shared ledger that is used, without connecting to it; undefined for the one of this machine. */
export async function ledgerPlace(context: Context): Promise<string | undefined> {
  return (await chosenServer(context))?.place;
}

/** The server of the selected shared ledger; a usage error if there is none. */
export async function requireServer(context: Context): Promise<LedgerServer> {
  const server = await chosenServer(context);
  if (server) return server;
  throw new UsageError(
    'no shared ledger is in use',
    'pass --ledger postgres://host/database or --ledger NAME, or set LECTERN_LEDGER',
  );
}

function chosenServer(context: Context): Promise<LedgerServer | undefined> {
  return context.ledgerServer(() => chosen(context));
}

/** Undefined for the ledger of this machine. */
async function chosen(context: Context): Promise<LedgerAddress | undefined> {
  const choice = await choose(context, 'ledger');
  if (choice === undefined) return undefined;
  const { value, from } = choice;
  if (from === 'project' && !isName(value)) {
    throw context.project?.refuse('/ledger', NO_ADDRESS, ADDRESS_HINT);
  }
  if (from === 'saved' || !value.includes('://')) return named(context, value);
  if (from === 'variable') return addressOf('LECTERN_LEDGER', value);
  return addressOf('--ledger', withoutPassword(value));
}

const NO_ADDRESS = 'a project file names a saved ledger, never the address of one';
const ADDRESS_HINT =
  '--ledger URL, or save it and name it here: lectern ledger save NAME --url URL';

async function addressOf(what: string, text: string): Promise<LedgerAddress> {
  const { readAddress } = await import('../../ledger/postgres/address.ts');
  const address = readAddress(text);
  if (!('wrong' in address)) return { address, password: undefined };
  const hint =
    'a shared ledger is postgres://user@host:port/database, or a name saved with lectern ledger save';
  throw new UsageError(`${what} is not the address of a ledger: ${address.wrong}`, hint);
}

async function named(context: Context, name: string): Promise<LedgerAddress | undefined> {
  if (isSameName(name, LOCAL)) return undefined;
  const store = await context.ledgers();
  const saved = isName(name) ? await store.get(name) : undefined;
  if (saved) {
    const { address } = await addressOf(`ledger ${name}`, saved.url);
    return { address, password: saved.password };
  }
  const { ledger: source } = context.sources;
  throw await unknownName(store, 'ledger', name, source && ` (in ${source})`);
}

/** Refuses an address with a password: other programs and the history of the shell see arguments. */
export function withoutPassword(url: string): string {
  if (!/:\/\/[^@]*:.*@/s.test(url) && maskSecrets(url) === url) return url;
  throw new UsageError(
    'a password is not accepted as an argument: other programs and the shell history can see it',
    'leave it out, and use lectern ledger save, ~/.pgpass, PGPASSWORD or LECTERN_LEDGER for it',
  );
}
