import { defineCommand } from '../declare/define.ts';
import { OBSERVE_FLAGS } from '../observe/flags.ts';

export const observeNoun = defineCommand({
  usage: '[options] [-- command [arguments]]',
  description:
    'Run a proxy on loopback between a tool and the service of a launch. Each request and each answer is forwarded byte for byte. The command gets the launch in LECTERN_LAUNCH, with the addresses of the proxy. When it ends, or at Ctrl-C, report the mistakes of the tool and the answers of the service that the contract does not allow. emulator open shows the traffic. Exits with the exit code of the command; with --fail-on, else with 9 where there is such a finding.',
  args: [{ name: '[command...]', help: 'the command, after --' }],
  flags: OBSERVE_FLAGS,
  examples: [
    'lectern observe -l teacher --har traffic.har -- npm test',
    'lectern observe -l teacher --report report.json --fail-on error -- npm test',
  ],
  exits: [3, 4, 9],
  changes: () => true,
  load: async () => (await import('../observe/observe.ts')).runObserve,
});
