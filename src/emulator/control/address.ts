/**
 * The control API: what is behind the service (the LMS, the clock, the dashboard), by HTTP on the API
 * origin, with a bearer token of its own. `OPERATIONS` is the table of what it does. A body that is not
 * understood is 422, an ID that is not there 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

/** Below this address the console is; every page of it has an address of its own. */
export const CONSOLE_PREFIX = '/_emulator/console/';
