import { distance } from 'fastest-levenshtein';

/** The way out of an unknown word: "did you mean …?", or all the words that there are. */
export function nearest(given: string, known: readonly string[]): string {
  const ranked = known
    .map((word) => ({ word, far: distance(given.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  if (!best) return 'there is none';
  const close = best.far <= Math.max(2, Math.floor(best.word.length / 2));
  return close ? `did you mean ${best.word}?` : oneOf(known);
}

/** "one of a, b, c", cut where the list is long. */
export function oneOf(words: readonly string[]): string {
  const shown = words.slice(0, 20).join(', ');
  return `one of ${shown}${words.length > 20 ? ', …' : ''}`;
}
