import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../contract/index.ts';

/** The requested address of a listener, and its port. */
export interface Listening {
  readonly address: string;
  readonly port: number;
}

/** The addresses that mean all addresses of the machine, with the loopback address of their kind. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** Other names of an address. Every system and browser resolves `localhost` by itself. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '127.0.0.1': ['localhost'],
  '[::1]': ['localhost'],
  '0.0.0.0': ['127.0.0.1', 'localhost'],
  '[::]': ['[::1]', '127.0.0.1', 'localhost'],
};

/**
 * The names under which a listener may be called, as `Host` or as the origin of its own pages. A page on
 * another site can have its name resolve to this machine (DNS rebinding), but its name stays in `Host`:
 * only addresses of this machine, `localhost` and the host of the public URL are accepted.
 */
export class OwnHosts {
  /** The base URL of the listener, without a trailing slash; for all addresses, the one of loopback. */
  readonly url: string;
  /** The origin for callers: the public one, or that of the listener. */
  readonly origin: string;
  readonly #port: number;
  readonly #hosts: ReadonlySet<string>;
  readonly #isForAll: boolean;
  readonly #public: URL | undefined;

  constructor({ address, port }: Listening, publicUrl?: string) {
    const host = urlHost(address);
    this.url = new URL(`${HTTP}${ALL[host] ?? host}:${port}`).origin;
    this.origin = new URL(publicUrl ?? this.url).origin;
    this.#port = port;
    this.#isForAll = host in ALL;
    this.#public = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#hosts = new Set([host, ...(ALIASES[host] ?? [])].flatMap((name) => this.#withPort(name)));
  }

  /** Whether this is the value of a `Host` header that is served. */
  has(host: string): boolean {
    const given = host.toLowerCase();
    return given === this.#public?.host || this.#isListened(given);
  }

  /** Whether this is the origin of the listener's own pages. */
  hasOrigin(origin: string): boolean {
    if (origin === this.#public?.origin) return true;
    return origin.startsWith(HTTP) && this.#isListened(origin.slice(HTTP.length));
  }

  #isListened(host: string): boolean {
    if (this.#hosts.has(host)) return true;
    // Interfaces come and go, so they are looked at each time.
    return this.#isForAll && ownAddresses().some((name) => this.#withPort(name).includes(host));
  }

  /** Clients leave the port 80 out. */
  #withPort(name: string): string[] {
    const whole = `${name}:${this.#port}`;
    return this.#port === HTTP_PORT ? [whole, name] : [whole];
  }
}

const HTTP = 'http://';
const HTTP_PORT = 80;

/** Whether an address is reached from other machines. */
export function isOpenAddress(address: string): boolean {
  return !isLoopback(`${HTTP}${urlHost(address)}`);
}

/** Whether this machine has an address. A system also listens on those of broadcast and multicast. */
export function isOfMachine(address: string): boolean {
  const host = urlHost(address);
  return host in ALL || !isOpenAddress(address) || ownAddresses().includes(host);
}

/** An IP address in the form that a URL has it. */
function urlHost(address: string): string {
  return new URL(isIP(address) === 6 ? `${HTTP}[${address}]` : `${HTTP}${address}`).hostname;
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // Link-local IPv6 addresses have a zone, which no URL has.
  return all.map(({ address }) => urlHost(address.replace(/%.*/, '')));
}
