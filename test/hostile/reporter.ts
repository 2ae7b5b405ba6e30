import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type HostileCase, updated } from './reliability.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TABLE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));

/**
 * Reports what this machine could not run, and writes the figures of a long run
 * (`LECTERN_HOSTILE=long`) into docs/reliability.md. It runs once, in vitest's main process, with what
 * all workers reported.
 */
export default class HostileReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const declared = new Map<string, HostileCase[]>();
    for (const module of modules) {
      const cases = [...module.children.allTests()].flatMap((test) => hostileCase(test) ?? []);
      if (cases.length > 0) declared.set(basename(module.moduleId), cases);
    }
    for (const each of [...declared.values()].flat()) {
      if (each.result?.state !== 'left out') continue;
      process.stdout.write(`Left out: ${each.area}: ${each.tried} (${each.result.why})\n`);
    }
    if (process.env.LECTERN_HOSTILE !== 'long' || declared.size === 0) return;
    const existing = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'));
    const lastRun = `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
    writeFileSync(TABLE, updated(readFileSync(TABLE, 'utf8'), declared, existing, lastRun));
  }
}

function hostileCase(test: TestCase): HostileCase | undefined {
  const { hostile } = test.meta();
  if (!hostile) return undefined;
  const { state } = test.result();
  if (hostile.result?.state === 'left out') return hostile;
  const { result, ...declared } = hostile;
  if (state !== 'passed' && state !== 'failed') return declared;
  const times = result?.state === 'passed' ? result.times : 0;
  return { ...declared, result: { state, times } };
}
