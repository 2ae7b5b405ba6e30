import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** Loads a CommonJS file of the extension it is registered for. */
type Loader = (module: LoadingModule, path: string) => void;

interface LoadingModule {
  readonly exports: unknown;
}

type Require = (id: string) => unknown;

/** The `require` of a CommonJS file. What it tells is the same for all files. */
export interface FileRequire {
  /** How files are loaded, by how their names end. */
  readonly extensions: Record<string, Loader | undefined>;
  /** What is loaded, by path. */
  readonly cache: Record<string, LoadingModule | undefined>;
}

type Wrapped = (
  exports: unknown,
  require: Require,
  module: LoadingModule,
  path: string,
  folder: string,
) => void;

const KEPT_MS = 30 * 86_400_000;
/** One process in so many looks whether it has run functions that are not kept yet: that takes some ms. */
const PROCESSES_PER_LOOK = 16;
/** What V8 makes of the same functions varies by some bytes. */
const GROWTH = 1.02;

const HEAD = '(function (exports, require, module, __filename, __dirname) { ';

/** What a process has loaded of a file. */
interface Loaded {
  readonly script: Script;
  /** Bytes that were kept of it; 0 if there were none. */
  readonly kept: number;
}

/**
 * Keeps what V8 has compiled of the files in `root`, in `folder`, and gives it to V8 at the next start.
 * Written when the process ends, with every function that ran; once more when another command has run more
 * of them. Node's own cache, from 22.8 on, is slower.
 */
export function keepCompiledCode(
  { extensions: loaders, cache: loaded }: FileRequire,
  host: Pick<NodeJS.Process, 'on' | 'version' | 'arch' | 'pid' | 'getBuiltinModule'>,
  { root, folder }: { readonly root: string; readonly folder: string },
): void {
  const kept = join(folder, `${host.version}-${host.arch}`);
  const isLooking = Math.random() < 1 / PROCESSES_PER_LOOK;
  const compiled = new Map<string, Loaded>();
  const load = (module: LoadingModule, path: string): void => {
    // The build escapes what is not ASCII.
    const source = readFileSync(path, 'latin1');
    const file = join(kept, nameOf(path));
    const code = readCode(file);
    const script = compile(path, source, code);
    // V8 refuses what was compiled under other flags; it stays, for the processes without them.
    if (code === undefined || isLooking) compiled.set(file, { script, kept: code?.length ?? 0 });
    const run = script.runInThisContext() as Wrapped;
    const require = directRequire(path, { host, loaded, load });
    run.call(module.exports, module.exports, require, module, path, dirname(path));
  };
  loaders['.cjs'] = (module, path) => {
    if (path.startsWith(root)) load(module, path);
    else loaders['.js']?.(module, path);
  };
  host.on('exit', () => {
    try {
      writeAll(kept, compiled, host.pid);
    } catch {
      // It is made anew each time, then.
    }
  });
}

/**
 * The `require` of a file of `dist`. It names other ones and Node's modules, so nothing needs to be
 * looked for, as Node does in the folders and `package.json` files on the way.
 */
function directRequire(
  path: string,
  {
    host,
    loaded,
    load,
  }: {
    readonly host: Pick<NodeJS.Process, 'getBuiltinModule'>;
    /** By path; Node's own, which has those that `main.cjs` opened. */
    readonly loaded: Record<string, LoadingModule | undefined>;
    readonly load: Loader;
  },
): Require {
  return (id) => {
    if (id.startsWith('node:')) return host.getBuiltinModule(id);
    if (!id.startsWith('.') || !id.endsWith('.cjs')) return createRequire(path)(id);
    const file = join(dirname(path), id);
    const known = loaded[file];
    if (known !== undefined) return known.exports;
    const module = { exports: {}, filename: file, loaded: true };
    loaded[file] = module;
    try {
      load(module, file);
    } catch (error) {
      Reflect.deleteProperty(loaded, file);
      throw error;
    }
    return module.exports;
  };
}

/** npm gives all files one time, and V8 compares no more than the length. */
function nameOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${basename(path)}-${__VERSION__}-${size}-${Math.round(mtimeMs)}`;
}

/** There is no `import()` in it: V8 forgets whose that is, and Node refuses it (`build.config.js`). */
function compile(path: string, source: string, cachedData: Buffer | undefined): Script {
  return new Script(`${HEAD}${source}\n})`, {
    filename: path,
    columnOffset: -HEAD.length,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

/**
 * It is kept twice: V8 runs what it is given unexamined, and a disk may lose a part. To compare the two
 * takes a tenth of the time of a checksum in code that has just begun, or of loading Node's own.
 */
function readCode(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  const code = bytes.subarray(0, bytes.length >> 1);
  // A crash of the machine may leave a file of zeros, and V8 begins with a number of its own.
  const isWhole = code.length > 0 && code[0] !== 0 && code.equals(bytes.subarray(code.length));
  return isWhole ? code : undefined;
}

/** Other processes see a file whole or not at all. */
function writeAll(folder: string, compiled: ReadonlyMap<string, Loaded>, pid: number): void {
  const more = [...compiled].flatMap(([file, { script, kept }]) => {
    const code = script.createCachedData();
    return code.length > kept * GROWTH ? [{ file, code }] : [];
  });
  if (more.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { file, code } of more) {
    const temporary = `${file}.${pid}`;
    try {
      writeFileSync(temporary, Buffer.concat([code, code]), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } catch {
      removeQuietly(temporary);
    }
  }
  removeOld(folder);
}

/**
 * What an older version left is removed with the first that is written a month later. A version that is
 * still in use compiles once more; a process that reads a file has it open, or does without.
 */
function removeOld(folder: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.mtimeMs < oldest) removeQuietly(file);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never there.
  }
}
