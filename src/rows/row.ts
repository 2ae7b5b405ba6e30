import { explainViolation, readObject } from '../contract/index.ts';
import { jsonEqual, type ParsedObject } from '../json/index.ts';
import type { Client, StrayBytes } from '../client/index.ts';

/** Where a row is, and with which client it is called. */
export interface RowAddress {
  readonly client: Client;
  /** Opaque, as a launch carries it. */
  readonly url: string;
}

/** A row as the service holds it; its `text` is the bytes, and is what is shown, kept and sent. */
export type Row = ParsedObject;

/** Bytes that are where a row should be and are not one: they can be kept and replaced, not read. */
export interface UnreadableRow extends StrayBytes {
  /** Why they are not a JSON object, with the place. */
  readonly fault: string;
}

export type Stored = Row | UnreadableRow;

/** Reads a row; throws as `Client.readRow` does. */
export async function readRow({ client, url }: RowAddress): Promise<Row> {
  return client.readRow(url);
}

/** Reads what is to be replaced, be it a row or not; throws as `Client.readStored` does. */
export async function readStored({ client, url }: RowAddress): Promise<Stored> {
  const read = await client.readStored(url);
  return 'violation' in read ? unreadable(read) : read;
}

/** Reads bytes as a row, where they are one. */
export function storedOf(bytes: Uint8Array): Stored {
  const read = readObject(bytes);
  return 'violation' in read ? unreadable({ bytes, ...read }) : read;
}

function unreadable({ bytes, violation }: StrayBytes): UnreadableRow {
  return { bytes, fault: explainViolation(violation).message, violation };
}

/** The raw bytes. */
export function bytesOf(stored: Stored): Uint8Array {
  return 'fault' in stored ? stored.bytes : new TextEncoder().encode(stored.text);
}

/** Whether two are the same: as JSON, or where one is not a row, byte for byte. */
export function readsLike(one: Stored, other: Stored): boolean {
  if ('fault' in one || 'fault' in other) {
    return Buffer.from(bytesOf(one)).equals(bytesOf(other));
  }
  return jsonEqual(one.value, other.value);
}
