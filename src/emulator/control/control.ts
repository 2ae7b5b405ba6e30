import type { Chaos } from '../trouble/chaos.ts';
import type { ConsoleSessions } from './sessions.ts';
import type { Events } from './events.ts';
import type { Faults } from '../trouble/faults.ts';
import type { PlainRequest } from '../http/messages.ts';
import type { Review } from '../review/review.ts';
import type { Traffic } from '../review/traffic.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Seed } from '../state/seed/seed.ts';

/** The parts that the control API works with. */
export interface Control {
  readonly state: EmulatorState;
  /** The world that a reset goes back to. */
  readonly seed: () => Seed;
  readonly token: string | undefined;
  /** The command that started the emulator. */
  readonly startedWith: string | undefined;
  /** Whether other machines can reach it. */
  readonly isOpen: boolean;
  readonly isReady: () => boolean;
  /** Ends the emulator; undefined if it runs inside another program. */
  readonly stop: (() => void) | undefined;
  readonly sessions: ConsoleSessions;
  readonly faults: Faults;
  readonly traffic: Traffic;
  readonly events: Events;
  readonly review: Review;
  readonly chaos: Chaos | undefined;
  /** The OpenAPI document of the service, or of the control API. */
  readonly openapi: (part: 'service' | 'control') => Promise<Readonly<Record<string, unknown>>>;
  /** Sends a request again; resolves with its number in the traffic. */
  readonly replay: (request: PlainRequest) => Promise<number>;
}
