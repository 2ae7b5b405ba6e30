/** Why the object store refused an upload or a download. */
export type StorageCause = 'expired' | 'wrong_size' | 'too_large' | 'refused';

const EXPIRED = /expired|not valid in the specified time frame/i;
const TOO_LARGE = /too ?large|exceeds the maximum/i;
const WRONG_SIZE =
  /too ?small|incomplete ?body|content-length-range|bad ?digest|size.{0,99}(match|differ)/i;

/**
 * The cause of a refusal by the object store behind a signed URL. The contract does not show its
 * answers: object stores use XML (`EntityTooLarge`, `AccessDenied: Request has expired`), proxies HTML.
 */
export function storageCause(status: number, text: string): StorageCause {
  if (EXPIRED.test(text)) return 'expired';
  if (status === 413 || TOO_LARGE.test(text)) return 'too_large';
  if (WRONG_SIZE.test(text)) return 'wrong_size';
  return 'refused';
}
