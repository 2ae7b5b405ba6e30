import { LIMIT_FLAG } from '../arguments/numbers.ts';
import { SAVE_KEY_FLAGS } from '../key/flags.ts';
import { defineCommand, type Noun } from '../declare/define.ts';
import { OFFLINE_EXITS } from './exits.ts';
import { SAVED } from './saved.ts';

const NAME = { name: '<name>', help: 'a saved key' } as const;

const save = defineCommand({
  name: 'save',
  summary: 'save a tool API key by name',
  description:
    'Save a tool API key by name. The key is read from standard input, or prompted for on a terminal; it is never an argument, never shown, and sent only to its origin.',
  args: [{ name: '<name>', help: 'the name to save it under' }],
  flags: SAVE_KEY_FLAGS,
  examples: ['lectern key save quiz --origin https://service.example < quiz.key'],
  exits: OFFLINE_EXITS,
  load: async () => (await import('../key/save.ts')).runSave,
});

const list = defineCommand({
  name: 'list',
  summary: 'list saved keys',
  description: 'List the saved keys with their origins. The keys themselves are never shown.',
  flags: LIMIT_FLAG,
  examples: ['lectern key list'],
  list: { columns: async () => (await import('../output/saved.ts')).SAVED_KEYS },
  load: SAVED.list('key'),
});

const use = defineCommand({
  name: 'use',
  summary: 'set the default key for grades',
  description:
    'Set the key that grade commands use by default, for URLs under /contexts/. A launch or a key given by a flag or the environment takes precedence.',
  args: [{ ...NAME, name: '[name]' }],
  examples: ['lectern key use quiz'],
  load: SAVED.use('key'),
});

const show = defineCommand({
  name: 'show',
  summary: 'show a saved key',
  description:
    'Show what is saved with a key: its origin, and when. The key itself is never shown. Defaults to the key in use.',
  args: [{ ...NAME, name: '[name]' }],
  examples: ['lectern key show quiz'],
  load: SAVED.show('key'),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'delete a saved key',
  description:
    'Delete a saved key. The key itself stays valid: rotate it in the dashboard to revoke it.',
  args: [NAME],
  examples: ['lectern key rm old'],
  load: SAVED.remove('key'),
});

export const keyNoun: Noun = { commands: [save, list, use, show, rm] };
