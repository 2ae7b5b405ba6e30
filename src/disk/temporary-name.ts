const TEMPORARY = /^\.lectern-[0-9a-f-]{36}\.tmp$/;

/** A fresh name for a file on its way, which no file key can have. */
export function temporaryName(): string {
  return `.lectern-${crypto.randomUUID()}.tmp`;
}

/** Whether a file has such a name: one of ours that is on its way, or was when we were killed. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}
