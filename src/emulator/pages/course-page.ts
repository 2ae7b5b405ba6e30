import { signedToken } from '../service/external/signature.ts';
import { isOtherName, sourceOf } from './origins.ts';
import { READING, READING_HEADER, asset, assetText, assetType, fillPage } from './assets/assets.ts';
import {
  foreignOrigin,
  HttpError,
  jsonReply,
  noSuchAddress,
  type PlainRequest,
  type Reply,
  UNCACHED,
} from '../http/messages.ts';
import { ticketFor } from '../state/issue.ts';
import { endOf, expiryOf } from '../state/tokens.ts';
import { nameOf } from '../state/people.ts';
import { type EmulatorState, isWithBrowser } from '../state/state.ts';
import type { EndReason, Token } from '../state/records.ts';
import type { Faults } from '../trouble/faults.ts';
import { claimsOf } from '../service/launches/claims.ts';
import { showDevServer } from '../service/hosted/dev-server.ts';
import { launchableTool, launch } from '../service/launches/launches.ts';
import { whyUnreachable } from '../service/external/post.ts';
import { type Tool, isStaffMember } from '../state/world.ts';
import {
  COURSE_PREFIX,
  type View,
  coursePage,
  frameHost,
  readView,
} from '../control/course-address.ts';
import { versionClaim } from '../state/versions.ts';

/**
 * The course page around a tool: as a placement shows it. It is on the API's origin
 * and needs no token: only the one who launched knows its URL, which contains the launch ID.
 *
 * | Method and path        | Answer |
 * |------------------------|--------|
 * | GET  …/<launch>        | the page; with `third-party` in the query the frame is on another site |
 * | GET  …/<launch>/status | status of the session: `ended`, `seconds_left`, `relaunches`, `unnoticed`, `upgrade`, `faults` |
 * | POST …/<launch>/again  | `course_page` of a new launch of the same person at the same placement |
 * | POST …/<launch>/noticed | the frame has seen that its session ended |
 * | POST …/<launch>/claims | the launch of a development server's frame, which the page hands on |
 * | POST …/<launch>/form   | `action` and `launch_token` of the form that launches an external tool, and why it is `unreachable` |
 */
export async function answerCourse(
  state: EmulatorState,
  request: PlainRequest,
  faults: Faults,
): Promise<Reply> {
  const { method, target } = request;
  const [path = '', query = ''] = target.slice(COURSE_PREFIX.length).split('?');
  const [launchId = '', part = '', ...more] = path.split('/');
  // A path below the prefix that is not a launch ID.
  if (launchId === '_assets' && method === 'GET') {
    // A page of a development server loads it, which is on another origin.
    if (part === 'service.js') return devScript();
    if (part !== 'course.js' && part !== 'course.css') noSuchAddress();
    return withSecurityHeaders(await asset(part));
  }
  const token = state.tokens.ofLaunch(launchId);
  if (token === undefined || token.kind !== 'launch' || more.length > 0) {
    if (part === '') return withSecurityHeaders({ ...(await asset('gone.html')), status: 404 });
    throw new HttpError(404, 'launch.not_found', `there is no launch ${launchId}: ${WAY_ON}`);
  }
  const view = readView(query);
  switch (`${method} ${part}`) {
    case 'GET ':
      if (isOtherName(state.urls, request.headers.host)) {
        return { status: 307, headers: { location: state.urls.api + target }, body: null };
      }
      return page(state, token, view);
    case 'GET status':
      return withSecurityHeaders(
        jsonReply(200, {
          ...statusOf(state, token),
          faults: faults.shown().faults.map(({ says }) => says),
        }),
      );
    case 'POST again':
      checkOwnOrigin(state, request);
      return withSecurityHeaders(jsonReply(200, launchAgain(state, token, view)));
    case 'POST noticed':
      checkOwnOrigin(state, request);
      state.hosted.noticed.add(launchId);
      return withSecurityHeaders(jsonReply(200, {}));
    case 'POST claims':
      checkOwnOrigin(state, request);
      return withSecurityHeaders(jsonReply(200, await devLaunch(state, token)));
    case 'POST form':
      checkOwnOrigin(state, request);
      return withSecurityHeaders(jsonReply(200, await launchForm(state, token, view)));
    default:
      noSuchAddress();
  }
}

