import * as s from '../schema/schema.ts';
import { isHostAddress } from './arguments/addresses.ts';

const SHARE = s.numberIn(0, 1);

const CHAOS = s.closed(s.object({ seed: s.nonEmptyText, 'share?': SHARE }));

const EMULATOR = s.closed(
  s.object({
    'seed?': s.described(s.nonEmptyText, 'a seed file, or example'),
    'port?': s.described(s.integerIn(0, 65_535), 'of the API; 0 for any free port'),
    'host?': s.checked(
      isHostAddress,
      'an IP address of this machine, 0.0.0.0 for all of them, or localhost',
      'the IP address to listen on, on loopback',
    ),
    'data?': s.described(s.nonEmptyText, 'the data folder, inside the project'),
    'tools?': s.described(
      s.mapOf(s.nonEmptyText),
      'the folders of hosted tools by tool ID, which are uploaded when the emulator starts',
    ),
    'vary?': s.described(
      s.either(s.count, s.nonEmptyText, 'a whole number, or a text such as 7,urls'),
      'as --vary of emulator start',
    ),
    'chaos?': s.described(
      s.either(s.nonEmptyText, CHAOS, 'a seed in quotes, or an object with seed and share'),
      'as --chaos and --chaos-share of emulator start',
    ),
  }),
);

/** `lectern.json`: the settings of a project for commands in its folder or below. */
export const PROJECT = s.closed(
  s.object({
    '$schema?': s.text,
    'emulator?': s.described(EMULATOR, 'for emulator start and emulator exec'),
    'launch?': s.described(
      s.nonEmptyText,
      'a saved launch, or a file of the project with the launch of an emulator on this machine',
    ),
    'ledger?': s.described(s.nonEmptyText, 'the name of a saved ledger, or local'),
    'policy?': s.described(
      s.oneOf('read', 'write'),
      'read: refuse every change at a service; LECTERN_POLICY=write does not lift it',
    ),
    'report?': s.described(
      s.closed(s.object({ 'fail_on?': s.oneOf('error', 'warning') })),
      'for emulator report and emulator exec --report',
    ),
  }),
);
export type ProjectSettings = s.Static<typeof PROJECT>;
