/**
 * The prefix of the control API: what is behind the service (the LMS, the clock, the dashboard), on
 * the API origin, with its own bearer token. `OPERATIONS` is the table of its operations. An
 * invalid body is 422, an unknown ID 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

export const CONSOLE_PREFIX = '/_emulator/console/';