const WAY_ON =
  'it may have gone with a reset of the emulator; make a new one: lectern emulator launch --open';

/** A form on any page can be submitted here without CORS: requests with an effect check the Origin. */
function checkOwnOrigin({ urls }: EmulatorState, { headers }: PlainRequest): void {
  if (typeof headers.origin === 'string' && urls.isOwn(headers.origin)) return;
  throw foreignOrigin();
}

function launchAgain(state: EmulatorState, token: Token, view: View): { course_page: string } {
  const { location, member, account } = token;
  const again = launch(state, { location, member, account });
  const dev = state.hosted.origins.devUrls.get(token.launch_id);
  if (dev !== undefined) showDevServer(state, again.token, dev.href);
  return { course_page: coursePage(state, again.token.launch_id, view) };
}

/** The form that the browser POSTs to an external tool; its fields are lectern's interpretation. */
async function launchForm(state: EmulatorState, token: Token, { isThirdParty, sign }: View) {
  const tool = launchableTool(state, token.tool);
  if (tool.callback === undefined) {
    const message = `tool ${tool.id} has no callback: add one to the seed`;
    throw new HttpError(422, 'launch.callback', message);
  }
  const end = endOf(token, state.clock.now());
  if (end !== '') {
    const message = `the session has ended, ${REASONS[end]}; press Launch again`;
    throw new HttpError(422, 'launch.ended', message);
  }
  const address = new URL(tool.callback);
  const why = isWithBrowser(state.urls) ? await whyUnreachable(tool.callback) : undefined;
  if (isThirdParty && address.hostname === '127.0.0.1') address.hostname = 'localhost';
  const launch_token = await signedToken(state, tool, claimsOf(state, token), sign);
  return { action: address.href, launch_token, unreachable: why ?? null };
}

async function page(state: EmulatorState, token: Token, view: View): Promise<Reply> {
  const tool = state.world.tools.get(token.tool) as Tool;
  const frame = tool.hosted ? await hostedFrame(state, token, view) : NO_FRAME;
  const template = await assetText('course.html');
  const body = fillPage(template, {
    ...textsOf(state, token, tool),
    ...frame,
    'third-party': view.isThirdParty ? 'checked' : '',
  });
  const reply = { status: 200, headers: { 'content-type': assetType('course.html') }, body };
  return withSecurityHeaders(reply, originsOf(frame));
}

function originsOf({ origin, ended }: Frame): readonly string[] {
  return ended === '' ? [origin] : [...new Set([origin, new URL(ended).origin])];
}

interface Frame {
  readonly origin: string;
  readonly src: string;
  /** The session-ended page. */
  readonly ended: string;
}

const NO_FRAME: Frame = { origin: '', src: '', ended: '' };

async function hostedFrame(
  state: EmulatorState,
  token: Token,
  { isThirdParty }: View,
): Promise<Frame> {
  const { origins } = state.hosted;
  if (origins.isClosed) {
    throw new HttpError(501, 'frames.closed', 'an emulator without ports serves no frames');
  }
  const own = await origins.open(token.tool, frameHost(state.urls, isThirdParty));
  const ended = `${own}${ENDED_PATH}`;
  const dev = state.hosted.origins.devUrls.get(token.launch_id);
  const origin = dev?.origin ?? own;
  if (endOf(token, state.clock.now()) !== '') return { origin, src: ended, ended };
  const src = dev?.href ?? `${own}/l/${ticketFor(state, token).ticket}/`;
  return { origin, src, ended };
}

const ENDED_PATH = '/_service/ended';

