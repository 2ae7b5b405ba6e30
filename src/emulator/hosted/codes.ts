/** The ID of a version's code among the kept ones. */
export function codeId(tool: string, version: number): string {
  return `${tool}/${version}`;
}
