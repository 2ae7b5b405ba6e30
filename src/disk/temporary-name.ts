import { randomId } from './random-id.ts';

const TEMPORARY = /^\.lectern-[0-9a-f-]{36}\.tmp$/;

/** A new temporary name, which no file key can have. */
export function temporaryName(): string {
  return `.lectern-${randomId()}.tmp`;
}

/** Whether a name is such a temporary one. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}