/** The script that gives a page of a development server its launch, which it asks the course page for. */
async function devScript(): Promise<Reply> {
  const script = await asset('service.js');
  const headers = {
    ...script.headers,
    'cross-origin-resource-policy': 'cross-origin',
    ...UNCACHED,
  };
  return { ...script, headers };
}

async function devLaunch(state: EmulatorState, token: Token) {
  if (!state.hosted.origins.devUrls.has(token.launch_id)) noSuchAddress();
  const own = await state.hosted.origins.open(token.tool, frameHost(state.urls, false));
  return { claims: claimsOf(state, token), service: state.urls.api, ended: `${own}${ENDED_PATH}` };
}

function textsOf({ world }: EmulatorState, token: Token, tool: Tool): Record<string, string> {
  const member = world.members.get(token.member);
  return {
    launch: token.launch_id,
    course: world.courses.get(token.course)?.title ?? token.course,
    placement: world.locations.get(token.location)?.title ?? token.location,
    person: member === undefined ? token.member : nameOf(member),
    role: !member ? '' : isStaffMember(member) ? member.groups.join(', ') : 'student',
    tool: tool.name,
    kind: tool.hosted ? 'hosted' : 'external',
  };
}

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/**
 * Headers of the course page. For an external tool it has no `form-action`, which Chromium also
 * applies to redirects of the tool, and its frame may go anywhere, as in a real course.
 */
function withSecurityHeaders(reply: Reply, frames?: readonly string[]): Reply {
  const ownPolicy =
    frames?.[0] === ''
      ? ['frame-src http: https:']
      : [`frame-src ${frames?.map(sourceOf).join(' ') ?? "'none'"}`, "form-action 'none'"];
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'content-security-policy': [...CONTENT_POLICY, ...ownPolicy].join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // Not no-referrer: then the form that launches an external tool would have the origin `null`.
      'referrer-policy': 'strict-origin',
      ...UNCACHED,
      [READING_HEADER]: READING,
    },
  };
}

/** Why a session ended, for the person at the course page ("States: launch token"). */
const REASONS: Readonly<Record<EndReason, string>> = {
  idle: 'it was idle: no call for 12 hours',
  'lifetime over': 'its lifetime has passed',
  'tool suspended': 'the tool was suspended',
  'tool archived': 'the tool was archived',
  'code replaced': 'the code of the tool was replaced',
  'left the course': 'the person left the course',
  'membership changed': 'the membership of the person changed',
  'ended by hand': 'it was ended by hand',
};

interface SessionStatus {
  /** Why its token ended; null while it is valid. */
  readonly ended: string | null;
  /** Time until it ends if no call is made. */
  readonly seconds_left: number;
  /** Whether the service refused a call because the token had ended, but no frame has noticed. */
  readonly unnoticed: boolean;
  /** Its token ended because a watch has uploaded new code: the page launches again by itself. */
  readonly relaunches: boolean;
  /** The version that the course runs and the offered one; null without an offer. */
  readonly upgrade: { readonly from: number; readonly to: number } | null;
}

function statusOf(state: EmulatorState, token: Token): SessionStatus {
  const { clock, hosted } = state;
  const now = clock.now();
  const end = endOf(token, now);
  const left = expiryOf(token) - now;
  return {
    ended: end === '' ? null : REASONS[end],
    seconds_left: end === '' ? Math.ceil(left / 1000) : 0,
    relaunches: end === 'code replaced' && hosted.watched.has(token.tool),
    unnoticed: hosted.refused.has(token.launch_id) && !hosted.noticed.has(token.launch_id),
    upgrade: upgradeOf(state, token),
  };
}

function upgradeOf({ world }: EmulatorState, token: Token): SessionStatus['upgrade'] {
  const course = world.courses.get(token.course);
  if (course === undefined) return null;
  const { number, upgrade } = versionClaim(world.tools.get(token.tool), course);
  return upgrade === null ? null : { from: number, to: upgrade };
}
