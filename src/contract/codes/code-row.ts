/** Values for the messages of a code. */
export type Params = Readonly<Record<string, string | number>>;

/**
 * `error`: the contract makes the refusal certain. `warning`: the contract leaves it open, or it is
 * accepted but probably unintended. `note`: information, also about valid payloads.
 */
export type Severity = 'error' | 'warning' | 'note';

type Status = 401 | 403 | 404 | 422;

export interface CodeRow {
  /** The HTTP status of the refusal; undefined if no response of the service has this code. */
  readonly status: Status | undefined;
  readonly severity: Severity;
  /** The service's own message, if the contract gives it. */
  readonly message: (p: Params) => string;
  /** The contract's section, and the rule in short. */
  readonly rule: string;
  readonly hint: (p: Params) => string;
}

/** A row with what `lectern explain` shows of it. */
export type ExplainedRow = CodeRow & { readonly example: Example };

type Words = string | CodeRow['message'];

const rowsWith =
  (severity: Severity, status?: Status) =>
  (message: Words, rule: string, hint: Words, example: Example): ExplainedRow => ({
    status,
    severity,
    message: textOf(message),
    rule,
    hint: textOf(hint),
    example,
  });

function textOf(words: Words): CodeRow['message'] {
  return typeof words === 'string' ? () => words : words;
}

/** A size between two readings of a limit; a refusal by the service does not have the figure. */
export function cautiousHint({ cautious }: Params): string {
  const safe =
    cautious === undefined
      ? 'stay below both readings'
      : `${cautious} bytes is safe under either reading`;
  return `the contract does not say; ${safe}`;
}

/** Errors: the contract makes the refusal certain, with 422 or the named status. */
export const certain = rowsWith('error', 422);
export const unauthenticated = rowsWith('error', 401);
export const forbidden = rowsWith('error', 403);
export const absent = rowsWith('error', 404);

/** An error in something other than a request: a launch, a response of the tool, its files. */
export const wrong = rowsWith('error');

/** A warning: accepted, or left open by the contract. */
export const possible = rowsWith('warning');

/** A warning that the emulator refuses, though the contract leaves it open. */
export const refusedPossibly = rowsWith('warning', 422);

/** A note: nothing is wrong. */
export const noted = rowsWith('note');

/**
 * How a code comes about. `given` is shown; the rest is what the validator finds the code in, as
 * `src/cli/explain/find-example.ts` hands it over.
 */
export type Example = { readonly given: string } & (
  | { readonly kind: 'row'; readonly text: string; readonly row?: 'context' | 'member' }
  | { readonly kind: 'patch'; readonly text: string; readonly against?: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'declaration'; readonly text: string }
  | { readonly kind: 'file'; readonly listing: string }
  | { readonly kind: 'grade'; readonly text: string }
  | { readonly kind: 'grades'; readonly bytes: Uint8Array }
  | { readonly kind: 'launch'; readonly text: string | Uint8Array }
  /** A launch with some claims (`api.token`) as they should not be; undefined takes one away. */
  | {
      readonly kind: 'claims';
      readonly of: 'staff' | 'student' | 'provision request';
      readonly changes: SpoiledClaims;
      readonly contract?: string | undefined;
    }
  | { readonly kind: 'locations'; readonly text: string }
  | { readonly kind: 'tool'; readonly tool: ExampleTool }
  | { readonly kind: 'manifest'; readonly name: string; readonly text: string }
  | { readonly kind: 'seed' | 'project'; readonly text: string }
  | RequestScript
  /** Only the service finds it, or lectern as it sends. */
  | { readonly kind: 'situation'; readonly params: Params }
);

/** Claims by their paths; the moment of the example is `EXAMPLE_TIME`. */
export type SpoiledClaims = Readonly<Record<string, unknown>>;

/** The moment at which the examples are looked at, in ms since the epoch. */
export const EXAMPLE_TIME = Date.parse('2026-10-14T10:00:00Z');

export const EXAMPLE_ORIGIN = 'https://service.example';

interface ExampleTool {
  readonly files: readonly {
    readonly path: string;
    readonly size: number;
    readonly isLink?: boolean;
  }[];
  readonly zipSize?: number;
  readonly fault?: string;
  readonly manifest?: string;
}

/**
 * Requests of a tool, a line each: who makes it (by default a student), the method, and
 * the claim whose URL it goes to. In between, `later: 10m` lets time pass, and `lost: POST /scores`
 * keeps the next such response away.
 */
interface RequestScript {
  readonly kind: 'requests';
  /** What is wrong. */
  readonly does: readonly string[];
  /** The same job by the contract. */
  readonly instead: readonly string[];
  /** The figures of the message. */
  readonly params: Params;
}

/** What only the service, or lectern at the moment of sending, can find; with the figures it has. */
export function situation(given: string, params: Params = {}): Example {
  return { kind: 'situation', given, params };
}
