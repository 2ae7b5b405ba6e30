import type { LedgerServer } from '../../ledger/postgres/server.ts';
import type { TransportOptions, Transport } from '../../client/index.ts';
import type { Sources, LedgerAddress } from '../stores.ts';
import type { Clock } from '../../ports.ts';
import type { Keychain } from './keychain.ts';
import { systemClock } from '../../clock.ts';
import { findHome, type Home } from './home.ts';
import type { Progress } from './progress.ts';
import type { RunHere } from './run-here.ts';
import type { Host } from './host.ts';
import { input, output } from './terminal.ts';
import { watchInterrupt } from './interrupt.ts';
import { closeSync, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { devNull, uptime } from 'node:os';
import { dirname, join } from 'node:path';

/** The messages of a runtime outside of a command's own output. */
export interface RuntimeEvents {
  /** Reports that the command is ended immediately. */
  readonly lastWords: () => Promise<void>;
  /** Reports the cause of a wait. */
  readonly note: (text: string) => Promise<void>;
  /** Runs another command line, on its own host. */
  readonly run: (argv: readonly string[], host: Host) => Promise<number>;
}

/**
 * Everything that a command may use of the environment. What costs start-up time is a function, which
 * imports it on first use.
 */
export function createRuntime(host: Host, { lastWords, note, run }: RuntimeEvents) {
  const { env, clock = systemClock } = host;
  const isPlain = isDumbTerminal(host);
  if (env.NO_COLOR || isPlain) disableColor(env);
  if (host === process) replaceLostTerminal();
  const { first: interrupt, second: secondInterrupt } = watchInterrupt(host, lastWords);
  const atEnd: AtEnd = [];
  const home = once(() => findHome(host));
  const stdin = once(() => input(host.stdin, interrupt));
  const stdout = once(() => output(host.stdout, interrupt, env));
  const stderr = once(() => {
    const made = output(host.stderr, interrupt, env);
    // Not every write is awaited by its caller.
    atEnd.push(() => made.write(''));
    return made;
  });
  const keychain = async () => (await import('./keychain.ts')).createKeychain(host, note);
  return {
    env: env as Readonly<Record<string, string | undefined>>,
    // Node opens the stream on first access.
    get stdin() {
      return stdin();
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    ...clock,
    /** Aborts at the first Ctrl-C. */
    interrupt,
    /** Aborts at the second one; a second later the process ends. */
    secondInterrupt,
    /** `lectern.json` of the current folder or the nearest one above it; undefined if there is none. */
    projectFile: () => (env.LECTERN_PROJECT === 'off' ? undefined : findProjectFile(host.folder)),
    /** Filled in by what chooses, for the errors of the command. */
    sources: {} as Sources,
    disk: once(async () => (await import('./disk.ts')).createCommandDisk(host, interrupt, clock)),
    /** The folders of the state, created (0700) at the first write. */
    home,
    machine: async () => (await import('./machine.ts')).createMachine(host, await keychain()),
    pid: host.pid,
    /** The operating system in Node's terms: `linux`, `darwin`, `win32` … */
    platform: host.platform,
    /** Live lines if `enabled` and standard error is a terminal; else silent. */
    progress: async (enabled: boolean): Promise<Progress> =>
      enabled && host.stderr.isTTY && !isPlain
        ? (await import('./progress.ts')).createProgress(host)
        : { update: () => {}, follow: () => {}, stop: () => {} },
    /** HTTP; `connections` for many concurrent calls. */
    transport: async (options?: TransportOptions): Promise<Transport> => {
      const { createUndiciTransport } = await import('../../client/undici/transport.ts');
      const { setWasmFlag } = await import('./wasm-flag.ts');
      setWasmFlag();
      const { transport, close } = createUndiciTransport(options);
      atEnd.push(close);
      return transport;
    },
    ...storesOf(home, keychain, atEnd),
    ...ledgersOf(host, home, { note, interrupt, clock, atEnd }),
    /** Disables colours from now on, whatever the environment says. */
    disableColor: () => disableColor(env),
    prompts: async () => (await import('./prompts.ts')).createPrompts(host, interrupt),
    processes: async () => (await import('./processes.ts')).createProcesses(host, interrupt),
    runHere: (async (argv, options) => {
      return (await import('./run-here.ts')).createRunHere(host, run)(argv, options);
    }) satisfies RunHere,
    close: () => closeAll(atEnd),
  };
}

export type Runtime = Omit<ReturnType<typeof createRuntime>, 'close'>;

/** What is called when the runtime is closed. */
type AtEnd = (() => unknown)[];

/** What is saved by name, and the settings. */
function storesOf(home: () => Promise<Home>, keychain: () => Promise<Keychain>, atEnd: AtEnd) {
  const stores = once(async () => {
    const { createSecretStores } = await import('./secrets.ts');
    return createSecretStores((await home()).config, await keychain());
  });
  return {
    launches: async () => (await stores()).launches,
    keys: async () => (await stores()).keys,
    ledgers: async () => (await stores()).ledgers,
    tokenStatus: once(async () => {
      const { createTokenStatusStore } = await import('./token-status.ts');
      const { store, flush } = createTokenStatusStore((await home()).config);
      atEnd.push(flush);
      return store;
    }),
    settings: once(async () =>
      (await import('./settings.ts')).createSettings((await home()).config),
    ),
  };
}

/** The ledger of this machine, and the one that is shared. */
function ledgersOf(
  host: Host,
  home: () => Promise<Home>,
  {
    note,
    interrupt,
    clock,
    atEnd,
  }: Pick<RuntimeEvents, 'note'> & {
    readonly interrupt: AbortSignal;
    readonly clock: Clock;
    readonly atEnd: AtEnd;
  },
) {
  /** The home, whose data folder is not shared with others. */
  const ownHome = async (): Promise<Home> => {
    const { refuseSharedFolder } = await import('./disk.ts');
    refuseSharedFolder((await home()).data);
    return home();
  };
  const ledger = once(async () => {
    const { openLedger } = await import('../../ledger/index.ts');
    const opened = await openLedger({
      file: (await ownHome()).ledger,
      now: clock.now,
      uptime: () => Math.floor(uptime() * 1000),
      signal: interrupt,
      onWait: () => void note('waiting for another process that is writing to the ledger'),
    });
    atEnd.push(() => opened.close());
    return opened;
  });
  let server: Promise<LedgerServer | undefined> | undefined;
  const connect = async (at: LedgerAddress): Promise<LedgerServer> => {
    const { createLedgerServer } = await import('./ledger-server.ts');
    const made = createLedgerServer(host, ledger, clock, at);
    atEnd.push(() => made.close());
    return made;
  };
  return {
    ledger,
    /**
     * The team's PostgreSQL of a command, connected on first use; `choose` returns its address at the
     * first call, or none.
     */
    ledgerServer: (choose: () => Promise<LedgerAddress | undefined>) =>
      (server ??= choose().then((at) => at && connect(at))),
  };
}

/** A terminal that prints escape sequences. Windows has none, and does not set TERM. */
function isDumbTerminal({ env, platform }: Host): boolean {
  return env.TERM === 'dumb' || (!env.TERM && platform !== 'win32');
}

/** Libraries read the environment, where Node prefers FORCE_COLOR, and warns if both are set. */
function disableColor(env: NodeJS.ProcessEnv): void {
  env.NO_COLOR = '1';
  delete env.FORCE_COLOR;
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Closes one after the other, even if some fail; throws the first error. */
export async function closeAll(ends: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/**
 * Lets the process end normally after its terminal was closed. Node restores the terminal's mode at
 * exit, and before 24.1 and 22.17 it aborts if that fails (nodejs/node#51519), with a native stack
 * and perhaps a core file, which contains tokens. It skips a descriptor that has become another
 * file.
 */
function replaceLostTerminal(): void {
  if (process.platform === 'win32') return;
  process.on('exit', () => {
    try {
      const standard = [0, 1, 2];
      for (const fd of standard.filter(isLostTerminal)) {
        closeSync(fd);
        openSync(devNull, 'r+');
      }
    } catch {
      // Node's own exit is the only way left.
    }
  });
}

function isLostTerminal(fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isCharacterDevice() || stats.rdev === statSync(devNull).rdev) return false;
  // Streams on a terminal have loaded it already; otherwise loading would take milliseconds.
  return !process.getBuiltinModule('node:tty').isatty(fd);
}

const NAME = 'lectern.json';

/**
 * The project file of the current or a given folder, or of the nearest folder above it. A file of
 * another user is skipped, for example in a folder for temporary files: it could name where grades
 * go. So is a folder that the user may not read.
 */
function findProjectFile(folder = currentFolder()): string | undefined {
  if (folder === undefined) return undefined;
  const file = join(folder, NAME);
  const facts = factsOf(file);
  if (facts?.isFile() && isTrusted(facts.uid)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : findProjectFile(above);
}

function factsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

/** Undefined if it was removed. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Windows has no such users; root reads files of others, as in a container. */
function isTrusted(owner: number): boolean {
  const user = process.getuid?.();
  return user === undefined || user === 0 || owner === user || owner === 0;
}
