import type { GradeBody } from '../contract/index.ts';

/**
 * One grade of a run: whose it is, and the body of its attempt ("Grade submission"). Either `score`,
 * from 0 to 1, or `points`, out of `max_score`.
 */
export type GradeRecord = { readonly member: string } & Readonly<Partial<GradeBody>> & {
    readonly points?: number;
  };

/** How much of a file's text is made at once. */
const CHUNK_CHARACTERS = 65_536;

/** Records as a file of grades: one JSON object per line, so that line 1 is the first of them. */
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
