import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { sarifLog } from '../../src/cli/output/sarif.ts';

type Written = ReturnType<typeof sarifLog>['runs'][number];
type SarifRule = Written['tool']['driver']['rules'][number];
type WrittenResult = Written['results'][number];
type SarifResult = Omit<WrittenResult, 'locations'> & {
  readonly locations: readonly [WrittenResult['locations'][number]];
};
type Run = Omit<Written, 'results'> & { readonly results: readonly SarifResult[] };

/** A log, each of whose results has one place. */
export type SarifLog = Omit<ReturnType<typeof sarifLog>, 'runs'> & {
  readonly runs: readonly [Run];
};

// Of draft 4, as which the schema is published, it has nothing that draft 7 reads otherwise.
const { $schema: _, id: __, ...official } = schema;
// One of its patterns is none by the rules of Unicode.
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const isSarif = ajv.compile(official);

const DESCRIPTION_CHARACTERS = 1024;
const NAME_CHARACTERS = 255;

/**
 * What is wrong with a log: by the schema of SARIF 2.1.0, and by what GitHub's page "SARIF support for
 * code scanning" marks as required or limited.
 */
export function sarifProblems(log: SarifLog): string[] {
  const bySchema = isSarif(log)
    ? []
    : (isSarif.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  return [...bySchema, ...log.runs.flatMap((run) => runProblems(run))];
}

function runProblems({ tool, automationDetails, results }: Run): string[] {
  const { name, rules } = tool.driver;
  const ids = rules.map(({ id }) => id);
  return namesOf({
    'tool.driver.name': name !== '',
    'rules[].id: unique': isUnique(ids),
    'results: at most 25,000': results.length <= 25_000,
    // The category is the part before the last slash.
    'automationDetails.id': /^[^/]+\/[^/]+\/$/.test(automationDetails.id),
    'partialFingerprints: unique': isUnique(results.map(identity)),
  }).concat(
    rules.flatMap(ruleProblems),
    results.flatMap((each) => resultProblems(each, ids)),
  );
}

function ruleProblems(rule: SarifRule): string[] {
  const { id, name, shortDescription, fullDescription, help } = rule;
  const isText = (text: string, most: number): boolean => text !== '' && text.length <= most;
  return namesOf({
    [`${id}: name`]: isText(name, NAME_CHARACTERS),
    [`${id}: shortDescription.text`]: isText(shortDescription.text, DESCRIPTION_CHARACTERS),
    [`${id}: fullDescription.text`]: isText(fullDescription.text, DESCRIPTION_CHARACTERS),
    [`${id}: help.text`]: help.text !== '',
  });
}

function resultProblems(result: SarifResult, ids: readonly string[]): string[] {
  const { ruleId, ruleIndex, level, message, locations, partialFingerprints } = result;
  const [{ physicalLocation }] = locations;
  const { uri } = physicalLocation.artifactLocation;
  const { startLine, startColumn, endLine, endColumn } = physicalLocation.region;
  return namesOf({
    [`${ruleId}: ruleId and ruleIndex`]: ids[ruleIndex] === ruleId,
    [`${ruleId}: level`]: ['error', 'warning', 'note'].includes(level),
    [`${ruleId}: message.text`]: message.text !== '',
    [`${ruleId}: locations: one`]: locations.length === 1,
    // What is refused: no URI, a backslash, a path with a space in it.
    [`${ruleId}: artifactLocation.uri`]: /^[^\s\\]+$/.test(uri),
    [`${ruleId}: region`]: startLine >= 1 && startColumn >= 1,
    [`${ruleId}: region: its end`]: endLine === startLine && endColumn > startColumn,
    [`${ruleId}: partialFingerprints`]: Object.values(partialFingerprints ?? {}).every(Boolean),
    [`${ruleId}: partialFingerprints: one`]: Object.keys(partialFingerprints ?? {}).length === 1,
  });
}

/** The names of what does not hold. */
function namesOf(holds: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(holds).filter((name) => !holds[name]);
}

const identity = ({ ruleId, locations, partialFingerprints }: SarifResult): string =>
  JSON.stringify([ruleId, locations[0].physicalLocation.artifactLocation, partialFingerprints]);

const isUnique = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;
