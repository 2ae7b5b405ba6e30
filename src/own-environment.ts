/**
 * The environment of what runs for an emulator of its own. It says what is inherited, and not what is
 * left out: a variable that a later version of lectern reads must not lead to a real course or to the
 * ledger of a team either.
 */

/** What a lectern command inherits, in capitals: Windows does not distinguish them. */
export const INHERITED: ReadonlySet<string> = new Set(
  `PATH PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC
  HOME USERPROFILE APPDATA LOCALAPPDATA USER USERNAME LOGNAME
  TMPDIR TMP TEMP SHELL LANG LC_ALL LC_CTYPE TZ
  TERM COLORTERM NO_COLOR VISUAL EDITOR PAGER LECTERN_PAGER
  NODE_OPTIONS NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DISABLE_COMPILE_CACHE`.split(/\s+/),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** Of an emulator: the folder that replaces the home, and its URL. */
interface Own {
  readonly home: string;
  readonly url: string;
}

/** The environment of lectern commands that use an emulator of their own. */
export function ownEnvironment(env: Environment, own: Own): Record<string, string> {
  return { ...inherited(env, (name) => INHERITED.has(name)), ...settings(own) };
}

/** The environment of any other program: it inherits everything but settings of lectern. */
export function programEnvironment(env: Environment, own: Own): Record<string, string> {
  const isOthers = (name: string): boolean => !name.startsWith('LECTERN_');
  return {
    ...inherited(env, (name) => INHERITED.has(name) || isOthers(name)),
    ...settings(own),
  };
}

function inherited(env: Environment, isMeant: (name: string) => boolean): Record<string, string> {
  const meant = Object.entries(env).filter(([name]) => isMeant(name.toUpperCase()));
  return Object.fromEntries(meant) as Record<string, string>;
}

function settings({ home, url }: Own): Record<string, string> {
  return { LECTERN_HOME: home, LECTERN_EMULATOR: url, LECTERN_PROJECT: 'off' };
}
