import {
  type Launch,
  LAUNCH_TOKEN_IDLE_MS,
  type LaunchKind,
  parseInstant,
  PROVISION_TOKEN_MS,
  truncate,
  violation,
  type Violation,
} from '../../contract/index.ts';

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 24 * 60 * MS_PER_MINUTE;
/** A larger number is not a duration, since no token lives that long. */
const MAX_LIFETIME_MS = 366 * MS_PER_DAY;
/** Instants of this century: 2001-09-09 to 2286-11-20, in seconds and in milliseconds. */
const INSTANT_SECONDS = [1e9, 1e10] as const;
const INSTANT_MS = [1e12, 1e13] as const;
const ISO_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const NUMERIC = /^\d{1,15}(\.\d+)?$/;

/** A possible meaning of a raw lifetime claim. The contract gives no values, so it is a guess. */
export type LifetimeGuess =
  | { readonly instant: number; readonly unit: string }
  | { readonly duration: number; readonly unit: string };

/**
 * Guesses the meaning of `api.expires` or `api.idle` from its form: an instant or a duration, in
 * ms.
 */
export function guessLifetime(raw: unknown): LifetimeGuess | undefined {
  if (typeof raw === 'string' && ISO_INSTANT.test(raw)) {
    const instant = parseInstant(raw);
    return Number.isNaN(instant) ? undefined : { instant, unit: 'ISO 8601' };
  }
  const number = typeof raw === 'string' && NUMERIC.test(raw) ? Number(raw) : raw;
  return typeof number === 'number' ? guessNumber(number) : undefined;
}

function guessNumber(number: number): LifetimeGuess | undefined {
  if (isWithin(number, INSTANT_MS)) {
    return { instant: Math.round(number), unit: 'milliseconds since the epoch' };
  }
  if (isWithin(number, INSTANT_SECONDS)) {
    return { instant: Math.round(number * 1000), unit: 'seconds since the epoch' };
  }
  if (number <= 0) return undefined;
  // Seconds unless the result were absurd: 43200 is 12 hours, and so is 43200000 in milliseconds.
  if (number * 1000 <= MAX_LIFETIME_MS) return { duration: number * 1000, unit: 'seconds' };
  return number <= MAX_LIFETIME_MS ? { duration: number, unit: 'milliseconds' } : undefined;
}

function isWithin(number: number, [from, to]: readonly [number, number]): boolean {
  return number >= from && number < to;
}

/** A guess as text: `2026-10-13T10:00:00.000Z (milliseconds since the epoch), 2 h from now`. */
export function guessInWords(guess: LifetimeGuess, now?: number): string {
  if ('duration' in guess) return `${durationInWords(guess.duration)} (${guess.unit})`;
  const instant = `${new Date(guess.instant).toISOString()} (${guess.unit})`;
  if (now === undefined) return instant;
  const ahead = guess.instant - now;
  const distance = durationInWords(Math.abs(ahead));
  return `${instant}, ${ahead < 0 ? `${distance} ago` : `${distance} from now`}`;
}

/** A duration in its two largest units, rounded down: `11 h 58 min`. */
function durationInWords(ms: number): string {
  const minutes = Math.floor(ms / MS_PER_MINUTE);
  if (minutes === 0) return `${Math.floor(ms / 1000)} s`;
  const parts = [
    [Math.floor(minutes / (24 * 60)), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Notes the possible meanings of the lifetime claims, and what seems to have ended already. */
export function checkLifetime(launch: Launch, kind: LaunchKind, now?: number): Violation[] {
  return [
    ...checkGuess('api.expires', launch.expires, 'launch.expires_guess', now),
    ...checkGuess('api.idle', launch.idle, 'launch.idle_guess', now),
    ...(kind === 'launch' ? checkExpired(launch, now) : checkRequestAge(launch, now)),
    ...checkCarrier(launch, now),
  ];
}

function checkGuess(
  claim: 'api.expires' | 'api.idle',
  value: unknown,
  code: 'launch.expires_guess' | 'launch.idle_guess',
  now: number | undefined,
): Violation[] {
  // null has no meaning: the token of a provision request has no idle time.
  if (value === undefined || value === null) return [];
  const raw = rawInWords(value);
  const guess = guessLifetime(value);
  if (guess === undefined) return [violation('launch.lifetime_unreadable', claim, { claim, raw })];
  return [violation(code, claim, { raw, guess: guessInWords(guess, now) })];
}

function rawInWords(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'an array' : 'an object';
  }
  return truncate(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

function checkExpired(launch: Launch, now: number | undefined): Violation[] {
  const guess = guessLifetime(launch.expires);
  if (now === undefined || guess === undefined || !('instant' in guess)) return [];
  if (now < guess.instant) return [];
  const ago = durationInWords(now - guess.instant);
  return [violation('launch.expires_passed', 'api.expires', { ago })];
}

/**
 * "The token of a provision request has a fixed lifetime of 3 hours"; its age is in `iat`, or
 * guessed.
 */
function checkRequestAge(launch: Launch, now: number | undefined): Violation[] {
  const issued = issuedAt(launch);
  if (issued === undefined || now === undefined) {
    return [violation('launch.provision_age_unknown', 'api.token')];
  }
  // "At the limit it has ended", as in the emulator.
  if (now - issued < PROVISION_TOKEN_MS) return [];
  return [violation('launch.provision_ended', 'api.token', { age: durationInWords(now - issued) })];
}

function issuedAt(launch: Launch): number | undefined {
  const { iat } = launch.claims;
  if (typeof iat === 'number' && isWithin(iat, INSTANT_SECONDS)) return iat * 1000;
  const guess = guessLifetime(launch.expires);
  return guess && 'instant' in guess ? guess.instant - PROVISION_TOKEN_MS : undefined;
}

function checkCarrier({ claims }: Launch, now: number | undefined): Violation[] {
  const { exp } = claims;
  if (now === undefined || typeof exp !== 'number' || !isWithin(exp, INSTANT_SECONDS)) return [];
  if (now < exp * 1000) return [];
  return [violation('launch.carrier_expired', 'exp', { ago: durationInWords(now - exp * 1000) })];
}

/** The contract's own words on how long a token lives. */
export function lifetimeRule(kind: LaunchKind): string {
  return kind === 'launch'
    ? `ends after ${durationInWords(LAUNCH_TOKEN_IDLE_MS)} without a successful call; each successful call restarts the time`
    : `is valid for ${durationInWords(PROVISION_TOKEN_MS)}; calls do not extend it`;
}
