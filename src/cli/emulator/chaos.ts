import type { ServeOptions } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import type { EmulatorChaosOptions } from './flags.ts';

const DEFAULT_SHARE = 0.05;

export function chaosOf({
  chaos: seed,
  chaosShare,
}: EmulatorChaosOptions): Pick<ServeOptions, 'chaos'> {
  if (seed !== undefined) return { chaos: { seed, share: chaosShare ?? DEFAULT_SHARE } };
  if (chaosShare === undefined) return {};
  throw new UsageError('--chaos-share belongs to --chaos', 'add --chaos with any word as the seed');
}
