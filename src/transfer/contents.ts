import { createHash } from 'node:crypto';
import type { FileItem } from '../contract/index.ts';
import type { Disk } from '../ports.ts';
import { runPhases } from './batch.ts';
import { fetchFile } from './download.ts';
import type { FileSet } from './file-set.ts';
import type { LocalFile } from './local-file.ts';

/** Reads the files of equal size on both sides, and returns the keys of those that differ. */
export async function differingFiles(
  fileSet: FileSet,
  sides: {
    readonly local: ReadonlyMap<string, LocalFile>;
    readonly remote: ReadonlyMap<string, FileItem>;
  },
  concurrency: number,
): Promise<Set<string>> {
  const same = [...sides.local].filter(
    ([key, { facts }]) => sides.remote.get(key)?.size === facts.size,
  );
  const { disk, signal } = fileSet;
  const results = await runPhases([same], { concurrency, signal }, async ([key, file]) => {
    const [here, there] = [await localHash(disk, file), await remoteHash(fileSet, key)];
    return here === there ? undefined : key;
  });
  const differing = new Set<string>();
  for (const result of results) {
    if (result.status !== 'done') throw result.error;
    if (result.value !== undefined) differing.add(result.value);
  }
  return differing;
}

async function localHash(disk: Disk, file: LocalFile): Promise<string> {
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
      return (chunk) => void hash.update(chunk);
    },
  );
  return hash.digest('hex');
}
