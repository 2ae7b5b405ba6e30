import type { Readable, Writable } from 'node:stream';
import type { Transport } from '../../client/index.ts';
import type { Clock } from '../../ports.ts';

/**
 * The process that a command runs in: `process` itself, or one that a test makes. The adapters get
 * all that belongs to a process from here, so that many commands can run in one.
 */
export interface Host extends Events {
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  /** The program and the script that it runs, then the arguments; unknown where a test makes the process. */
  readonly argv?: readonly string[];
  readonly platform: string;
  readonly exit: (code: number) => void;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** What follows is the machine's own where it is left out. */
  readonly clock?: Clock | undefined;
  /** Carries every request. */
  readonly transport?: Transport | undefined;
  /** Where relative paths start. */
  readonly folder?: string | undefined;
  readonly temporaryFolder?: string | undefined;
  /** The standard streams of a program that is started in the foreground. */
  readonly foreground?: 'inherit' | 'ignore';
}

/** Signals, and `exit`. */
type Events = Pick<NodeJS.EventEmitter, 'listeners' | 'off' | 'on' | 'once'>;

/** Has `isTTY` and what else belongs to a terminal where it is one. */
export type InputStream = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };
