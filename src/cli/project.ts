import { dirname, resolve } from 'node:path';
import { quoted } from '../contract/words.ts';
import { InvalidError, UsageError } from '../errors.ts';
import { escapeToken, formatPointer, parsePointer } from '../json/index.ts';
import { checkShape, type ShapeFault } from '../schema/check.ts';
import { isSecretName, maskSecrets } from '../contract/secrets.ts';
import { violation } from '../contract/index.ts';
import { type Finding, toFindings } from '../validator/finding.ts';
import { type DocumentKind, readDocument } from './input/document.ts';
import { readInput } from './input/read.ts';
import type { Project, Runtime } from './runtime.ts';
import { PROJECT, type ProjectSettings } from './project-settings.ts';

/** Reads a project file. Reports all faults; a secret is not repeated. */
export async function readProject(runtime: Runtime, file: string): Promise<Project> {
  const { LECTERN_PROJECT: said } = runtime.env;
  if (said)
    throw new UsageError(`LECTERN_PROJECT is ${quoted(said)}`, 'set it to off, or unset it');
  const { bytes } = await readInput(runtime, file, 'the project file');
  const { value, findings: found } = readDocument(bytes, projectKind);
  if (found.length > 0) {
    const findings = found.map(masked);
    throw new InvalidError(`${file} is not a valid project file`, { findings });
  }
  const folder = dirname(file);
  const refuse: Project['refuse'] = (pointer, fault, onPurpose) => {
    const hint = `to use it on purpose: ${onPurpose}`;
    const further = violation('project.invalid', pointer, { fault, hint });
    const findings = toFindings([further], new TextDecoder().decode(bytes));
    return new InvalidError(`${file} asks for more than a project file may`, { findings });
  };
  const pathOf: Project['pathOf'] = async (pointer, path, onPurpose) => {
    const resolved = resolve(folder, path);
    if (await (await runtime.disk()).isInside(folder, resolved)) return resolved;
    throw refuse(pointer, `${path} is outside of the project's folder`, onPurpose);
  };
  return { file, settings: value as ProjectSettings, pathOf, refuse };
}

/** The checks of a project file. */
export const projectKind: DocumentKind = {
  code: 'project.invalid',
  check: (value) => {
    const secrets = secretFaults(value);
    const isSecret = (path: string): boolean =>
      secrets.some((secret) => `${path}/`.startsWith(`${secret.path}/`));
    return [...secrets, ...checkShape(PROJECT, value).filter(({ path }) => !isSecret(path))];
  },
};

/** Faults for texts and names that look like a secret, by their form, and texts by their name. */
function secretFaults(value: unknown, path = '', name = ''): ShapeFault[] {
  if (typeof value === 'string') {
    const isSecret = isSecretName(name) || maskSecrets(value) !== value;
    return isSecret ? [{ path, message: SECRET, hint: SECRET_HINT }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const at = `${path}/${escapeToken(key)}`;
    const isSecret = maskSecrets(key) !== key && !HEX_ID.test(key);
    return isSecret
      ? [{ path: at, message: SECRET, hint: SECRET_HINT }]
      : secretFaults(each, at, key);
  });
}

/** The ID of a tool may be a hash. */
const HEX_ID = /^[\da-f]+$/i;

/** A finding whose path has no name that looks like a secret. */
function masked(finding: Finding): Finding {
  const names = parsePointer(finding.path) ?? [];
  return { ...finding, path: formatPointer(names.map((text) => maskSecrets(text))) };
}

const SECRET = 'a project file must not contain secrets: everybody with the project can read it';
const SECRET_HINT =
  'save it with lectern launch save, key save or ledger save, and name it here; or use LECTERN_TOKEN or LECTERN_API_KEY';
