import { InvalidArgumentError } from 'commander';
import { TAKEN } from '../../control-api/taken.ts';
import { FORMAT_FLAG } from '../arguments/formats.ts';
import { defineFlags, type OptionsOf, REPLACE_FLAG } from '../arguments/flags.ts';
import { hostAddress, publicOrigin } from '../arguments/addresses.ts';
import { number, wholeNumber } from '../arguments/numbers.ts';
import { flagsOf } from '../arguments/parameters.ts';

/** The variable with the token of an emulator, for starting and for calling it. */
export const TOKEN_VARIABLE = 'LECTERN_EMULATOR_TOKEN';

/** Flags for injected faults. */
export const CHAOS_FLAGS = defineFlags({
  '--chaos <seed>':
    'inject faults that happen in real courses, always the same for a seed: ended tokens, 401, 503, lost and late responses, refusals of the LMS, changed rows',
  '--chaos-share <number>': {
    help: 'share of requests that get a fault, from 0 to 1 (default: 0.05)',
    parse: number({ from: 0, to: 1 }),
  },
});
export type EmulatorChaosOptions = OptionsOf<typeof CHAOS_FLAGS>;

/** The flag for what the contract leaves open. */
export const VARY_FLAG = defineFlags({
  '--vary [seed]':
    'choose what the contract leaves open by this number, always the same for it; a name after a comma varies that alone, as in 7,urls,envelope; exec runs the command once for each number of a range, 1..10',
});
export type EmulatorVaryOptions = OptionsOf<typeof VARY_FLAG>;

/** Flags for the format of a report, and when it fails. */
export const TOOL_REPORT_FLAGS = defineFlags({
  '--format <format>': FORMAT_FLAG,
  '--fail-on <severity>': {
    help: 'exit with 9 on a finding of this severity',
    choices: ['error', 'warning'],
  },
  '--limit <n>': {
    help: 'list at most this many situations that were not met (default on a terminal: 10)',
    parse: wholeNumber({ from: 1 }),
  },
});
export type EmulatorToolReportOptions = OptionsOf<typeof TOOL_REPORT_FLAGS>;

export const START_FLAGS = defineFlags({
  '--port <number>': {
    help: 'port of the API (default: any free port)',
    parse: wholeNumber({ from: 0, to: 65_535 }),
  },
  '--host <address>': {
    help: 'IP address to listen on; 0.0.0.0 for all (default: 127.0.0.1)',
    parse: hostAddress,
  },
  '--blob-port <number>': {
    help: 'port of the signed URLs (default: any free port)',
    parse: wholeNumber({ from: 0, to: 65_535 }),
  },
  '--tool-port <number>': {
    help: 'port of the first hosted tool in the order of the seed; the next one has the next port',
    parse: wholeNumber({ from: 1, to: 65_535 }),
  },
  '--public-url <url>': {
    help: 'origin of the API as seen from elsewhere, used in launches',
    parse: publicOrigin,
  },
  '--public-blob-url <url>': { help: 'the same for the signed URLs', parse: publicOrigin },
  '--data <folder>': 'data folder (default: a folder in the home of lectern)',
  '--memory': { help: 'keep all data in memory', conflicts: ['data'] },
  '--session <file>': {
    help: 'look at a session that emulator export wrote; changes go to a copy, the file stays as it is',
    conflicts: ['data', 'memory', 'seed', 'vary'],
  },
  '--at <number>': {
    help: 'show this request of a session in the console',
    parse: wholeNumber({ from: 1 }),
  },
  '--capture': {
    help: 'keep headers and bodies',
    deprecated: 'headers and bodies are always kept',
  },
  '--seed <file>':
    'JSON file with the initial courses of a new emulator and of a reset; "example" is built in',
  '--detach': 'run it in the background, and return when it is ready',
  ...VARY_FLAG,
  ...CHAOS_FLAGS,
});
export type EmulatorStartOptions = OptionsOf<typeof START_FLAGS>;

export const ENV_FLAGS = defineFlags({
  '--format <format>': {
    help: 'output format (default: sh)',
    choices: ['sh', 'pwsh', 'dotenv', 'json'],
  },
  '--launch <role>': 'launch as a student, assistant, instructor or manager',
});

