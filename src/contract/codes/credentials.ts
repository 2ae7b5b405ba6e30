import { forbidden, situation, unauthenticated } from './code-row.ts';

const AUTH_RULE = 'Authentication';

/** Errors of credentials and of the users they act for. */
export const CREDENTIAL_CODES = {
  'auth.missing': unauthenticated(
    'Missing Bearer token',
    AUTH_RULE,
    'send Authorization: Bearer with the api.token of a launch',
    situation('GET storage.member without an Authorization header'),
  ),
  'auth.missing_grade': unauthenticated(
    'Missing Bearer API key',
    AUTH_RULE,
    'send Authorization: Bearer with api.token or the tool API key',
    situation('POST grade.submit without an Authorization header'),
  ),
  'auth.ended': unauthenticated(
    'launch token has ended',
    'States: launch token',
    'get a token from a new launch',
    situation('GET storage.member 12 hours after the last call'),
  ),
  'auth.unknown': unauthenticated(
    'unknown token',
    AUTH_RULE,
    'get a token from a new launch of this tool',
    situation('GET storage.member with a token that was never given'),
  ),
  'auth.key_unknown': unauthenticated(
    'Invalid API key',
    'Errors, Grade submission: 401',
    'the key may have been rotated: copy the current one from the dashboard; for a token, get a new launch',
    situation('POST grade.submit with an API key that was rotated'),
  ),
  'auth.suspended': unauthenticated(
    'App is suspended',
    'Errors, Grade submission: 401',
    'the tool is suspended or archived; see the dashboard',
    situation('POST grade.submit with the API key of a suspended tool'),
  ),
  'auth.key_not_accepted': unauthenticated(
    'the API key is not accepted here',
    'Authentication: rule 2',
    'the API key can only submit grades, under /contexts/; use a launch token',
    situation('GET storage.member with an API key'),
  ),
  'auth.other_tool': forbidden(
    (p) => `API key is for tool ${p.key_tool}, not tool ${p.url_tool}`,
    'Errors, Grade submission: 403',
    'use the key of the tool in the URL',
    situation("POST grade.submit with another tool's API key", {
      key_tool: 'quiz',
      url_tool: 'essay',
    }),
  ),
  'auth.not_placed': forbidden(
    (p) => `tool ${p.tool} has no placement of location ${p.location} in context ${p.context}`,
    'Authentication: rule 6',
    'the key works only in courses where the tool has a placement of the location',
    situation('POST grade.submit with an API key, for a course without the tool', {
      tool: 'essay',
      location: 'l-1',
      context: 'c-9',
    }),
  ),
  'auth.not_this_member': forbidden(
    '',
    'Authentication: rule 5',
    'students can only grade themselves; use a staff launch or the API key',
    situation("POST grade.submit with a student's token, for another student"),
  ),
};
