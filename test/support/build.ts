import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

/** Of all projects that run the built binary: each loads this file for itself. */
const builds = globalThis as { firstBuild?: Promise<void>; laterBuild?: Promise<void> | undefined };

/**
 * Builds `dist/` before the first test that runs it, and in `vitest --watch` before each later run
 * of such tests: none ever runs an older build.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.onTestsRerun(async (specifications) => {
    if (!specifications.some((each) => each.project === project)) return;
    builds.laterBuild ??= build().finally(() => (builds.laterBuild = undefined));
    await builds.laterBuild;
  });
  builds.firstBuild ??= build();
  await builds.firstBuild;
}

async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.config.js']);
}
