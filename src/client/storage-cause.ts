/** Why a signed address refused an upload or a download. */
export type StorageCause = 'expired' | 'wrong_size' | 'too_large' | 'refused';

const EXPIRED = /expired|not valid in the specified time frame/i;
const TOO_LARGE = /too ?large|exceeds the maximum/i;
const WRONG_SIZE =
  /too ?small|incomplete ?body|content-length-range|bad ?digest|size.{0,99}(match|differ)/i;

/**
 * Reads the cause out of a refusal by the storage behind a signed address, whose answers the
 * contract does not show: object stores word it in XML (`EntityTooLarge`, `AccessDenied: Request
 * has expired`), proxies before them in HTML.
 */
export function storageCause(status: number, text: string): StorageCause {
  if (EXPIRED.test(text)) return 'expired';
  if (status === 413 || TOO_LARGE.test(text)) return 'too_large';
  if (WRONG_SIZE.test(text)) return 'wrong_size';
  return 'refused';
}
