/** Below this address the console is; every page of it has an address of its own. */
export const CONSOLE_PREFIX = '/_emulator/console/';
