import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Beside the packages, which the files load. */
const FOLDER = 'node_modules/.cache/lectern-test';
const made = new Map<string, Promise<string>>();

/** A script of the tests with the source in one file of JavaScript: it starts sooner than with tsx. */
export function bundled({ href }: URL): Promise<string> {
  const file = made.get(href) ?? bundle(fileURLToPath(href));
  made.set(href, file);
  return file;
}

async function bundle(script: string): Promise<string> {
  const { output } = await build({
    input: script,
    platform: 'node',
    external: (id, _, isResolved) => !isResolved && /^[^./]|\?raw$/.test(id),
    write: false,
    output: { codeSplitting: false },
  });
  const file = join(FOLDER, `${basename(script, '.ts')}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  // Another worker may do the same, or start the file.
  writeFileSync(`${file}.${process.pid}`, output[0].code);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
