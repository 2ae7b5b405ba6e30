import { createHash } from 'node:crypto';
import type { Served } from '../../emulator/index.ts';
import { InvalidError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { nearest } from '../../validator/nearest.ts';
import { note } from '../ui.ts';

/**
 * Uploads the folders of the project's hosted tools, unless their code is already current. Prints
 * warnings and returns them.
 */
export async function uploadProjectTools(
  context: Context,
  { control }: Pick<Served, 'control'>,
): Promise<string[]> {
  const { project } = context;
  const tools = Object.entries(project?.settings.emulator?.tools ?? {});
  if (project === undefined || tools.length === 0) return [];
  const { isRefused, readToolFolder } = await import('./read-tool.ts');
  const { tools: known, codes } = await control('GET state');
  const hosted = known.filter((each) => each.hosted).map(({ id }) => id);
  const disk = await context.disk();
  const printed: string[] = [];
  for (const [tool, folder] of tools) {
    const path = project.at(folder);
    if (!hosted.includes(tool)) {
      const message = `${project.file}: the emulator has no hosted tool ${tool}`;
      throw new InvalidError(message, { code: 'project.tool', hint: nearest(tool, hosted) });
    }
    if ((await disk.pathInfo(path, { followLinks: true }))?.kind !== 'folder') {
      const message = `${project.file}: there is no folder ${path}, the code of ${tool}`;
      throw new InvalidError(message, { code: 'project.tool' });
    }
    const { zip, findings, warnings } = await readToolFolder(disk, path);
    const refused = findings.filter(isRefused);
    if (refused.length > 0) {
      throw new InvalidError(`${path}, the code of ${tool}, is refused`, { findings: refused });
    }
    for (const warning of [...findings.map(({ message }) => message), ...warnings]) {
      await note(context, `warning: ${warning}`);
      printed.push(warning);
    }
    const current = known.find(({ id }) => id === tool)?.current;
    const code = codes.find((each) => each.tool === tool && each.version === current);
    if (code?.sha256 === createHash('sha256').update(zip).digest('hex')) continue;
    await control('POST tool/upload', { tool }, zip);
  }
  return printed;
}
