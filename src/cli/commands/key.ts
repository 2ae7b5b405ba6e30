import { SAVE_KEY_FLAGS } from '../key/flags.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';
import { OFFLINE_EXITS } from './exits.ts';
import { savedCommands } from './saved.ts';

export const keyNoun: Noun = {
  commands: verbs({
    save: defineCommand({
      summary: 'save a tool API key by name',
      description:
        'Save a tool API key by name. The key is read from standard input, or prompted for on a terminal; it is never an argument, never shown, and sent only to its origin.',
      args: [{ name: '<name>', help: 'the name to save it under' }],
      flags: SAVE_KEY_FLAGS,
      examples: ['lectern key save quiz --origin https://service.example < quiz.key'],
      exits: OFFLINE_EXITS,
      load: async () => (await import('../key/save.ts')).runSave,
    }),
    ...savedCommands('key', {
      list: [
        'list saved keys',
        'List the saved keys with their origins. The keys themselves are never shown.',
        'lectern key list',
      ],
      use: [
        'set the default key for grades',
        'Set the key that grade commands use by default, for URLs under /contexts/. A launch or a key given by a flag or the environment takes precedence.',
        'lectern key use quiz',
      ],
      show: [
        'show a saved key',
        'Show what is saved with a key: its origin, and when. The key itself is never shown. Defaults to the key in use.',
        'lectern key show quiz',
      ],
      rm: [
        'delete a saved key',
        'Delete a saved key. The key itself stays valid: rotate it in the dashboard to revoke it.',
        'lectern key rm old',
      ],
    }),
  }),
};
