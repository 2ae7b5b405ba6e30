import { distance } from 'fastest-levenshtein';

/** The hint for an unknown word: "did you mean …?", or the list of known words. */
export function nearest(given: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none';
  return didYouMean(given, known) ?? oneOfWords(known);
}

/** "did you mean …?", if a known word is similar to the given one. */
function didYouMean(given: string, known: readonly string[]): string | undefined {
  const word = closest(given, known);
  return word === undefined ? undefined : `did you mean ${word}?`;
}

/** The known word that is similar to the given one, if there is one. */
export function closest(given: string, known: readonly string[]): string | undefined {
  const typed = letters(given);
  if (typed === '') return undefined;
  const [best] = known
    .map((word) => ({ word, far: difference(typed, letters(word)) }))
    .sort((a, b) => a.far - b.far);
  if (!best || best.far > Math.max(2, Math.floor(letters(best.word).length / 2))) return undefined;
  return best.word;
}

/** A flag without its dashes, which do not make it similar. */
function letters(word: string): string {
  return word.toLowerCase().replace(/^--?/, '');
}

/**
 * The difference in letters. A truncated word is nearer than any misspelling, and one with a suffix
 * is as near as two wrong letters.
 */
function difference(typed: string, word: string): number {
  if (typed.length > 1 && word.startsWith(typed)) return 0;
  const far = distance(typed, word);
  return word.length > 2 && typed.startsWith(word) ? Math.min(2, far) : far;
}

/** "one of a, b, c"; a long list is truncated. */
export function oneOfWords(words: readonly string[]): string {
  const shown = words.slice(0, 20).join(', ');
  return `one of ${shown}${words.length > 20 ? ', …' : ''}`;
}
