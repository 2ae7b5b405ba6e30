import type { Course, Tool, ToolVersion } from './world.ts';

/** The version of a tool that a course runs: "a code names the version a course adopts". */
export function versionIn(tool: Tool, course: Course): ToolVersion | undefined {
  const code = course.codes[tool.id] ?? 'current';
  const number = code === 'current' ? tool.current : code === 'pilot' ? tool.pilot : Number(code);
  return tool.versions.find((version) => version.number === number);
}

/** The claim `version`: "only a deprecated version offers its courses an upgrade". */
export function versionClaim(
  tool: Tool | undefined,
  course: Course,
): { number: number; upgrade: number | null } {
  const version = tool && versionIn(tool, course);
  const current = tool?.current ?? null;
  const isBehind = version?.deprecated === true && version.number !== current;
  return { number: version?.number ?? 0, upgrade: isBehind ? current : null };
}

/** A tool with a new version. */
export function publish(tool: Tool, visibility: ToolVersion['visibility']): Tool {
  const number = tool.versions.reduce((most, each) => Math.max(most, each.number), 0) + 1;
  const version = { number, visibility, state: 'in_review', deprecated: false } as const;
  return republish({ ...tool, versions: [...tool.versions, version] }, number, visibility);
}

/**
 * Publishes a version with a visibility ("Tool version visibility and review"): a private one is
 * current at once, an unlisted or public one after its approval.
 */
export function republish(tool: Tool, number: number, visibility: ToolVersion['visibility']): Tool {
  const published = withVersion(tool, number, { visibility, state: 'in_review' });
  return visibility === 'private' ? approve(published, number) : published;
}

/** Approves a version in review, which becomes the current one. */
export function approve(tool: Tool, number: number): Tool {
  return { ...withVersion(tool, number, { state: 'published' }), current: number };
}

/** A deprecated version offers its courses an upgrade. */
export function deprecate(tool: Tool, number: number): Tool {
  return withVersion(tool, number, { deprecated: true });
}

function withVersion(tool: Tool, number: number, change: Partial<ToolVersion>): Tool {
  const versions = tool.versions.map((each) =>
    each.number === number ? { ...each, ...change } : each,
  );
  return { ...tool, versions };
}
