import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const require = createRequire(import.meta.url);
const SCHEMAS = require('har-schema') as Readonly<Record<string, { readonly $id: string }>>;

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object);
for (const schema of Object.values(SCHEMAS)) ajv.addSchema(schema);

/** What is wrong with a HAR 1.2 log by the schema of the format. */
export function harProblems(log: unknown): string[] {
  const validate = ajv.getSchema('har.json#') ?? ajv.getSchema('har.json');
  if (validate === undefined) throw new Error('har-schema has no schema of a log');
  if (validate(log)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** What the tests look at beyond the schema. */
export interface HarEntry {
  readonly request: {
    readonly url: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
  };
  readonly response: { readonly content: object };
  readonly _number: number;
}

export interface HarLog {
  readonly log: { readonly entries: readonly HarEntry[] };
}
