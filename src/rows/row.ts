import { checkObject, explainViolation, type Violation } from '../contract/index.ts';
import { decodeUtf8, jsonEqual, type JsonObject, parseJson } from '../json/index.ts';
import type { Client } from '../client/index.ts';

/** Where a row is, and with which client it is called. */
export interface RowAddress {
  readonly client: Client;
  /** Opaque, as a launch carries it. */
  readonly url: string;
}

/** A row as the service holds it. */
export interface Row {
  /** The bytes as text: what is shown, compared and kept is taken from it, so that nothing is lost. */
  readonly text: string;
  readonly value: JsonObject;
  /** Pointers of names that occur twice in one object. */
  readonly duplicates: readonly string[];
}

/** What stands in the place of a row and is not one: it can be kept and replaced, and not read. */
export interface UnreadableRow {
  readonly bytes: Uint8Array;
  /** Why it is no JSON object, with the place. */
  readonly fault: string;
  readonly violation: Violation;
}

export type Stored = Row | UnreadableRow;

/** Reads a row; throws as `Client.getRow` does. */
export async function readRow({ client, url }: RowAddress): Promise<Row> {
  return rowOf(decodeUtf8(await client.getRow(url)));
}

/** Reads what is to be replaced, be it a row or not; throws as `Client.getRowBytes` does. */
export async function readStored({ client, url }: RowAddress): Promise<Stored> {
  return storedOf(await client.getRowBytes(url));
}

/** Takes bytes for a row, where they are one. */
export function storedOf(bytes: Uint8Array): Stored {
  const wrong = checkObject(bytes);
  if (wrong === undefined) return rowOf(decodeUtf8(bytes));
  return { bytes, fault: explainViolation(wrong).message, violation: wrong };
}

/** Takes the text of a JSON object, known to be one, for a row. */
export function rowOf(text: string): Row {
  const { value, duplicates } = parseJson(text);
  return { text, value: value as JsonObject, duplicates };
}

/** The raw bytes. */
export function bytesOf(stored: Stored): Uint8Array {
  return 'fault' in stored ? stored.bytes : new TextEncoder().encode(stored.text);
}

/** Whether two hold the same: as JSON, or where one is none, byte for byte. */
export function readsLike(one: Stored, other: Stored): boolean {
  if ('fault' in one || 'fault' in other) {
    return Buffer.from(bytesOf(one)).equals(bytesOf(other));
  }
  return jsonEqual(one.value, other.value);
}
