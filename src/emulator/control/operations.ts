import { askAgain, sendProvisions } from '../service/external/provision-calls.ts';
import { requestLocations } from '../service/external/locations-calls.ts';
import { DEFAULT_SIGNATURE, SIGNATURES } from '../service/external/signature.ts';
import { CONSOLE_PREFIX, CONTROL_PREFIX } from './address.ts';
import { CODE_MS } from './sessions.ts';
import { coursePage } from './course-address.ts';
import { removeBlob, blobsOf } from '../state/files.ts';
import type { LaunchRequest } from '../service/launches/launch-request.ts';
import { launch, passedOver } from '../service/launches/launches.ts';
import { requestProvision, type ProvisionRequest } from '../service/launches/provision-request.ts';
import { applySeed } from '../state/seed/seed.ts';
import { numberIn, wordField, optionalText, text, type Body } from '../http/fields.ts';
import { moveClock, shownClock } from './clock.ts';
import type { Control } from './control.ts';
import { declareFrom, deleteFrom, linkTo } from './files.ts';
import { makeFixture } from './fixture.ts';
import { changeLms } from './lms.ts';
import { reportOf } from './report-how.ts';
import { replay } from './requests.ts';
import { stateOf } from './state.ts';
import { acceptLocations } from './tool-side.ts';
import { adoptVersion, changeGroups, changeTool, endToken, keyOf, removeMember } from './tools.ts';

/** An operation of the control side; its name is its method and path. */
export type Operation = (control: Control, body: Body) => object | Promise<object>;

/** What takes one JSON object and gives one. */
export const OPERATIONS = {
  'POST launch': ({ state }, body) => {
    const request = launchRequestOf(body);
    const launched = launch(state, request);
    const { claims, token } = launched;
    const view = {
      isThirdParty: body.third_party === true,
      sign: body.sign === undefined ? DEFAULT_SIGNATURE : wordField(body, 'sign', SIGNATURES),
    };
    return {
      claims,
      tool: token.tool,
      hosted: state.world.tools.get(token.tool)?.hosted === true,
      passed_over: passedOver(state, request, launched),
      course_page: coursePage(state, token.launchId, view),
    };
  },
  'POST provision-request': async ({ state }, body) => {
    const request = launchRequestOf(body);
    const requested = requestProvision(state, request);
    return { claims: requested.claims, ...(await sendProvisions(state, requested, request)) };
  },
  'POST locations-request': ({ state }, body) =>
    requestLocations(state, {
      tool: optionalText(body, 'tool'),
      course: optionalText(body, 'course'),
    }),
  'POST fixture': ({ state, review, token = '' }) => {
    const fixture = makeFixture(state, state.urls.api + CONTROL_PREFIX, token);
    review.handOut([fixture.non_assessment_grade_url, fixture.not_placed_grade_url]);
    return fixture;
  },
  'GET state': ({ state }) => stateOf(state),
  'POST lms': ({ state }, body) => changeLms(state, body),
  'POST key': ({ state }, body) => keyOf(state, optionalText(body, 'tool')),
  'POST token/end': ({ state }, body) => endToken(state, body),
  'POST tool': ({ state }, body) => changeTool(state, body),
  'POST adopt': ({ state }, body) => adoptVersion(state, body),
  'POST locations': (_control, body) => acceptLocations(body),
  'POST member/groups': ({ state }, body) => changeGroups(state, body),
  'POST member/remove': ({ state }, body) => removeMember(state, text(body, 'member')),
  'GET clock': ({ state }) => shownClock(state),
  'POST clock': async ({ state }, body) => {
    const shown = moveClock(state, body);
    await askAgain(state);
    return shown;
  },
  'POST fault': ({ faults }, body) => {
    faults.add(body);
    return faults.shown();
  },
  'GET faults': ({ faults }) => faults.shown(),
  'POST fault/remove': ({ faults }, body) => {
    faults.remove(numberIn(body, 'id'));
    return faults.shown();
  },
  'POST fault/clear': ({ faults }) => {
    faults.clear();
    return faults.shown();
  },
  'GET report': (control) => reportOf(control),
  'POST requests/replay': (control, body) => replay(control, body),
  'POST file/declare': ({ state }, body) => declareFrom(state, body),
  'POST file/link': ({ state }, body) => linkTo(state, body),
  'POST file/delete': ({ state }, body) => deleteFrom(state, body),
  'POST console/code': ({ state, sessions }) => ({
    code: sessions.newCode(),
    url: state.urls.api + CONSOLE_PREFIX,
    seconds: CODE_MS / 1000,
  }),
  'POST reset': (control) => {
    reset(control);
    return {};
  },
} satisfies Readonly<Record<string, Operation>>;

/** Forgets everything, and plants the seed anew. */
function reset(control: Control): void {
  const { state, seed } = control;
  for (const blob of blobsOf(state)) removeBlob(state, blob);
  state.store.clear();
  state.timestamps.forget();
  applySeed(state, seed());
  state.rowVersions.clear({ at: state.clock.now(), by: 'start' });
  forgetTraffic(control);
  control.review.reset();
  control.chaos?.reset();
}

/** Forgets what was seen and what is still to come, but nothing that is stored. */
export function forgetTraffic({ state, faults, traffic }: Control): void {
  state.hosted.refused.clear();
  state.hosted.noticed.clear();
  state.delays.endAll();
  faults.clear();
  traffic.clear();
}

function launchRequestOf(body: Body): LaunchRequest & ProvisionRequest {
  const fields = ['role', 'member', 'course', 'from', 'location', 'tool'] as const;
  const given = fields.flatMap((field) => {
    const value = optionalText(body, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(given), account: body.account === true };
}
