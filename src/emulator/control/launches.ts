import { schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { CONTROL_PREFIX } from '../../control-request.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/refusals.ts';
import { HttpError } from '../http/messages.ts';
import { requestLocations } from '../service/external/locations-calls.ts';
import { sendProvisions } from '../service/external/provision-calls.ts';
import { DEFAULT_SIGNATURE, signedToken } from '../service/external/signature.ts';
import { checkDevServer, requireHosted, showDevServer } from '../service/hosted/dev-server.ts';
import { claimsOf } from '../service/launches/claims.ts';
import { chooseTool, forKind, launch, passedOver } from '../service/launches/launches.ts';
import { requestProvision } from '../service/launches/provision-request.ts';
import { LOCATIONS_ANSWER, PROVISION_CALL } from '../state/records.ts';
import { endOf } from '../state/tokens.ts';
import { ID, TOOL_STATUS } from '../state/world.ts';
import { addressKeyOf } from '../review/address-book.ts';
import { coursePage } from './course-address.ts';
import { makeFixture } from './fixture.ts';
import { type Control, operation } from './operation.ts';

/** Of one launch of a tool. */
const LAUNCHED = { ...schemasOf(TAKEN.launch), 'role?': s.nonEmptyText, 'tool?': s.nonEmptyText };

/** Operations that make launches. */
export const LAUNCH_OPERATIONS = {
  'POST launch': operation({
    summary: 'launch a tool; all fields have defaults',
    takes: s.object({
      ...LAUNCHED,
      'account?': s.bool,
      'keyed?': s.described(
        s.bool,
        'without a location and a tool: if possible of a tool with an API key',
      ),
      ...schemasOf(TAKEN.coursePage),
      ...schemasOf(TAKEN.signed),
    }),
    answers: s.object({
      claims: s.anyObject,
      tool: s.text,
      hosted: s.bool,
      passed_over: s.nullable(s.object({ id: s.text, status: TOOL_STATUS })),
      course_page: s.text,
    }),
    run: async (
      { state },
      { third_party: isThirdParty = false, sign = DEFAULT_SIGNATURE, dev_url: devUrl, ...request },
    ) => {
      if (devUrl !== undefined) await checkDevServer(devUrl, state.urls);
      const wished = devUrl === undefined ? request : forKind(state, request, 'hosted');
      if (devUrl !== undefined) requireHosted(chooseTool(state, wished));
      const launched = launch(state, wished);
      const { claims, token } = launched;
      if (devUrl !== undefined) showDevServer(state, token, devUrl);
      return {
        claims,
        tool: token.tool,
        hosted: state.world.tools.get(token.tool)?.hosted === true,
        passed_over: passedOver(state, wished, launched),
        course_page: coursePage(state, token.launch_id, { isThirdParty, sign }),
      };
    },
  }),
  'POST launch/token': operation({
    summary: 'launch an external tool, and answer the signed token that its callback is sent',
    takes: s.object({ ...LAUNCHED, 'account?': s.bool, ...schemasOf(TAKEN.signed) }),
    answers: s.object({ launch_token: s.text, claims: s.anyObject }),
    run: async ({ state }, { sign = DEFAULT_SIGNATURE, ...request }) => {
      const wished = forKind(state, request, 'external');
      const tool = chooseTool(state, wished);
      if (tool.hosted) {
        const message = `tool ${tool.id} is hosted: only an external one is sent a launch token`;
        throw new HttpError(422, 'launch.hosted', message);
      }
      const { claims } = launch(state, wished);
      return { launch_token: await signedToken(state, tool, claims, sign), claims };
    },
  }),
  'GET launch': operation({
    summary: 'a launch that was made before, with its claims',
    takes: s.object({ launch_id: s.nonEmptyText }),
    answers: s.object({
      claims: s.anyObject,
      ...s.texts('tool', 'location', 'member'),
      ended: s.described(s.text, "why; '' for a live token"),
      course_page: s.text,
    }),
    run: (control, { launch_id: id }) => showLaunch(control, id),
  }),
  'POST provision-request': operation({
    summary: 'request that a tool provisions a course, or a location of it',
    takes: s.object({ ...LAUNCHED, ...schemasOf(TAKEN.provision), 'course?': ID }),
    answers: s.object({
      claims: s.anyObject,
      sent: s.list(PROVISION_CALL),
      not_sent: s.nullable(s.text),
    }),
    run: async ({ state }, request) => {
      const requested = requestProvision(state, request);
      return { claims: requested.claims, ...(await sendProvisions(state, requested, request)) };
    },
  }),
  'POST locations-request': operation({
    summary: 'ask a tool for its locations in a course',
    takes: s.object(schemasOf(TAKEN.locations)),
    answers: LOCATIONS_ANSWER,
    run: ({ state }, request) => requestLocations(state, request),
  }),
  'POST fixture': operation({
    summary: 'launches of every kind',
    answers: s.open(s.object({ base_url: s.text, hooks: s.anyObject })),
    access: 'token',
    run: ({ state, exchanges, token = '' }) => {
      const fixture = makeFixture(state, state.urls.api + CONTROL_PREFIX, token);
      const urls = [fixture.non_assessment_grade_url, fixture.not_placed_grade_url];
      exchanges.handOut(urls.flatMap((url) => addressKeyOf(state, url) ?? []));
      return fixture;
    },
  }),
};

function showLaunch({ state, observed }: Control, id: string) {
  const token = state.tokens.ofLaunch(id);
  if (token?.kind !== 'launch') throw notFound('launch', id);
  const { tool, location, member } = token;
  return {
    claims: observed?.claims(id) ?? claimsOf(state, token),
    tool,
    location,
    member,
    ended: endOf(token, state.clock.now()),
    course_page: coursePage(state, id, { isThirdParty: false, sign: DEFAULT_SIGNATURE }),
  };
}
