import { quoted } from '../text.ts';

/** The command that lists the same as a page does. */
export function showCommand(
  what: 'rows' | 'files' | 'tokens' | 'attempts' | 'gradebook',
  {
    search,
    location = '',
    live = false,
  }: { readonly search: string; readonly location?: string; readonly live?: boolean },
): string {
  const flags = [
    search !== '' && `--search ${quoted(search)}`,
    location !== '' && `--location ${quoted(location)}`,
    live && '--live',
  ];
  return ['lectern emulator show', what, ...flags.filter(Boolean)].join(' ');
}
