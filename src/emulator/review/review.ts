import type { Code } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Backing, Collection } from '../store/collection.ts';
import { AddressBook } from './address-book.ts';
import { Coverage } from './coverage.ts';
import { Findings, type KeptFinding, MAX_FINDINGS, mergedFinding } from './findings.ts';
import { Recent } from './recent.ts';
import type { Rule, RuleContext, ReportFinding } from './rule.ts';
import {
  removedEndpoint,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
} from './rules/addresses.ts';
import { contentTypeMissing } from './rules/bodies.ts';
import { apiKeyNotValid, endedTokenRepeated } from './rules/credentials.ts';
import { gradeFields, gradeRepeated } from './rules/grades.ts';
import { provisionUnfinished } from './rules/provisioning.ts';
import { refused } from './rules/refusals.ts';
import { keysDropped, rowNearLimit } from './rules/rows.ts';
import {
  bearerToSignedUrl,
  declarationWithoutUpload,
  signedUrlExpired,
} from './rules/signed-urls.ts';
import {
  requestOfAnotherSession,
  type Place,
  type ForeignWrite,
  type SeenRequest,
} from './seen-request.ts';
import type { EmulatedRow } from '../state/rows.ts';

const RULES: readonly Rule[] = [
  bearerToSignedUrl,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
  removedEndpoint,
  apiKeyNotValid,
  gradeRepeated,
  keysDropped,
  endedTokenRepeated,
  signedUrlExpired,
  refused,
  gradeFields,
  contentTypeMissing,
  declarationWithoutUpload,
  rowNearLimit,
  provisionUnfinished,
];

const HANDED_OUT = 'handed_out';
const MAX_HANDED_OUT = 1000;

interface Running {
  readonly rule: Rule;
  readonly context: RuleContext<unknown>;
}

const COUNTS = 'counts';
/** After a crash up to this many numbers are skipped, and this many requests are not counted. */
const COUNT_STEP = 1000;

/**
 * Judges each answered request, and keeps only what the rules need, so that memory stays flat.
 * Findings are stored with the data; they contain no secrets.
 *
 * Findings, coverage, open declarations and provision requests survive a crash. What the other rules
 * remember survives only an orderly end: outdated memory would lead to false findings.
 */
export class Review {
  readonly #state: EmulatorState;
  readonly #kept: Collection<object>;
  readonly #book: AddressBook;
  readonly #findings: Findings;
  readonly #coverage: Coverage;
  readonly #running: readonly Running[];
  readonly #succeeded: ByPlace;
  readonly #refused: ByPlace;
  #last: number;
  /** The latest request that a rule has reported. */
  #reported = 0;
  /** Numbers up to this one are reserved, even if the process is killed. */
  #reserved = 0;
  #judged: number;

