import { placeOf } from '../review/exchange.ts';
import type { Call } from '../service/call.ts';
import type { Trouble } from './trouble.ts';

/**
 * What chaos can do, as the report names it: all of it can happen to a tool in a course. A seed
 * depends on their order.
 */
export const CHAOS_KINDS = [
  'unavailable',
  'cut',
  'late',
  'ended',
  'unauthorized',
  'refused',
  'changed',
] as const;
export type ChaosKind = (typeof CHAOS_KINDS)[number];

interface ChaosSpec {
  /** How likely it is chosen when it is possible. */
  readonly weight: number;
  /** Whether it can happen to a call at that place; anywhere if left out. */
  readonly isPossible?: (call: Call, place: string) => boolean;
  /** The trouble, for a fraction in [0, 1). */
  readonly trouble: (fraction: number) => Trouble;
}

const SHORTEST_MS = 500;
const SPREAD_MS = 1500;

const KINDS: Readonly<Record<ChaosKind, ChaosSpec>> = {
  unavailable: {
    weight: 3,
    trouble: () => ({ kind: 'status', status: 503, headers: {}, body: '' }),
  },
  cut: { weight: 3, trouble: () => ({ kind: 'cut' }) },
  late: {
    weight: 2,
    trouble: (fraction) => ({
      kind: 'delay',
      ms: Math.round(SHORTEST_MS + fraction * SPREAD_MS),
    }),
  },
  // An ended token stays ended.
  ended: {
    weight: 1,
    isPossible: ({ caller }, place) => place !== 'signed' && caller.credential === 'launch_token',
    trouble: () => ({ kind: 'ended' }),
  },
  // 401 to the API key, once: as if the tool was suspended for a moment.
  unauthorized: {
    weight: 2,
    isPossible: ({ caller }, place) => place === 'grade' && caller.credential === 'api_key',
    trouble: () => ({ kind: 'suspended' }),
  },
  refused: {
    weight: 3,
    isPossible: (_call, place) => place === 'grade',
    trouble: () => ({ kind: 'refused' }),
  },
  changed: {
    weight: 3,
    isPossible: ({ request }, place) => place === 'row' && request.method === 'GET',
    trouble: () => ({ kind: 'changed' }),
  },
};

/**
 * A kind that can happen to a call, chosen by a fraction in [0, 1); undefined for a request that is
 * not from a tool.
 */
export function chooseKind(call: Call, fraction: number): ChaosKind | undefined {
  const place = placeOf(call.request, call.target);
  if (place === 'unknown') return undefined;
  const possible = CHAOS_KINDS.filter((kind) => KINDS[kind].isPossible?.(call, place) ?? true);
  const total = possible.reduce((sum, kind) => sum + KINDS[kind].weight, 0);
  let left = fraction * total;
  return possible.find((kind) => (left -= KINDS[kind].weight) < 0);
}

/** The trouble of a kind, for a fraction in [0, 1). */
export function troubleOf(kind: ChaosKind, fraction: number): Trouble {
  return KINDS[kind].trouble(fraction);
}
