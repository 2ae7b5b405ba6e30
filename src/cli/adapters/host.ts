import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../ports.ts';

/**
 * The process that a command runs in: `process` itself, or one of a test. The adapters get
 * everything that belongs to a process from here, so that many commands can run in one.
 */
export interface Host extends Events {
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  /** The program and its script, then the arguments; unknown if a test creates the process. */
  readonly argv?: readonly string[];
  readonly platform: string;
  readonly exit: (code: number) => void;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** These default to those of the machine. */
  readonly clock?: Clock | undefined;
  /** The folder of relative paths. */
  readonly folder?: string | undefined;
  readonly temporaryFolder?: string | undefined;
  /** The standard streams of a program in the foreground. */
  readonly foreground?: 'inherit' | 'ignore';
}

/** Signals, and `exit`. */
type Events = Pick<NodeJS.EventEmitter, 'listeners' | 'off' | 'on' | 'once'>;

/** On a terminal it has `isTTY` and the methods of one. */
export type InputStream = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The first argument with which lectern makes one call to the keychain (docs/decisions/0009). */
export const KEYCHAIN_COMMAND = 'keychain-worker';
