import { accountCheck } from '../service/grades/grades.ts';
import { rowKey, type RowNames } from '../state/rows.ts';
import { readTarget, type Target } from '../service/addresses.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';

/** The addresses that launches and provision requests handed out. */
export class AddressBook {
  readonly #state: EmulatorState;
  readonly #known = new Set<string>();
  /** How many tokens, in the order of their issue, have been entered. */
  #entered = 0;

  constructor(state: EmulatorState) {
    this.#state = state;
  }

  /** Whether a launch has handed out the address, whoever calls it. */
  isHandedOut(target: Target, own: Token | undefined): boolean {
    const key = this.#keyOf(target);
    if (this.#known.has(key)) return true;
    // Most tokens are used with their own addresses only: then those of others are not entered.
    if (own !== undefined && this.#keysOf(own).includes(key)) this.#known.add(key);
    else this.#enterNew();
    return this.#known.has(key);
  }

  /** Enters an address that no token came with. */
  handOut(url: string): void {
    const { api } = this.#state.urls;
    const target = url.startsWith(api) ? readTarget(url.slice(api.length)) : undefined;
    if (target !== undefined) this.#known.add(this.#keyOf(target));
  }

  /** The tokens were replaced. What was handed out before stays handed out. */
  forgetTokens(): void {
    this.#entered = 0;
  }

  #enterNew(): void {
    const { tokens } = this.#state;
    if (this.#entered >= tokens.size) return;
    let index = 0;
    for (const token of tokens.values()) {
      if (index++ < this.#entered) continue;
      for (const key of this.#keysOf(token)) this.#known.add(key);
    }
    this.#entered = tokens.size;
  }

  #keysOf(token: Token): string[] {
    return targetsOf(this.#state, token).map((target) => this.#keyOf(target));
  }

  #keyOf(target: Target): string {
    switch (target.kind) {
      case 'row':
      case 'files':
      case 'file':
        return rowKey(this.#withTool(target.row));
      case 'provision':
        return `provision/${target.course}/${target.tool}/${target.location}`;
      case 'grade': {
        const { shape, course, tool, location, user, check } = target.grade;
        if (shape === 'contexts') return `grade/${course}/${tool}/${location}`;
        return `account/${user}/${location}/${check}`;
      }
    }
  }

  /** Some addresses do not name the tool, but a location belongs to one. */
  #withTool(row: RowNames): RowNames {
    if (row.tool !== '') return row;
    return { ...row, tool: this.#state.world.locations.get(row.location)?.tool ?? '' };
  }
}

/**
 * Whether a launch may have come with a grade URL: `grade.submit` is null unless the location is an
 * assessment. At an assessment it can be switched off, but may have been on before.
 */
function isGraded({ world }: EmulatorState, { location }: Token): boolean {
  const { type = 'assessment' } = world.locations.get(location) ?? {};
  return type === 'assessment';
}

/** All addresses that a token was issued with. */
function targetsOf(state: EmulatorState, token: Token): Target[] {
  const { kind, tool, course, location, member, user } = token;
  const row = (
    rowKind: RowNames['kind'],
    place: { course: string; location: string } = token,
  ): Target => {
    const { course: inCourse, location: at } = place;
    return { kind: 'row', row: { kind: rowKind, tool, course: inCourse, location: at, member } };
  };
  const shared = [row('context'), row('location')];
  const levels: Target[] = [
    { kind: 'provision', tool, course, location: '' },
    { kind: 'provision', tool: '', course: '', location },
  ];
  if (kind === 'provision') {
    const parent = {
      course: state.world.courses.get(course)?.parent ?? '',
      location: state.world.locations.get(location)?.parent ?? '',
    };
    return [...shared, ...levels, row('context', parent), row('location', parent)];
  }
  const own = [...shared, ...levels, row('member'), row('member_location')];
  if (!isGraded(state, token)) return own;
  const shape = token.account ? 'account' : 'contexts';
  const check = token.account ? accountCheck(state, { user, location }) : '';
  const grade = { shape, course, tool, location, member, user, check } as const;
  return [...own, { kind: 'grade', grade }];
}
