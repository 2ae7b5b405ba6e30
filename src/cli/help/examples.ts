/** What help says of a command beside its arguments and flags. */
export interface HelpEntry {
  /** Command lines as they are typed; a test runs each of them. */
  readonly examples: readonly string[];
  /** The exit codes that it ends with, beside 0 for done and 2 for usage. */
  readonly exits: readonly number[];
}

const CALL = [4, 5, 6, 7, 8];
const WRITE = [3, ...CALL, 10];
const OFFLINE = [3];
const STEER = [6, 8];

/** Of a shared ledger: another schema, login, rights, no server. */
const LEDGER = [1, 4, 5, 8];

const entry = (exits: readonly number[], ...examples: string[]): HelpEntry => ({ examples, exits });

/** By the words of the command, `lectern` left out. */
export const HELP: Readonly<Record<string, HelpEntry>> = {
  'launch decode': entry(
    OFFLINE,
    'lectern launch decode claims.json',
    'lectern launch decode --exit-code -l teacher',
  ),
  'launch check': entry([4, 8, 3, 7, 5, 6], 'lectern launch check teacher'),
  'launch save': entry(OFFLINE, 'lectern launch save monday claims.json'),
  'launch list': entry([], 'lectern launch list'),
  'launch use': entry([], 'lectern launch use teacher'),
  'launch show': entry(
    [6],
    'lectern launch show',
    'lectern launch show teacher --reveal api.token',
  ),
  'launch rm': entry([], 'lectern launch rm spare'),
  'key save': entry(OFFLINE, 'lectern key save quiz --origin https://service.example < quiz.key'),
  'key list': entry([], 'lectern key list'),
  'key use': entry([], 'lectern key use quiz'),
  'key rm': entry([], 'lectern key rm old'),
  'storage get': entry(
    CALL,
    'lectern storage get member',
    'lectern storage get location /settings/title',
    'lectern storage get location --depth 1',
  ),
  'storage put': entry(WRITE, 'lectern storage put member row.json --yes'),
  'storage patch': entry(
    WRITE,
    'lectern storage patch member --add /page:=3 --add /theme=dark',
    'lectern storage patch member patch.json --dry-run',
  ),
  'storage edit': entry(WRITE, 'lectern storage edit member'),
  'storage diff': entry(
    [1, ...CALL],
    'lectern storage diff member row.json',
    'lectern storage diff member row.json --patch',
  ),
  'storage size': entry(CALL, 'lectern storage size location'),
  'storage copy': entry(WRITE, 'lectern storage copy location member --yes'),
  'storage history': entry([6], 'lectern storage history', 'lectern storage history member --json'),
  'storage history on': entry([], 'lectern storage history on'),
  'storage history off': entry([], 'lectern storage history off'),
  'storage history clear': entry([], 'lectern storage history clear --yes'),
  'storage undo': entry(WRITE, 'lectern storage undo member --yes'),
  'storage watch': entry([...CALL, 130], 'lectern storage watch member --interval 5'),
  'files ls': entry(CALL, 'lectern files ls location --sort size --reverse'),
  'files stat': entry(CALL, 'lectern files stat location rubric.txt'),
  'files upload': entry(
    [...WRITE, 9],
    'lectern files upload location rubric.txt',
    'lectern files upload location rubric.txt --key rubric-2 --attachment',
  ),
  'files download': entry(
    [...CALL, 3, 9],
    'lectern files download location rubric.txt --output copy.txt',
    'lectern files download location --all --to backup',
  ),
  'files rm': entry([...WRITE, 9], 'lectern files rm location rubric-2 --yes'),
  'files sync': entry(
    [...WRITE, 9],
    'lectern files sync handouts location --dry-run',
    'lectern files sync location copies',
  ),
  'grade submit': entry(
    [...WRITE, 9, 130],
    'lectern grade submit --member member-111 --points 42.5/50',
    'lectern grade submit --from grades.csv --dry-run',
    'lectern grade submit --from grades.csv --skip-unchanged --yes',
  ),
  'grade resume': entry([...WRITE, 9, 130], 'lectern grade resume 1 --retry-failed --yes'),
  'grade work': entry(
    [...WRITE, 9, 130],
    'lectern grade work 7 --ledger postgres://ci@127.0.0.1:1/grades --concurrency 8',
  ),
  'grade stop': entry(LEDGER, 'lectern grade stop 7 --ledger postgres://ci@127.0.0.1:1/grades'),
  'grade runs': entry([], 'lectern grade runs'),
  'grade report': entry(
    [],
    'lectern grade report 1 --failed',
    'lectern grade report 1 --csv',
    'lectern grade report 1 --json',
  ),
  'grade verify': entry(
    [1, 2, 3],
    'lectern grade verify grades.csv',
    'lectern grade verify 1 grades.csv --ignore-other-columns',
  ),
  'grade log': entry(
    [],
    'lectern grade log --member member-111',
    'lectern grade log --status failed,refused --since 7d',
  ),
  'ledger init': entry(LEDGER, 'lectern ledger init --ledger postgres://owner@127.0.0.1:1/grades'),
  'ledger migrate': entry(
    LEDGER,
    'lectern ledger migrate --ledger postgres://owner@127.0.0.1:1/grades',
  ),
  'ledger status': entry(LEDGER, 'lectern ledger status --ledger postgres://ci@127.0.0.1:1/grades'),
  'ledger save': entry(
    [3],
    'lectern ledger save team --url postgres://ci@127.0.0.1:1/grades < password.txt',
  ),
  'ledger use': entry([], 'lectern ledger use team', 'lectern ledger use local'),
  'ledger list': entry([], 'lectern ledger list'),
  'ledger rm': entry([], 'lectern ledger rm team'),
  'ledger import': entry([...LEDGER, 3], 'lectern ledger import --ledger team'),
  'ledger prune': entry(LEDGER, 'lectern ledger prune --older-than 180d --ledger team'),
  provision: entry(WRITE, 'lectern provision location -l request'),
  'validate row': entry(OFFLINE, 'lectern validate row row.json --kind member'),
  'validate patch': entry(OFFLINE, 'lectern validate patch patch.json --against row.json'),
  'validate file': entry(OFFLINE, 'lectern validate file rubric.txt --kind location'),
  'validate key': entry(OFFLINE, 'lectern validate key rubric.txt'),
  'validate grade': entry(OFFLINE, 'lectern validate grade grade.json'),
  'validate grades': entry(OFFLINE, 'lectern validate grades grades.csv'),
  'validate launch': entry(OFFLINE, 'lectern validate launch claims.json --strict'),
  'validate locations': entry(OFFLINE, 'lectern validate locations locations.json'),
  'validate hosted-tool': entry(OFFLINE, 'lectern validate hosted-tool tool'),
  explain: entry(
    [],
    'lectern explain limits',
    'lectern explain grade.score_range',
    'lectern explain json grade submit',
    'lectern explain example grades',
  ),
  'emulator start': entry([130], 'lectern emulator start --port 8080 --data course'),
  'emulator launch': entry(STEER, 'lectern emulator launch --role student --save amina'),
  'emulator provision-request': entry(STEER, 'lectern emulator provision-request --save new'),
  'emulator fixture': entry(STEER, 'lectern emulator fixture --json'),
  'emulator locations-request': entry(
    [...STEER, 3],
    'lectern emulator locations-request --tool polls --course biology-101',
  ),
  'emulator state': entry(STEER, 'lectern emulator state'),
  'emulator key': entry(
    STEER,
    'lectern emulator key',
    'lectern emulator key --tool polls --save polls',
  ),
  'emulator open': entry(STEER, 'lectern emulator open traffic --print'),
  'emulator summary': entry(STEER, 'lectern emulator summary'),
  'emulator show': entry(STEER, 'lectern emulator show members --search amina'),
  'emulator row': entry(
    [...STEER, 3],
    'lectern emulator row member/essay/member-111',
    'lectern emulator row member/essay/member-111 --versions',
  ),
  'emulator events': entry([...STEER, 130], 'lectern emulator events --after 120'),
  'emulator lms ok': entry(STEER, 'lectern emulator lms ok'),
  'emulator lms refuse': entry(STEER, 'lectern emulator lms refuse --status 422 --body "closed"'),
  'emulator lms scope': entry(STEER, 'lectern emulator lms scope lineitem'),
  'emulator lms column': entry(STEER, 'lectern emulator lms column present'),
  'emulator lms points': entry(STEER, 'lectern emulator lms points 50'),
  'emulator lms slow': entry(STEER, 'lectern emulator lms slow 0'),
  'emulator token end': entry(STEER, 'lectern emulator token end spare'),
  'emulator tool suspend': entry(STEER, 'lectern emulator tool suspend polls'),
  'emulator tool activate': entry(STEER, 'lectern emulator tool activate polls'),
  'emulator tool archive': entry(STEER, 'lectern emulator tool archive polls'),
  'emulator tool replace-code': entry(STEER, 'lectern emulator tool replace-code sketch'),
  'emulator tool upload': entry(
    [...STEER, 3],
    'lectern emulator tool upload tool',
    'lectern emulator tool upload tool --tool sketch --visibility public',
  ),
  'emulator tool publish': entry(
    STEER,
    'lectern emulator tool publish polls --visibility public',
    'lectern emulator tool publish polls --version-number 1',
  ),
  'emulator tool approve': entry(STEER, 'lectern emulator tool approve 2 polls'),
  'emulator tool deprecate': entry(STEER, 'lectern emulator tool deprecate 1 polls'),
  'emulator tool pilot': entry(STEER, 'lectern emulator tool pilot 2 polls'),
  'emulator tool adopt': entry(
    STEER,
    'lectern emulator tool adopt pilot --course biology-101 --tool polls',
  ),
  'emulator member remove': entry(STEER, 'lectern emulator member remove member-115'),
  'emulator clock show': entry(STEER, 'lectern emulator clock show'),
  'emulator clock advance': entry(STEER, 'lectern emulator clock advance 15m'),
  'emulator clock reset': entry(STEER, 'lectern emulator clock reset'),
  'emulator clock set': entry(STEER, 'lectern emulator clock set 2030-01-01T08:00:00Z'),
  'emulator fault': entry(STEER, 'lectern emulator fault --method POST --path scores --status 503'),
  'emulator fault list': entry(STEER, 'lectern emulator fault list'),
  'emulator fault remove': entry(STEER, 'lectern emulator fault remove 1'),
  'emulator fault clear': entry(STEER, 'lectern emulator fault clear'),
  'emulator requests': entry([...STEER, 130], 'lectern emulator requests'),
  'emulator report': entry(
    [...STEER, 9],
    'lectern emulator report',
    'lectern emulator report --json',
  ),
  'emulator exec': entry(
    [9],
    'lectern emulator exec -- npm test',
    'lectern emulator exec --report report.json --fail-on error -- npm test',
    'lectern emulator exec --chaos 42 --report -- npm test',
  ),
  'emulator reset': entry(STEER, 'lectern emulator reset'),
  'emulator export': entry(STEER, 'lectern emulator export course.json'),
  'emulator import': entry([...STEER, 3], 'lectern emulator import course.json'),
  doctor: entry([1], 'lectern doctor'),
  demo: entry([], 'lectern demo'),
  'completion bash': entry([], 'lectern completion bash'),
  'completion zsh': entry([], 'lectern completion zsh'),
  'completion fish': entry([], 'lectern completion fish'),
};

const EVERY_COMMAND_EXITS = [0, 2];

/** The exit codes of a command, in their order. */
export function exitsOf(path: string): number[] {
  const own = Object.hasOwn(HELP, path) ? (HELP[path] as HelpEntry).exits : [];
  return [...new Set([...EVERY_COMMAND_EXITS, ...own])].sort((a, b) => a - b);
}
