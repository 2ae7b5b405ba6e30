import { readObject } from '../contract/index.ts';
import { jsonEqual, type ParsedObject } from '../json/index.ts';
import type { Client, InvalidRow } from '../client/index.ts';

/** A row's URL, and the client to call it with. */
export interface RowAddress {
  readonly client: Client;
  /** Opaque, as a launch carries it. */
  readonly url: string;
}

/** A row as the service holds it; `text` is its exact text, which is what is shown, kept and sent. */
export type Row = ParsedObject;

/** A row, or content that is not a JSON object: that can be kept and replaced, but not read. */
export type StoredRow = Row | InvalidRow;

/** Reads a row; throws as `Client.readRow` does. */
export async function readRow({ client, url }: RowAddress): Promise<Row> {
  return client.readRow(url);
}

/** Reads what a write will replace, also if it is not a JSON object; throws as `Client.readStored` does. */
export async function readStored({ client, url }: RowAddress): Promise<StoredRow> {
  return client.readStored(url);
}

/** Parses bytes as a row, if they are one. */
export function parseStoredRow(bytes: Uint8Array): StoredRow {
  const read = readObject(bytes);
  return 'violation' in read ? { bytes, ...read } : read;
}

export function bytesOf(stored: StoredRow): Uint8Array {
  return 'violation' in stored ? stored.bytes : new TextEncoder().encode(stored.text);
}

/** Whether two rows are equal as JSON, or byte for byte if one of them is not a JSON object. */
export function isSameRow(one: StoredRow, other: StoredRow): boolean {
  if ('violation' in one || 'violation' in other) return hasSameBytes(one, other);
  return jsonEqual(one.value, other.value);
}

/** Whether two rows are equal byte for byte. */
export function hasSameBytes(one: StoredRow, other: StoredRow): boolean {
  return Buffer.from(bytesOf(one)).equals(bytesOf(other));
}
