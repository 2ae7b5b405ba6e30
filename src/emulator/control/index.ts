import { CONTROL_PREFIX } from '../../control-request.ts';
import {
  HttpError,
  errorReply,
  noSuchAddress,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import { checkCaller, checkContentType } from './access.ts';
import { type Control, takenFrom, type ControlOperation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

export type { Answers, StreamedName, Taken } from './operations.ts';

export async function answerControl(control: Control, sent: PlainRequest): Promise<Reply> {
  try {
    const [path = '', query = ''] = sent.target.slice(CONTROL_PREFIX.length).split('?');
    // Health checks use HEAD too.
    const isHealthCheck = sent.method === 'HEAD' && path === 'ready';
    const request = isHealthCheck ? { ...sent, method: 'GET' } : sent;
    const name = `${request.method} ${path}`;
    const operation = operationOf(name);
    if (!isFree(control, operation)) checkCaller(control, request, operation?.access);
    checkContentType(request, operation?.raw);
    if (operation === undefined) noSuchAddress();
    if (control.observed !== undefined && !OBSERVED.has(name)) throw notAnEmulator();
    const taken = await takenFrom(operation, request, query);
    const reply = await operation.reply(control, taken, request);
    if (request.method !== 'GET') control.events.changed();
    return reply;
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

/** The operations that need no service of our own; the others are 409 in `lectern observe`. */
const OBSERVED: ReadonlySet<string> = new Set([
  'GET ready',
  'POST stop',
  'POST console/code',
  'POST console/session',
  'GET summary',
  'GET world',
  'GET clock',
  'GET launch',
  'GET tokens',
  'GET attempts',
  'GET requests',
  'GET requests/follow',
  'GET requests/captured',
  'GET request',
  'GET events',
  'GET report',
] satisfies (keyof typeof OPERATIONS)[]);

function notAnEmulator(): HttpError {
  const message = 'this is lectern observe: the service behind it is not an emulator';
  return new HttpError(409, 'observe.service', message);
}

/** Whether an operation is answered without a credential. */
function isFree({ state }: Control, operation: ControlOperation | undefined): boolean {
  return operation?.access === 'anyone' || (operation?.access === 'local' && !state.urls.isOpen);
}

function operationOf(name: string): ControlOperation | undefined {
  if (!Object.hasOwn(OPERATIONS, name)) return undefined;
  return OPERATIONS[name as keyof typeof OPERATIONS] as ControlOperation;
}

/** Whether the body of a request is handled as it arrives. */
export function isStreamed(target: string): boolean {
  if (!target.startsWith(CONTROL_PREFIX)) return false;
  const [path = ''] = target.slice(CONTROL_PREFIX.length).split('?');
  return operationOf(`POST ${path}`)?.streamsBody === true;
}
