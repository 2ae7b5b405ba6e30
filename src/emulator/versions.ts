import type { Course, Tool, ToolVersion } from './world.ts';

/** The version of a tool that a course runs: "a code names the version a course adopts". */
function versionIn(tool: Tool, course: Course): ToolVersion | undefined {
  const code = course.codes[tool.id] ?? 'current';
  const number = code === 'current' ? tool.current : code === 'pilot' ? tool.pilot : Number(code);
  return tool.versions.find((version) => version.number === number);
}

/** The claim `version`: "only a deprecated version offers its courses an upgrade". */
export function versionClaim(tool: Tool | undefined, course: Course): Record<string, unknown> {
  const version = tool && versionIn(tool, course);
  const isBehind = version?.deprecated === true && version.number !== tool?.current;
  return { number: version?.number ?? 0, upgrade: isBehind ? tool?.current : null };
}
