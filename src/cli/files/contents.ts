import { createHash } from 'node:crypto';
import type { Client } from '../../client/index.ts';
import type { FileItem } from '../../contract/index.ts';
import type { Runtime } from '../runtime.ts';
import { runBatch } from './batch.ts';
import { fetchFile } from './download-file.ts';
import type { LocalFile } from './local-files.ts';

/** Reads the files that are of equal size on both sides, and finds whose contents differ. */
export async function differingFiles(
  runtime: Runtime,
  { client, url }: { readonly client: Client; readonly url: string },
  sides: {
    readonly local: ReadonlyMap<string, LocalFile>;
    readonly remote: ReadonlyMap<string, FileItem>;
  },
  concurrency: number,
): Promise<Set<string>> {
  const same = [...sides.local].filter(
    ([key, { facts }]) => sides.remote.get(key)?.size === facts.size,
  );
  const settings = { concurrency, interrupt: runtime.interrupt, settled: async () => {} };
  const results = await runBatch(same, settings, async ([key, file]) => {
    const [here, there] = [
      await localHash(runtime, file),
      await remoteHash(runtime, client, url, key),
    ];
    return here === there ? undefined : key;
  });
  const differing = new Set<string>();
  for (const result of results) {
    if (result.fate !== 'done') throw result.error;
    if (result.value !== undefined) differing.add(result.value);
  }
  return differing;
}

async function localHash(runtime: Runtime, file: LocalFile): Promise<string> {
  const disk = await runtime.disk();
  const opened = await disk.openFile(file.path, file.facts);
  const hash = createHash('sha256');
  try {
    for await (const chunk of opened.chunks()) hash.update(chunk);
  } finally {
    await opened.close();
  }
  return hash.digest('hex');
}

async function remoteHash(
  runtime: Runtime,
  client: Client,
  filesUrl: string,
  key: string,
): Promise<string> {
  let hash = createHash('sha256');
  await fetchFile({ runtime, client, filesUrl, moved: () => {} }, key, async () => {
    hash = createHash('sha256');
    return (chunk) => void hash.update(chunk);
  });
  return hash.digest('hex');
}
