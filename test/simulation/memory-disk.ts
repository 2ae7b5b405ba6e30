import { basename, dirname, join } from 'node:path';
import type { Disk, PathInfo, TemporaryFile } from '../../src/ports.ts';

/** The one folder. */
export const FOLDER = '/folder';

interface StoredFile {
  readonly bytes: Buffer;
  readonly facts: PathInfo;
}

/** A disk in memory, which outlives the processes that use it. A temporary file has a hidden name. */
export class MemoryDisk implements Disk {
  readonly platform = 'linux';
  readonly #files = new Map<string, StoredFile>();
  readonly #now: () => number;
  #inode = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The texts of the files in the folder, by name. */
  texts(): Map<string, string> {
    const textOf = (path: string): string => this.#files.get(path)?.bytes.toString() ?? '';
    return new Map(this.#namesIn(FOLDER).map((name) => [name, textOf(join(FOLDER, name))]));
  }

  write(path: string, bytes: Uint8Array, modified = this.#now()): PathInfo {
    const facts = { kind: 'file', size: bytes.length, modified, inode: ++this.#inode } as const;
    this.#files.set(path, { bytes: Buffer.from(bytes), facts });
    return facts;
  }

  #namesIn(folder: string): string[] {
    const paths = [...this.#files.keys()].filter((path) => dirname(path) === folder);
    return paths.map((path) => basename(path)).filter((name) => !name.startsWith('.'));
  }

  readonly listFolder: Disk['listFolder'] = async (folder) => this.#namesIn(folder);

  readonly pathInfo: Disk['pathInfo'] = async (path) => {
    if (path === FOLDER) return { kind: 'folder', size: 0, modified: 0, inode: 0 };
    return this.#files.get(path)?.facts;
  };

  readonly openFile: Disk['openFile'] = async (path) => {
    const { bytes } = this.#files.get(path) ?? { bytes: Buffer.alloc(0) };
    return {
      async *chunks() {
        yield bytes.subarray(0, 4);
        yield bytes.subarray(4);
      },
      close: async () => {},
    };
  };

  readonly remove: Disk['remove'] = async (path) => void this.#files.delete(path);

  readonly ignoresCase: Disk['ignoresCase'] = async () => false;

  readonly temporaryFile: Disk['temporaryFile'] = async (folder = '/tmp') => {
    const path = join(folder, `.lectern-${++this.#inode}.tmp`);
    let content = Buffer.alloc(0);
    let facts = this.write(path, content);
    const file: TemporaryFile = {
      path,
      write: async (chunk) => void (content = Buffer.concat([content, chunk])),
      pathInfo: async () => facts,
      restart: async () => void (content = Buffer.alloc(0)),
      seal: async (modified) => void (facts = this.write(path, content, modified)),
      moveTo: async (to) => {
        const stored = this.#files.get(path);
        if (stored) this.#files.set(to, stored);
        this.#files.delete(path);
      },
      discard: async () => void this.#files.delete(path),
    };
    return file;
  };
}
