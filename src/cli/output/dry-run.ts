import type { ReportedFinding } from '../../errors.ts';
import { findingWithCommand } from './command-hints.ts';
import { escapeText } from '../../contract/escape.ts';
import { jsonWithRaw } from './json-text.ts';
import { type ListColumns, tableOf } from './columns.ts';
import { RawJson, type Result, type Shown } from './result.ts';

/** The request of a write, as `--dry-run` shows it. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** The body as JSON text, byte for byte as it would be sent; absent if there is none. */
  readonly body?: string;
  readonly findings?: readonly ReportedFinding[];
  /** Further facts about the request. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** What `--dry-run` prints of a request, or of a list if there is not exactly one. */
export function dryRun(planned: PlannedRequest | readonly PlannedRequest[]): Result {
  const list = [planned].flat();
  const documents = list.map(requestJson).join(',');
  const shown = list.flatMap(shownRequest);
  return {
    json: new RawJson(list.length === 1 ? documents : `[${documents}]`),
    show: { table: tableOf(REQUESTS, list), terminal: shown, pipe: shown },
    notes: ['dry run: nothing was sent'],
  };
}

function requestJson({ method, url, body = 'null', findings = [], facts }: PlannedRequest): string {
  const after = { findings: findings.map(findingWithCommand), ...facts };
  return jsonWithRaw({ dry_run: true, method, url }, { body }, after);
}

function shownRequest({ method, url, body, facts = {} }: PlannedRequest): Shown[] {
  return [
    `${method} ${url}`,
    ...(body === undefined ? [] : [{ json: new RawJson(body) }]),
    ...Object.entries(facts).map(([name, value]) => `${name}: ${escapeText(value)}`),
  ];
}

/** The requests of a dry run, for `--fields`. */
export const REQUESTS = {
  method: {},
  url: { whole: true },
  body: { made: ({ body }: PlannedRequest) => body },
  path: { made: ({ facts }: PlannedRequest) => facts?.path },
  mimetype: { made: ({ facts }: PlannedRequest) => facts?.mimetype },
} satisfies ListColumns;
