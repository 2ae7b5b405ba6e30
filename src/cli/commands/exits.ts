/** A call of the service that reads. */
export const CALL_EXITS = [4, 5, 6, 7, 8] as const;

/** A call that writes. */
export const WRITE_EXITS = [3, ...CALL_EXITS, 10] as const;

/** What is checked on this machine. */
export const OFFLINE_EXITS = [3] as const;

/** A call of the emulator's control API. */
export const CONTROL_EXITS = [4, 6, 8] as const;

/** Of a shared ledger: another schema, login, rights, no server. */
export const LEDGER_EXITS = [1, 4, 5, 8] as const;
