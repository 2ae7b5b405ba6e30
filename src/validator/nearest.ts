import { distance } from 'fastest-levenshtein';

/** The hint for an unknown word: "did you mean …?", or the list of known words. */
export function nearest(given: string, known: readonly string[]): string {
  const ranked = known
    .map((word) => ({ word, far: distance(given.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  if (!best) return 'there are none';
  const close = best.far <= Math.max(2, Math.floor(best.word.length / 2));
  return close ? `did you mean ${best.word}?` : oneOf(known);
}

/** "one of a, b, c"; a long list is truncated. */
export function oneOf(words: readonly string[]): string {
  const shown = words.slice(0, 20).join(', ');
  return `one of ${shown}${words.length > 20 ? ', …' : ''}`;
}
