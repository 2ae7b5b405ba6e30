import * as s from '../../schema/schema.ts';
import { HttpError } from '../http/messages.ts';
import { keptAddresses } from '../review/address-book.ts';
import { storeSeedCode } from '../service/hosted/upload.ts';
import { exportSession, SESSION_TYPE } from '../session/export.ts';
import { importSession } from '../session/import.ts';
import { applySeed } from '../state/seed/seed.ts';
import { CODE_MS, openSession } from './access.ts';
import { CONSOLE_PREFIX } from './course-address.ts';
import { type Control, operation, streamed } from './operation.ts';

/** Operations on the whole emulator. */
export const LIFECYCLE_OPERATIONS = {
  'GET ready': operation({
    summary: 'whether the emulator serves',
    answers: s.object({
      ready: s.oneOf(true),
      open: s.described(s.bool, 'whether it is reached from other machines, by its token alone'),
      'observes?': s.described(s.text, 'the service that calls are led to; not in an emulator'),
    }),
    access: 'anyone',
    run: ({ isReady, state, observed }) => {
      if (!isReady()) throw new HttpError(503, 'emulator.starting', 'the emulator is starting');
      const observes = observed && { observes: observed.origin() };
      return { ready: true as const, open: state.urls.isOpen === true, ...observes };
    },
  }),
  'POST stop': operation({
    summary: 'stop the emulator; stored data stays',
    answers: s.object({}),
    access: 'token',
    run: ({ stop }, _taken, { signal }) => {
      if (stop === undefined) throw new HttpError(409, 'control.stop', NOT_STOPPED);
      // The response is sent first.
      const sent = signal?.();
      if (sent === undefined || sent.aborted) setImmediate(stop);
      else sent.addEventListener('abort', stop, { once: true });
      return {};
    },
  }),
  'POST console/code': operation({
    summary: 'a code that lets one page of the console in, once',
    answers: s.object({ code: s.text, url: s.text, seconds: s.count }),
    access: 'token',
    run: ({ state, sessions }) => ({
      code: sessions.newCode(),
      url: state.urls.api + CONSOLE_PREFIX,
      seconds: CODE_MS / 1000,
    }),
  }),
  'POST console/session': operation({
    summary: 'trade a code for a session of the console',
    takes: s.object({ code: s.nonEmptyText }),
    answers: s.object({ session: s.text }),
    access: 'anyone',
    run: ({ sessions }, { code }) => openSession(sessions, code),
  }),
  'GET openapi.json': operation({
    summary: 'the OpenAPI document of the service',
    answers: s.anyObject,
    access: 'local',
    run: ({ openapi }) => openapi('service'),
  }),
  'GET openapi-control.json': operation({
    summary: 'the OpenAPI document of the control API',
    answers: s.anyObject,
    access: 'local',
    run: ({ openapi }) => openapi('control'),
  }),
  'POST reset': operation({
    summary: 'forget everything, and apply the seed again',
    answers: s.object({}),
    run: async (control) => {
      reset(control);
      await storeSeedCode(control.state, control.seed());
      await control.onReset?.();
      return {};
    },
  }),
  'GET export': streamed(SESSION_TYPE, {
    summary: 'a session: all state and the traffic, in the database of an emulator',
    takes: s.object({
      'redact?': s.described(s.bool, 'without secrets, names and bytes of files'),
    }),
    answers: s.any,
    access: 'token',
    reply: async ({ state, exchanges }, asked) => {
      const body = await exportSession(state, exchanges, asked);
      return { status: 200, headers: { 'content-type': SESSION_TYPE }, body };
    },
  }),
  'POST import': operation({
    summary: 'replace all state and the traffic with those of a session',
    // The second is that of earlier versions.
    raw: [SESSION_TYPE, 'application/x-ndjson'],
    streamsBody: true,
    answers: s.object({}),
    access: 'token',
    run: async (control, _taken, { body }) => {
      await importSession(control.state, control.exchanges, body);
      forgetDisturbances(control);
      return {};
    },
  }),
};

const NOT_STOPPED = 'this emulator ends with the program that it belongs to';

function reset(control: Control): void {
  const { state, seed, exchanges } = control;
  const kept = keptAddresses(state, exchanges);
  state.store.clear(['settings', 'ports', 'blobs']);
  state.blobs.clear();
  state.tokens.forget();
  state.timestamps.forget();
  applySeed(state, seed());
  exchanges.clear();
  exchanges.handOut(kept);
  forgetDisturbances(control);
  control.chaos?.reset();
}

/** Forgets what is not stored: waits, pending faults, and what frames have seen. */
function forgetDisturbances({ state, faults }: Control): void {
  state.hosted.refused.clear();
  state.hosted.noticed.clear();
  state.hosted.watched.clear();
  state.hosted.origins.devUrls.clear();
  state.delays.endAll();
  faults.clear();
}
