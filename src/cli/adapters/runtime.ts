import type { LedgerServer } from '../../ledger/postgres/server.ts';
import type { Runtime } from '../runtime.ts';
import type { LedgerAddress } from '../saved.ts';
import { systemClock } from '../../clock.ts';
import { closeAll } from './close-all.ts';
import { findHome } from './home.ts';
import type { Host } from './host.ts';
import { input, output } from './terminal.ts';
import { watchInterrupt } from './interrupt.ts';
import { findProjectFile } from './project-file.ts';
import { replaceLostTerminal } from './lost-terminal.ts';

/** The messages of a runtime outside of a command's own output. */
export interface RuntimeEvents {
  /** Reports that the command is ended immediately. */
  readonly lastWords?: () => Promise<void>;
  /** Reports what is waited for. */
  readonly note?: (text: string) => Promise<void>;
  /** Runs another command line, on its own host. */
  readonly run?: (argv: readonly string[], host: Host) => Promise<number>;
}

/** The runtime of a process. What costs start-up time is imported on first use. */
export function createRuntime(
  host: Host,
  { lastWords = async () => {}, note = async () => {}, run }: RuntimeEvents = {},
): Runtime & { close: () => Promise<void> } {
  const { env, clock = systemClock } = host;
  const isPlain = isDumbTerminal(host);
  if (env.NO_COLOR || isPlain) disableColor(env);
  if (host === process) replaceLostTerminal();
  const { first: interrupt, second: secondInterrupt } = watchInterrupt(host, lastWords);
  const atEnd: (() => unknown)[] = [];
  const home = once(() => findHome(env));
  const stdin = once(() => input(host.stdin, interrupt));
  const stdout = once(() => output(host.stdout, interrupt, env));
  const stderr = once(() => {
    const made = output(host.stderr, interrupt, env);
    // Not every write is awaited by its caller.
    atEnd.push(() => made.write(''));
    return made;
  });
  const keychain = async () => (await import('./keychain.ts')).createKeychain(host, note);
  let server: Promise<LedgerServer | undefined> | undefined;
  const connect = async (at: LedgerAddress): Promise<LedgerServer> => {
    const { createLedgerServer } = await import('./ledger-server.ts');
    const { refuseSharedFolder } = await import('./disk.ts');
    refuseSharedFolder((await home()).data);
    const made = createLedgerServer(host, await home(), clock, at);
    atEnd.push(() => made.close());
    return made;
  };
  return {
    env,
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
    interrupt,
    secondInterrupt,
    projectFile: () => findProjectFile(host.folder),
    disk: once(async () => (await import('./disk.ts')).createCommandDisk(host, interrupt, clock)),
    home,
    machine: async () => (await import('./machine.ts')).createMachine(host, await keychain()),
    pid: host.pid,
    platform: host.platform,
    progress: async (enabled) =>
      enabled && host.stderr.isTTY && !isPlain
        ? (await import('./progress.ts')).createProgress(host)
        : { update: () => {}, follow: () => {}, stop: () => {} },
    transport: async (options) => {
      if (host.transport) return host.transport;
      const { createUndiciTransport } = await import('../../client/undici/transport.ts');
      const { setWasmFlag } = await import('./wasm-flag.ts');
      setWasmFlag();
      const { transport, close } = createUndiciTransport(options);
      atEnd.push(close);
      return transport;
    },
    launches: once(async () => {
      const { launchStore } = await import('./secrets.ts');
      return launchStore((await home()).config, await keychain());
    }),
    keys: once(async () => {
      const { keyStore } = await import('./secrets.ts');
      return keyStore((await home()).config, await keychain());
    }),
    tokenStatus: once(async () => {
      const { createTokenStatusStore } = await import('./token-status.ts');
      const { store, flush } = createTokenStatusStore((await home()).config);
      atEnd.push(flush);
      return store;
    }),
    settings: once(async () => {
      const { createSettings } = await import('./settings.ts');
      return createSettings((await home()).config);
    }),
    ledger: once(async () => {
      const { openLedger } = await import('../../ledger/index.ts');
      const { refuseSharedFolder } = await import('./disk.ts');
      refuseSharedFolder((await home()).data);
      const ledger = await openLedger({
        file: (await home()).ledger,
        now: clock.now,
        signal: interrupt,
        onWait: () => void note('waiting for another process that is writing to the ledger'),
      });
      atEnd.push(() => ledger.close());
      return ledger;
    }),
    ledgers: once(async () => {
      const { ledgerStore } = await import('./secrets.ts');
      return ledgerStore((await home()).config, await keychain());
    }),
    ledgerServer: (choose) => (server ??= choose().then((at) => at && connect(at))),
    disableColor: () => disableColor(env),
    prompts: async () => (await import('./prompts.ts')).createPrompts(host, interrupt),
    processes: async () => (await import('./processes.ts')).createProcesses(host, interrupt),
    runHere: async (argv, options) => {
      if (run === undefined) throw new TypeError('this runtime runs no other command');
      return (await import('./run-here.ts')).createRunHere(host, run)(argv, options);
    },
    close: () => closeAll(atEnd),
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
