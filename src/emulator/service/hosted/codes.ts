import type { EmulatorState } from '../../state/state.ts';
import type { Archive } from '../../store/archive.ts';

export function codeId(tool: string, version: number): string {
  return `${tool}/${version}`;
}

/** The files of a version of a tool; undefined if none were uploaded. */
export async function openCode(
  { hosted }: EmulatorState,
  tool: string,
  version: number,
): Promise<Archive | undefined> {
  const code = hosted.codes.get(codeId(tool, version));
  return code && hosted.archives.open(code.blob);
}
