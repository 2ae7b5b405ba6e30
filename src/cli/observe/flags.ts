import { defineFlags, REPLACE_FLAG } from '../arguments/flags.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import { TOOL_REPORT_FLAGS } from '../emulator/flags.ts';

const { '--format <format>': format, '--fail-on <severity>': failOn } = TOOL_REPORT_FLAGS;

export const OBSERVE_FLAGS = defineFlags({
  '--port <number>': {
    help: "port that forwards to the service's origin (default: any free port)",
    parse: wholeNumber({ from: 0, to: 65_535 }),
  },
  '--save <name>': 'save the launch with the addresses of the proxy under this name',
  '--tool <url>': 'hand callbacks on to this external tool on loopback, and read launches in them',
  '--report <file>':
    'write the report to this file: JSON, SARIF if its name ends in .sarif, JUnit if it ends in .xml',
  '--har <file>': 'write the requests to this file, as HAR 1.2 without secrets',
  ...REPLACE_FLAG,
  '--format <format>': format,
  '--fail-on <severity>': failOn,
});
