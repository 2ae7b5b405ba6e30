import type { Chaos } from '../chaos/chaos.ts';
import type { ConsoleSessions } from '../console/sessions.ts';
import type { Events } from '../http/events.ts';
import type { Faults } from '../http/faults.ts';
import type { MaybePromise } from '../http/maybe-promise.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import type { ReportLog } from '../report/report-log.ts';
import type { Traffic } from '../http/traffic.ts';
import type { EmulatorState } from '../state.ts';
import type { Seed } from '../world/seed.ts';

/** What the control side works with. */
export interface Control {
  readonly state: EmulatorState;
  /** The world that a reset goes back to. */
  readonly seed: () => Seed;
  readonly token: string | undefined;
  readonly sessions: ConsoleSessions;
  readonly faults: Faults;
  readonly traffic: Traffic;
  readonly events: Events;
  readonly log: ReportLog;
  readonly chaos: Chaos | undefined;
  /** Answers a request as if it had come over the wire. */
  readonly send: (request: PlainRequest) => MaybePromise<Reply>;
}
