import { bearerOf } from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import type { SeenRequest } from './seen-request.ts';

const MAX_CHARACTERS = 200;
/** What is shorter is no secret, and stands in many a path. */
const MIN_SECRET = 8;
const SECRET = /\b(?:lt|pt|key)_[\w-]{8,}/g;

/** The path of a request as it can be shown: without its query, and without a secret in it. */
export function shownPath({ world }: EmulatorState, { request }: SeenRequest): string {
  const keys = [...world.tools.values()].map(({ apiKey }) => apiKey);
  const secrets = [bearerOf(request) ?? '', ...keys].filter(({ length }) => length >= MIN_SECRET);
  const path = request.target.replace(/\?.*$/s, '?…');
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), path);
  return shown.replace(SECRET, '…').slice(0, MAX_CHARACTERS);
}
