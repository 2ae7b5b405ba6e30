import { isProvisionRequest, type Launch, launchOrigin, splitUrl } from '../contract/index.ts';
import { isSecret } from '../redaction.ts';
import type { Target } from '../emulator/service/addresses.ts';
import { applySeed, type Seed } from '../emulator/state/seed/seed.ts';
import type { EmulatorState, ForeignSecrets } from '../emulator/state/state.ts';
import { LaunchAddresses, type LaunchIds } from './addresses.ts';

export interface LaunchOptions {
  /** The world of a launch, as `launch capture` writes it, with its IDs. */
  readonly seedOf: (launch: Launch) => Seed;
  /** The API key of the tool, where it is known: its calls are judged too. */
  readonly apiKey?: string | undefined;
}

/** The observed launches, in the world of the emulator that shows them. */
export class Launches {
  readonly #state: EmulatorState;
  readonly #options: LaunchOptions;
  readonly #secrets: ForeignSecrets;
  readonly #addresses: LaunchAddresses[] = [];
  /** The origin that each token may go to. */
  readonly #tokens = new Map<string, string>();

  /** @param secrets gets what has to be redacted */
  constructor(state: EmulatorState, options: LaunchOptions, secrets: ForeignSecrets) {
    this.#state = state;
    this.#options = options;
    this.#secrets = secrets;
  }

  /** Enters a launch into the world and among the tokens; returns its ID. */
  enter(launch: Launch): string {
    const { world } = this.#state;
    const { seedOf, apiKey } = this.#options;
    const seed = seedOf(launch);
    applySeed(this.#state, seed);
    const tool = world.tools.first('true');
    if (apiKey !== undefined && tool) world.tools.put({ ...tool, api_key: apiKey });
    const ids = idsIn(seed);
    const person = world.members.get(ids.member);
    // The seed has invented a name; without one the ID is shown.
    if (person && launch.fullName === undefined) {
      world.members.put({ ...person, given_name: '', family_name: '' });
    }
    this.#addresses.push(new LaunchAddresses(launch, ids));
    const { tokens, queries } = this.#secrets;
    if (isSecret(launch.token ?? '')) tokens.push(launch.token ?? '');
    for (const query of queriesOf(launch).filter(isSecret)) queries.push(query);
    return this.#issue(launch, ids);
  }

  #issue(launch: Launch, { tool, course, location, member }: LaunchIds): string {
    const { tokens, world, clock, newId } = this.#state;
    const { claims, token = '', gradeSubmit } = launch;
    const named = typeof claims.launch_id === 'string' ? claims.launch_id : '';
    const isOther = (tokens.ofLaunch(named)?.token ?? token) !== token;
    const launchId = named === '' || isOther ? newId() : named;
    const now = clock.now();
    tokens.add({
      token,
      kind: isProvisionRequest(launch) ? 'provision' : 'launch',
      launch_id: launchId,
      tool,
      course,
      location,
      member,
      user: world.members.get(member)?.user ?? '',
      account: gradeSubmit?.includes('/account/v1/users/') === true,
      issued: now,
      last_call: now,
      ended: '',
    });
    this.#tokens.set(token, launchOrigin(launch) ?? '');
    return launchId;
  }

  /** What a request to an origin calls; undefined for an address of no launch. */
  find(origin: string, target: string): Target | undefined {
    for (const each of this.#addresses) {
      const found = each.find(origin, target);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The origin that a token may go to; undefined for one of no launch. */
  originOfToken(token: string): string | undefined {
    return this.#tokens.get(token);
  }
}

function idsIn({ courses: [course, parent] }: Seed): LaunchIds {
  const [location] = course?.locations ?? [];
  return {
    tool: location?.tool ?? '',
    course: course?.id ?? '',
    location: location?.id ?? '',
    member: course?.members?.[0]?.id ?? '',
    parent: { course: parent?.id ?? '', location: parent?.locations?.[0]?.id ?? '' },
  };
}

/** The queries of its addresses. */
function queriesOf({ storage, files, gradeSubmit, provision }: Launch): string[] {
  const urls = [storage, files, provision].flatMap((each) => Object.values(each));
  return [...urls, gradeSubmit ?? ''].map((url) => {
    const split = splitUrl(url);
    return 'fault' in split ? '' : split.query;
  });
}
