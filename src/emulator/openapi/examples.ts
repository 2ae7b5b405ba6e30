import type { Code } from '../../contract/index.ts';
import examples from './examples.json' with { type: 'json' };

/** A request and its response, as exchanged between a client and an emulator. */
export interface CapturedExample {
  readonly target: string;
  readonly request?: unknown;
  readonly answer?: unknown;
}

type Examples = Readonly<Record<string, CapturedExample | undefined>>;

/*
 * Made by test/emulator/openapi/examples.test.ts from a run of the default world. Of long lists only the
 * beginning is kept.
 */
export const SERVICE_EXAMPLES: Examples = examples.service;
export const CONTROL_EXAMPLES: Examples = examples.control;

export const MESSAGES = examples.messages as Readonly<Record<Code, string>>;

/** Messages of errors that the contract does not list, by status and code. */
export const ERROR_EXAMPLES = examples.errors;
