/** Values for the messages of a code. */
export type Params = Readonly<Record<string, string | number>>;

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