export const EXPORT_FLAGS = defineFlags({
  '--redact':
    'without secrets that work, names of people and the bytes of files; what a tool stored stays',
  ...REPLACE_FLAG,
});

export const EXEC_FLAGS = defineFlags({
  '--seed <file>': 'JSON file with the initial courses; "example" is built in',
  '--report [file]':
    'report on the command when it ends, as emulator report does; a file gets JSON, SARIF if its name ends in .sarif, or JUnit if it ends in .xml',
  ...REPLACE_FLAG,
  ...VARY_FLAG,
  ...CHAOS_FLAGS,
  ...TOOL_REPORT_FLAGS,
});
export type EmulatorExecOptions = OptionsOf<typeof EXEC_FLAGS>;

export const EMULATOR_KEY_FLAGS = defineFlags({
  ...flagsOf(TAKEN.key),
  '--save <name>': 'save the key under this name',
  '--force': 'replace an existing key of that name',
});

export const REQUESTS_FLAGS = defineFlags({
  '-f, --follow': {
    help: 'keep printing new requests until interrupted',
    conflicts: ['show', 'replay'],
  },
  '--show <number>': {
    help: 'show one request with its headers and bodies',
    parse: wholeNumber({ from: 1 }),
    conflicts: ['replay'],
  },
  '--replay <number>': { help: 'send one request again', parse: wholeNumber({ from: 1 }) },
  '--har <file>': {
    help: 'write the requests to this file, as HAR 1.2 without secrets',
    conflicts: ['follow', 'show', 'replay'],
  },
  ...REPLACE_FLAG,
  ...flagsOf(TAKEN.requests),
  '--tool': "leave out the calls of lectern's own commands",
  '--limit <n>': {
    help: 'list only the newest N (default on a terminal: 30)',
    conflicts: ['follow'],
    parse: wholeNumber({ from: 1 }),
  },
});

export const TOKEN_END_FLAGS = flagsOf(TAKEN.tokenEnd);

export const OPEN_FLAGS = defineFlags({ '--print': 'print the address instead of opening it' });

export type EmulatorSaveClaimsOptions = Pick<EmulatorLaunchOptions, 'save' | 'force'>;

export const EMULATOR_LAUNCH_FLAGS = defineFlags({
  ...flagsOf(TAKEN.launch),
  ...flagsOf(TAKEN.coursePage),
  ...flagsOf(TAKEN.signed),
  '--save <name>': 'save the launch under this name',
  '--force': 'replace an existing launch of that name',
  '--open': 'show its course page in a browser',
  '--print-url': 'print the address of its course page instead of the claims',
  '--token': {
    help: 'print the signed launch token alone, as the callback of an external tool is sent it',
    conflicts: ['open', 'printUrl', 'thirdParty', 'devUrl'],
  },
});
export type EmulatorLaunchOptions = OptionsOf<typeof EMULATOR_LAUNCH_FLAGS>;

export const PROVISION_REQUEST_FLAGS = defineFlags({
  ...flagsOf(TAKEN.provision),
  '--save <name>': 'save the request under this name',
  '--force': 'replace an existing launch of that name',
});

export const LOCATIONS_REQUEST_FLAGS = flagsOf(TAKEN.locations);

export const ROW_FLAGS = defineFlags({
  '--versions': { help: 'list the last versions', conflicts: ['put', 'versionNumber'] },
  '--version-number <n>': {
    help: 'print this version',
    parse: wholeNumber({ from: 1 }),
    conflicts: ['put'],
  },
  '--put <file>': 'write this file (- for standard input)',
});

export const TOOL_UPLOAD_FLAGS = flagsOf(TAKEN.upload);

function headerLine(text: string): string {
  if (/^[^\s:]+:/.test(text)) return text;
  throw new InvalidArgumentError('expected a header such as "Retry-After: 1".');
}

export const FAULT_FLAGS = defineFlags({
  ...flagsOf(TAKEN.fault),
  '--header <name: value>': {
    help: 'response header (repeatable)',
    parse: headerLine,
    repeat: true,
  },
  '--offline': {
    help: 'close every connection before the request takes effect, until emulator fault clear',
    conflicts: ['times', 'status', 'header', 'body', 'close', 'cut', 'delay'],
  },
});
