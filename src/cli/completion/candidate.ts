/** A completion and its description. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}
