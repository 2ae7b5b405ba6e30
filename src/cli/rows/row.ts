import { decodeUtf8, type JsonObject, parseJson } from '../../contract/index.ts';
import type { RowTarget } from '../target.ts';

/** A row as the service holds it. */
export interface Row {
  /** The bytes as text: what is shown, compared and kept is taken from it, so that nothing is lost. */
  readonly text: string;
  readonly value: JsonObject;
  /** Pointers of names that occur twice in one object. */
  readonly duplicates: readonly string[];
}

/** Reads a row; throws as `Client.getRow` does. */
export async function readRow({ client, url }: RowTarget): Promise<Row> {
  return rowOf(decodeUtf8(await client.getRow(url)));
}

/** Takes the text of a JSON object, known to be one, for a row. */
export function rowOf(text: string): Row {
  const { value, duplicates } = parseJson(text);
  return { text, value: value as JsonObject, duplicates };
}
