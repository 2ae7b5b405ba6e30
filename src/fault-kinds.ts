/** Whether the request takes effect before its connection is closed. */
export const CLOSE_TIMES = ['before', 'after'] as const;

/** The effect of an injected fault, as the control API takes it: exactly one of these. */
export interface FaultEffect {
  readonly status?: number | undefined;
  readonly close?: (typeof CLOSE_TIMES)[number] | undefined;
  readonly cut?: boolean | undefined;
  readonly delay_ms?: number | undefined;
}

interface FaultRow {
  readonly field: keyof FaultEffect;
  /** The flag of `lectern emulator fault`. */
  readonly flag: string;
  readonly help: string;
  readonly range?: { readonly from: number; readonly to?: number };
  readonly choices?: readonly string[];
  /** The meaning of the field, and whether the request takes effect. */
  readonly description: string;
  /** The fault in a list. */
  readonly label: (effect: FaultEffect) => string;
  readonly sentence: (effect: FaultEffect) => string;
}

/**
 * The kinds of faults. The flags of `lectern emulator fault`, the fields of the control API and the
 * texts of the console are derived from this table. `src/emulator/trouble` applies them.
 */
export const FAULT_KINDS = {
  status: {
    field: 'status',
    flag: '--status <n>',
    help: 'respond with this status',
    range: { from: 200, to: 599 },
    description: 'of another response; the request has no effect',
    label: ({ status }) => `status ${status}`,
    sentence: ({ status }) => `responds ${status}, without effect`,
  },
  close: {
    field: 'close',
    flag: '--close <when>',
    help: 'close the connection without a response',
    choices: CLOSE_TIMES,
    description:
      'close the connection without a response, before or after the request takes effect',
    label: ({ close }) => `close ${close}`,
    sentence: ({ close }) =>
      close === 'before' ? 'has no effect and no response' : 'takes effect, without a response',
  },
  cut: {
    field: 'cut',
    flag: '--cut',
    help: 'close the connection in the middle of the response body',
    description: 'the request takes effect; half of the response is sent',
    label: () => 'cut',
    sentence: () => 'takes effect, and the response breaks off',
  },
  delay: {
    field: 'delay_ms',
    flag: '--delay <ms>',
    help: 'delay the response by this many milliseconds',
    range: { from: 0 },
    description: 'the request takes effect; the response is sent later',
    label: ({ delay_ms: ms }) => `delay ${ms} ms`,
    sentence: ({ delay_ms: ms = 0 }) => `takes effect, and responds ${ms / 1000} seconds later`,
  },
} as const satisfies Record<string, FaultRow>;

export type FaultKind = keyof typeof FAULT_KINDS;

export const FAULT_NAMES = Object.keys(FAULT_KINDS) as FaultKind[];

/** The kinds in a request: exactly one, unless it is invalid. */
export function kindsOf(effect: FaultEffect): FaultKind[] {
  return FAULT_NAMES.filter((kind) => effect[FAULT_KINDS[kind].field] !== undefined);
}
