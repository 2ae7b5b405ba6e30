import { NoAnswer } from '../client/index.ts';

export async function namingFile<Value>(
  action: 'upload' | 'delete',
  key: string,
  write: () => Promise<Value>,
): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NoAnswer && error.inDoubt)) throw error;
    throw new NoAnswer(error.message, { ...error, file: { action, key } }, { cause: error });
  }
}

/** How to see what became of a file. */
export function checkHint(key: string): string {
  return `check it with lectern files stat ROW ${key} before repeating it`;
}
