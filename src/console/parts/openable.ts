import type { Location, World } from '../api.ts';

/** Why there is nothing to open at a placement; '' if there is. */
export function openable(world: World | undefined, placement: Location | undefined): string {
  const tool = world?.tools.find(({ id }) => id === placement?.tool);
  if (placement === undefined || tool === undefined)
    return 'The placement of this launch has gone.';
  const { name, hosted, status, codes, callback } = tool;
  if (status !== 'active') return `${name} is ${status}.`;
  if (!hosted) return callback === null ? `${name} has no callback: a seed can name one.` : '';
  const version = tool.runs.find(({ course }) => course === placement.course)?.version ?? 0;
  if (codes.some((code) => code.version === version)) return '';
  if (codes.length === 0) return `${name} has no code yet: upload some.`;
  return `Version ${version} of ${name}, which the course runs, has no code.`;
}
