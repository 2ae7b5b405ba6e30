import { join } from 'node:path';
import { MAX_JSON_BYTES } from '../input/limit.ts';
import type { CommandDisk, Runtime } from '../runtime.ts';

/** A text that is being edited, in the user's own file (0600) under lectern's home. */
export interface EditedDraft {
  readonly path: string;
  /** The initial content of the file. */
  readonly original: string;
}

/** Puts a text into a new file. */
export async function createDraft(
  runtime: Runtime,
  name: string,
  text: string,
): Promise<EditedDraft> {
  const { data } = await runtime.home();
  const time = new Date(runtime.now()).toISOString().replace(/[-:.]/g, '');
  const path = join(data, 'drafts', `${name}-${time}-${runtime.pid}.json`);
  await (await runtime.disk()).writeFile(path, text, { secret: true });
  return { path, original: text };
}

/** The current bytes of the draft without the notes on top; empty if the editor removed the file. */
export async function readDraft(disk: CommandDisk, { path }: EditedDraft): Promise<Uint8Array> {
  if (!(await disk.exists(path))) return new Uint8Array();
  const bytes = await disk.readFile(path, MAX_JSON_BYTES);
  return bytes.subarray(endOfNotes(bytes));
}

/**
 * Puts notes on top of the draft, one on each line; JSON has no comments, so they can be
 * recognised.
 */
export async function annotateDraft(
  disk: CommandDisk,
  { path }: EditedDraft,
  body: Uint8Array,
  notes: readonly string[],
): Promise<void> {
  const head = new TextEncoder().encode(notes.map((line) => `// ${line}\n`).join(''));
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  await disk.writeFile(path, bytes, { secret: true });
}

const SLASH = 0x2f;
const LINE_FEED = 0x0a;

function endOfNotes(bytes: Uint8Array): number {
  let start = 0;
  while (bytes[start] === SLASH && bytes[start + 1] === SLASH) {
    const end = bytes.indexOf(LINE_FEED, start);
    start = end === -1 ? bytes.length : end + 1;
  }
  return start;
}
