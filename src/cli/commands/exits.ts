/** For commands that read from the service. */
export const CALL_EXITS = [4, 5, 6, 7, 8] as const;

/** For commands that write. */
export const WRITE_EXITS = [3, ...CALL_EXITS, 10] as const;

/** For local checks. */
export const OFFLINE_EXITS = [3] as const;

/** For calls to the emulator's control API. */
export const CONTROL_EXITS = [4, 6, 8] as const;

/** For a shared ledger: another schema, login, rights, no server. */
export const LEDGER_EXITS = [1, 4, 5, 8] as const;
