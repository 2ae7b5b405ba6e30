import * as s from '../../schema/schema.ts';
import {
  itemSchema,
  document,
  type JsonForms,
  list,
  listIn,
  removed,
  documentOf,
} from './forms.ts';
import { WORKERS } from './grade-run.ts';
import { SAVED_LEDGERS } from './saved.ts';

const ledger = s.described(s.text, 'the address, without user and password');
const version = s.described(s.count, 'of the schema');
const saved = itemSchema(SAVED_LEDGERS);

export const LEDGER_FORMS = {
  'ledger init': documentOf('the schema, and the SQL of the roles', {
    ledger,
    schema_version: version,
    created: s.bool,
    sql: s.text,
  }),
  'ledger migrate': documentOf('the schema', { ledger, before: version, schema_version: version }),
  'ledger status': listIn('workers', 'the status of the ledger', {
    ledger,
    schema_version: version,
    server_version: s.text,
    tls: s.described(s.nullable(s.text), 'the version of TLS; null without'),
    login: s.text,
    role: s.oneOf('owner', 'worker', 'reader'),
    ...s.counts('runs', 'open_runs', 'attempts', 'in_doubt'),
    workers: s.list(itemSchema(WORKERS)),
    replication: s.object({
      standbys: s.list(s.object({ name: s.nullable(s.text), sync: s.nullable(s.text) })),
      synchronous: s.bool,
    }),
    outbox: s.described(s.count, 'responses on this machine that the server has not taken yet'),
    warnings: s.list(s.text),
  }),
  'ledger save': document('the address', saved),
  'ledger use': [
    document('the ledger in use', saved),
    documentOf('the ledger of this machine', { name: s.oneOf('local') }),
  ],
  'ledger list': list('the addresses', saved),
  'ledger show': document('the address', saved),
  'ledger rm': document('the name', removed),
  'ledger prune': documentOf('what was removed', {
    dry_run: s.bool,
    runs: s.count,
    attempts: s.count,
  }),
  'ledger export': documentOf('the run in the file', {
    run: s.count,
    file: s.text,
    ...s.counts('rows', 'bytes'),
    moved: s.instant,
  }),
  'ledger import': documentOf('what was imported', {
    ledger: s.described(s.nullable(s.text), 'the address; null for the ledger of this machine'),
    attempts: s.count,
    runs: s.list(s.object({ local: s.count, run: s.count })),
    settled: s.described(s.count, 'attempts of an earlier import whose answer is known now'),
  }),
} satisfies JsonForms;
