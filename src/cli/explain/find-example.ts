import {
  type Code,
  EXAMPLE_ORIGIN,
  EXAMPLE_TIME,
  exampleOf,
  ROW_KINDS,
  violation,
} from '../../contract/index.ts';
import { checkRecords } from '../../grades/checked-records.ts';
import { type Finding, toFinding } from '../../validator/finding.ts';
import {
  validateDeclaration,
  validateFile,
  validateGrade,
  validateHostedTool,
  validateKey,
  validateLocations,
  validatePatch,
  validatePossibleManifest,
  validateRow,
} from '../../validator/index.ts';
import { decodeClaims, validateLaunch } from '../../validator/launch.ts';
import { readDocument, seedKind } from '../input/document.ts';
import { projectKind } from '../project.ts';

/** What is found in the example of a code; the validator itself finds it, wherever it can. */
export async function findExample(code: Code): Promise<readonly Finding[]> {
  const example = exampleOf(code);
  switch (example.kind) {
    case 'row':
      return validateRow(example.text, { kind: example.row });
    case 'patch':
      return validatePatch(example.text, { against: example.against });
    case 'key':
      return validateKey(example.key);
    case 'declaration':
      return validateDeclaration(example.text, { key: 'logo.png' });
    case 'file':
      return validateFile({ key: 'logo.png', size: 1, kind: 'member', listing: example.listing });
    case 'grade':
      return validateGrade(example.text);
    case 'grades':
      return findInGrades(example.bytes);
    case 'launch':
      return validateLaunch(example.text);
    case 'claims': {
      const claims = Object.entries(example.changes).reduce(withClaim, SAVED_LAUNCHES[example.of]);
      return decodeClaims(claims, { now: EXAMPLE_TIME, contract: example.contract }).findings;
    }
    case 'locations':
      return validateLocations(example.text);
    case 'tool':
      return validateHostedTool(example.tool);
    case 'manifest':
      return validatePossibleManifest(example.name, example.text);
    case 'seed':
      return readDocument(new TextEncoder().encode(example.text), await seedKind()).findings;
    case 'project':
      return readDocument(new TextEncoder().encode(example.text), projectKind).findings;
    default:
      return [toFinding(violation(code, '', example.params))];
  }
}

async function findInGrades(bytes: Uint8Array): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  for await (const batch of checkRecords(chunks(), { names: new Map() })) {
    for (const finding of batch.findings) findings.push(finding);
  }
  return findings;
}

type Claims = Record<string, unknown>;

const addresses = (leaf: string, names: readonly string[]): Claims =>
  Object.fromEntries(names.map((name) => [name, `${EXAMPLE_ORIGIN}/${leaf}/${name}`]));

const STAFF: Claims = {
  iss: EXAMPLE_ORIGIN,
  api: { token: 'example-token', expires: EXAMPLE_TIME + 3_600_000, idle: 7200 },
  user: {
    member: 'm-1',
    groups: ['instructor'],
    given_name: 'Mara',
    family_name: 'Lindqvist',
    full_name: 'Mara Lindqvist',
    email: 'mara@campus.example',
  },
  context: 'c-1',
  location: { id: 'l-1', extid: 'essay' },
  storage: addresses('rows', ROW_KINDS),
  files: addresses('files', ROW_KINDS),
  grade: { submit: `${EXAMPLE_ORIGIN}/contexts/c-1/members/m-1/grades` },
  version: { number: 3, upgrade: null },
};

const NO_NAMES = { given_name: null, family_name: null, full_name: null, email: null };

const SAVED_LAUNCHES: Readonly<Record<'staff' | 'student' | 'provision request', Claims>> = {
  staff: STAFF,
  student: { ...STAFF, user: { member: 'm-1', groups: ['student'], ...NO_NAMES } },
  'provision request': {
    iss: EXAMPLE_ORIGIN,
    api: { token: 'example-token', expires: null, idle: null },
    context: 'c-2',
    storage: addresses('rows', ['context', 'location', 'parent_context', 'parent_location']),
    provision: addresses('ready', ['context', 'location']),
  },
};

function withClaim(claims: Claims, [path, value]: [string, unknown]): Claims {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...claims, [name]: value };
  return { ...claims, [name]: withClaim((claims[name] ?? {}) as Claims, [rest.join('.'), value]) };
}
