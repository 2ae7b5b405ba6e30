import { LIMIT_FLAG } from '../arguments/numbers.ts';
import { defineCommand } from '../declare/define.ts';

export type Texts = readonly [summary: string, description: string, ...examples: string[]];

const verbs = () => import('../saved/verbs.ts');

export function withTexts([summary, description, ...examples]: Texts) {
  return { summary, description, examples };
}

/** The verbs of what is saved by name, but `save`; `none` is a name that is not saved. */
export function savedCommands(
  what: 'key' | 'launch' | 'ledger',
  texts: Readonly<Record<'list' | 'use' | 'show' | 'rm', Texts>>,
  none = '',
) {
  const help = `a saved ${what}`;
  return {
    list: defineCommand({
      ...withTexts(texts.list),
      flags: LIMIT_FLAG,
      list: { columns: async () => (await import('../saved/kinds.ts')).SAVED_KINDS[what].columns },
      load: async () => {
        const { listSaved } = await verbs();
        return (context) => listSaved(context, what);
      },
    }),
    use: defineCommand({
      ...withTexts(texts.use),
      args: [{ name: '[name]', help: none === '' ? help : `${help}, or ${none}` }],
      load: async () => {
        const { useSaved } = await verbs();
        return (context, name) => useSaved(context, what, name);
      },
    }),
    show: defineCommand({
      ...withTexts(texts.show),
      args: [{ name: '[name]', help }],
      load: async () => {
        const { showSaved } = await verbs();
        return (context, name) => showSaved(context, what, name);
      },
    }),
    rm: defineCommand({
      ...withTexts(texts.rm),
      args: [{ name: '<name>', help }],
      load: async () => {
        const { removeSaved } = await verbs();
        return (context, name) => removeSaved(context, what, name);
      },
    }),
  };
}