  constructor(state: EmulatorState) {
    this.#state = state;
    this.#kept = state.store.collection('report');
    this.#book = new AddressBook(state);
    for (const url of this.#handedOut()) this.#book.handOut(url);
    this.#findings = new Findings(new Recent(MAX_FINDINGS, this.#backing('finding/')));
    this.#coverage = new Coverage(state, this.#kept);
    this.#running = RULES.map((rule) => this.#start(rule));
    this.#succeeded = byPlace(this.#running, 'success');
    this.#refused = byPlace(this.#running, 'refusal');
    const { last = 0, judged = 0 } = (this.#kept.get(COUNTS) ?? {}) as Counts;
    this.#last = last;
    this.#judged = judged;
  }

  /** The number of the last request; numbering continues from it after a restart. */
  get last(): number {
    return this.#last;
  }

  see(seen: SeenRequest): void {
    this.#last = seen.number;
    this.#judged++;
    if (seen.number > this.#reserved) this.#reserve(seen.number + COUNT_STEP);
    this.#coverage.see(seen);
    const rules = seen.status < 400 ? this.#succeeded : this.#refused;
    for (const { rule, context } of rules[seen.place]) rule.see(seen, context);
  }

  /** Records that somebody else changed a row after it had been read. */
  seeForeignWrite(read: SeenRequest, row: EmulatedRow, change: ForeignWrite): void {
    const { rule, context } = this.#running.find((each) => each.rule === keysDropped) as Running;
    rule.see(requestOfAnotherSession(read, row, change), context);
  }

  /** Treats addresses as handed out, although they belong to no token. */
  handOut(urls: readonly string[]): void {
    const all = [...new Set([...this.#handedOut(), ...urls])].slice(-MAX_HANDED_OUT);
    this.#kept.set(HANDED_OUT, { urls: all });
    for (const url of urls) this.#book.handOut(url);
  }

  #handedOut(): readonly string[] {
    const { urls = [] } = (this.#kept.get(HANDED_OUT) ?? {}) as { urls?: string[] };
    return urls;
  }

  /** What a tool did to the emulator since its start or the last reset. */
  report() {
    return {
      requests: this.#judged,
      findings: this.#findings.shown(this.#current()),
      coverage: this.#coverage.shown(),
    };
  }

  cited(): ReadonlySet<number> {
    const findings = [...this.#findings.kept(), ...this.#current()];
    return new Set(findings.flatMap(({ requests }) => requests));
  }

  /** The numbers of the requests that a finding may still cite. */
  mayBeCited(): number[] {
    return this.#running.flatMap(({ rule, context }) => {
      const { mayCite } = rule;
      if (mayCite === undefined) return [];
      return [...context.memory.entries()].flatMap(([, kept]) => mayCite(kept));
    });
  }

  /** The findings about what is missing at this moment. */
  #current(): KeptFinding[] {
    const current = new Map<string, KeptFinding>();
    for (const { rule, context } of this.#running) {
      const report: ReportFinding = (subject, requests, params, code = rule.code) => {
        const key = `${code} ${subject}`;
        current.set(key, mergedFinding(current.get(key), { code, params, requests }));
      };
      rule.open?.({ ...context, report });
    }
    return [...current.values()];
  }

  /** Forgets everything; the store is already cleared. */
  reset(): void {
    this.#findings.clear();
    this.#coverage.clear();
    this.forgetState();
    this.#judged = 0;
    this.#reserve(this.#last + COUNT_STEP);
  }

  /** The state was replaced: findings stay, but what the rules remember of the old state is dropped. */
  forgetState(): void {
    this.#book.forgetTokens();
    for (const { context } of this.#running) {
      for (const [key] of context.memory.entries()) context.memory.delete(key);
    }
  }

  /** Stores what is only in memory, at an orderly end. */
  close(): void {
    this.#keepCounts(this.#last);
    for (const { rule, context } of this.#running) {
      if (rule.isDurable === true || context.memory.size === 0) continue;
      const entries = JSON.stringify([...context.memory.entries()], withMaps);
      this.#kept.set(memoryId(rule), { version: MEMORY_VERSION, entries } satisfies StoredMemory);
    }
  }

  #start(rule: Rule): Running {
    const memory = this.#memoryOf(rule);
    const report: ReportFinding = (subject, requests, params, code: Code = rule.code) => {
      this.#reported = this.#last;
      this.#findings.add(code, subject, requests, params);
    };
    const isReported = (): boolean => this.#reported === this.#last;
    return { rule, context: { state: this.#state, book: this.#book, memory, report, isReported } };
  }

  #memoryOf(rule: Rule): Recent<unknown> {
    const { keeps = 0, isDurable = false } = rule;
    if (isDurable) return new Recent(keeps, this.#backing(`open/${rule.code}/`));
    const memory = new Recent<unknown>(keeps);
    const kept = this.#kept.get(memoryId(rule)) as StoredMemory | undefined;
    // Used by one start only: it would be outdated after the next crash.
    this.#kept.delete(memoryId(rule));
    if (kept?.version !== MEMORY_VERSION) return memory;
    const entries = JSON.parse(kept.entries, asMaps) as [string, unknown][];
    for (const [key, value] of entries) memory.set(key, value);
    return memory;
  }

  /** The records of the store whose ID begins with a prefix. */
  #backing<Value>(prefix: string): Backing<Value> {
    const kept = this.#kept as Collection<Value & object>;
    return {
      *load() {
        for (const [id, value] of kept.entries()) {
          if (id.startsWith(prefix)) yield [id.slice(prefix.length), value];
        }
      },
      put: (key, value) => kept.set(prefix + key, value as Value & object),
      delete: (key) => void kept.delete(prefix + key),
    };
  }

  #reserve(number: number): void {
    this.#reserved = number;
    this.#keepCounts(number);
  }

  #keepCounts(last: number): void {
    const counts: Counts = { last, judged: this.#judged };
    this.#kept.set(COUNTS, counts);
  }
}

interface Counts {
  readonly last?: number;
  readonly judged?: number;
}

/** Increased when a rule remembers something else: memory in an older form is dropped. */
const MEMORY_VERSION = 2;

/** What a rule remembered at an orderly end. */
interface StoredMemory {
  readonly version?: number;
  readonly entries: string;
}

function memoryId({ code }: Rule): string {
  return `memory/${code}`;
}

const PLACES: readonly Place[] = [
  'row',
  'files',
  'file',
  'grade',
  'provision',
  'signed',
  'unknown',
];

type ByPlace = Readonly<Record<Place, readonly Running[]>>;

function byPlace(all: readonly Running[], outcome: Rule['on']): ByPlace {
  const running = all.filter(({ rule }) => rule.on === undefined || rule.on === outcome);
  const lists = PLACES.map((place) => [
    place,
    running.filter(({ rule }) => rule.at.includes(place)),
  ]);
  return Object.fromEntries(lists) as ByPlace;
}

/** JSON with maps, as `{ "(map)": entries }`. */
function withMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { '(map)': [...value] } : value;
}

function asMaps(_: string, value: unknown): unknown {
  const isMap = typeof value === 'object' && value !== null && '(map)' in value;
  return isMap ? new Map(value['(map)'] as [unknown, unknown][]) : value;
}
