import { createHash } from 'node:crypto';
import type { FileItem } from '../contract/index.ts';
import type { Disk } from '../ports.ts';
import { runPhases } from './batch.ts';
import { fetchFile } from './download.ts';
import type { FileSet } from './file-set.ts';
import type { LocalFile } from './local-file.ts';

/** Reads files of equal size on both sides; resolves with whether each is the same, by key. */
export async function compareContents(
  fileSet: FileSet,
  sides: {
    readonly local: ReadonlyMap<string, LocalFile>;
    readonly remote: ReadonlyMap<string, FileItem>;
  },
  concurrency: number,
): Promise<Map<string, boolean>> {
  const pairs = [...sides.local].filter(
    ([key, { facts }]) => sides.remote.get(key)?.size === facts.size,
  );
  const { disk, signal } = fileSet;
  const results = await runPhases([pairs], { concurrency, signal }, async ([key, file]) => {
    const [here, there] = [await contentHash(disk, file), await remoteHash(fileSet, key)];
    return here === there;
  });
  const same = new Map<string, boolean>();
  for (const result of results) {
    if (result.status !== 'done') throw result.error;
    same.set(result.item[0], result.value);
  }
  return same;
}

/** The SHA-256 of a local file, in hex. */
export async function contentHash(disk: Disk, file: LocalFile): Promise<string> {
  const opened = await disk.openFile(file.path, file.facts);
  const hash = createHash('sha256');
  try {
    for await (const chunk of opened.chunks()) hash.update(chunk);
  } finally {
    await opened.close();
  }
  return hash.digest('hex');
}

async function remoteHash(fileSet: FileSet, key: string): Promise<string> {
  let hash = createHash('sha256');
  await fetchFile(
    fileSet,
    key,
    () => {},
    async () => {
      hash = createHash('sha256');
      return async (chunk) => void hash.update(chunk);
    },
  );
  return hash.digest('hex');
}
