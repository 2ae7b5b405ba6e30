import {
  bool,
  count,
  described,
  document,
  instant,
  type JsonForms,
  list,
  nullable,
  object,
  oneOf,
  text,
} from './form.ts';
import { isCurrent, removed } from './shared.ts';

const ledger = described(text, 'the address, without user and password');
const version = described(count, 'of the schema');
const saved = { name: text, url: text, saved: instant };

export const LEDGER_FORMS: JsonForms = {
  'ledger init': [
    document(
      'the schema, and the SQL of the roles',
      object({ ledger, schema_version: version, created: bool, sql: text }),
    ),
  ],
  'ledger migrate': [
    document('the schema', object({ ledger, before: version, schema_version: version })),
  ],
  'ledger status': [
    document(
      'how it stands',
      object({
        ledger,
        schema_version: version,
        server_version: text,
        tls: described(nullable(text), 'the version of TLS; null without'),
        login: text,
        role: oneOf('owner', 'worker', 'reader'),
        runs: count,
        open_runs: count,
        attempts: count,
        in_doubt: count,
        workers: list(object({ run: count, worker: count, who: text, host: text, sent: count })),
        replication: object({
          standbys: list(object({ name: nullable(text), sync: nullable(text) })),
          synchronous: bool,
        }),
        outbox: described(count, 'responses on this machine that the server has not taken yet'),
        warnings: list(text),
      }),
    ),
  ],
  'ledger save': [document('the address', object(saved))],
  'ledger use': [
    document('the ledger in use', object({ name: text, 'url?': text, 'saved?': text })),
  ],
  'ledger list': [document('the addresses', list(object({ ...saved, current: isCurrent })))],
  'ledger rm': [document('the name', removed)],
  'ledger prune': [
    document('what was removed', object({ dry_run: bool, runs: count, attempts: count })),
  ],
  'ledger import': [
    document(
      'what was imported',
      object({ ledger, attempts: count, runs: list(object({ local: count, run: count })) }),
    ),
  ],
};
