import { changeRow } from './chaos/change-row.ts';
import type { Chaos } from './chaos/chaos.ts';
import type { Trouble } from './chaos/trouble.ts';
import type { Control } from './control/control.ts';
import { callerOf } from './http/caller.ts';
import { answerWith, type Effect, isProcessed } from './http/faults.ts';
import { chain, type MaybePromise } from './http/maybe-promise.ts';
import type { PlainRequest, Reply } from './http/messages.ts';
import { noFacts } from './report/facts.ts';
import { type SeenRequest, seenRequest } from './report/seen-request.ts';
import { endTokens } from './service/tokens.ts';
import type { EmulatorState } from './state.ts';
import { StoreError } from './store/store-error.ts';

type Service = Pick<Control, 'state' | 'faults' | 'traffic' | 'log'> & {
  readonly chaos: Chaos | undefined;
  /** Called for each defect. */
  readonly report: ((error: unknown) => void) | undefined;
};

/**
 * Answers a request to the service, with faults and chaos, and records it in the traffic and the report.
 * `answered` passes the answer to the function that it is given, if any.
 */
export function answerService(
  service: Service,
  request: PlainRequest,
  answered: (finish?: (sent: Reply) => Reply) => MaybePromise<Reply>,
): MaybePromise<Reply> {
  const { state, faults, traffic } = service;
  const started = performance.now();
  request.facts = noFacts();
  const fault = faults.take(request);
  const chosen = fault === undefined ? bringTrouble(service, request) : undefined;
  const effect: Effect | undefined = fault ?? chosen?.effect;
  const finish = (sent: Reply): Reply => {
    const ended = performance.now();
    const now = state.clock.now();
    const caller = callerOf(state, request);
    const timing = { now, ms: ended - started };
    const number = traffic.add(request, caller, sent, timing, effect?.is ?? null);
    request.noted?.(number);
    if (isOfConsole(state, request)) return sent;
    const about = { number, caller, now, started, ended, isProcessed: isProcessed(effect) };
    judge(service, seenRequest(request, sent, about), chosen?.trouble);
    return sent;
  };
  if (effect === undefined) return answered(finish);
  return chain(
    answerWith(effect, request, () => answered(), state.delays),
    finish,
  );
}

/** What a person does in the console is not the tool's doing. */
function isOfConsole({ urls }: EmulatorState, { isReplay, headers }: PlainRequest): boolean {
  return isReplay === true || headers.origin === urls.api;
}

/** Chooses the trouble that a request meets, and makes what has to be there before its response. */
function bringTrouble({ state, chaos }: Service, request: PlainRequest) {
  if (chaos === undefined) return undefined;
  const caller = callerOf(state, request);
  const chosen = chaos.choose(request, caller);
  const { facts = {} } = request;
  if (chosen?.trouble === 'refused') facts.isScoreRefused = true;
  if (chosen?.trouble === 'ended') {
    const launch = caller.token?.launchId;
    endTokens(state, 'membership changed', ({ launchId }) => launchId === launch);
  }
  return chosen;
}

/** The response is as it is, whatever the report makes of it. */
function judge(
  { state, log, report }: Service,
  seen: SeenRequest,
  trouble: Trouble | undefined,
): void {
  try {
    log.see(seen, trouble);
    const { row } = seen.facts;
    if (trouble !== 'changed' || row === undefined || seen.status !== 200) return;
    const change = changeRow(state, row);
    if (change !== undefined) log.seeChange(seen, row, change);
  } catch (error) {
    if (!(error instanceof StoreError)) report?.(error);
  }
}
