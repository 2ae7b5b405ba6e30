import type { GradeBody } from '../contract/index.ts';

/**
 * One grade of a run: its member, and the fields of its attempt ("Grade submission"). Either `score`,
 * from 0 to 1, or `points`, out of `max_score`.
 */
export type GradeRecord = { readonly member: string } & Readonly<Partial<GradeBody>> & {
    readonly points?: number;
  };

const CHUNK_CHARACTERS = 65_536;

/**
 * Records as the chunks of a file of grades: one JSON object per line, so that line 1 of a finding is
 * the first record.
 *
 * @example
 * const chunks = recordChunks([{ member: 'm-1', points: 42.5, max_score: 50 }]);
 */
export async function* recordChunks(
  records: Iterable<GradeRecord> | AsyncIterable<GradeRecord>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}
