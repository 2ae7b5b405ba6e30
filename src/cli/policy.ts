import type { Policy } from '../client/index.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../contract/nearest.ts';
import type { CommandPolicy, Project, Runtime } from './runtime.ts';

const POLICIES: readonly string[] = ['read', 'write'] satisfies Policy[];
const DEFAULT: CommandPolicy = { value: 'write', source: 'the default' };

/** The stricter one of the policies of the environment and the project file. */
export function policyOf({ env }: Pick<Runtime, 'env'>, project?: Project): CommandPolicy {
  const given = project?.settings.policy;
  const source = `"policy": "${given}" in ${project?.file}`;
  const ofProject = given && { value: given, source };
  const policies = [policyIn(env.LECTERN_POLICY), ofProject].filter((each) => each !== undefined);
  return policies.find(({ value }) => value === 'read') ?? policies[0] ?? DEFAULT;
}

function policyIn(text: string | undefined): CommandPolicy | undefined {
  if (!text) return undefined;
  if (POLICIES.includes(text)) {
    return { value: text as Policy, source: `LECTERN_POLICY=${text}` };
  }
  const message = `LECTERN_POLICY must be read or write, not ${JSON.stringify(text)}`;
  throw new UsageError(message, nearest(text.trim().toLowerCase(), POLICIES));
}
