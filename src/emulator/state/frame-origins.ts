import type { Tables } from './records.ts';

/** The names of the tools' ports begin with it. */
const TOOL = 'tool/';

/** Serves a tool on a port of its own, if possible the last one; resolves with the port. */
export type ServeTool = (tool: string, last: number | undefined) => Promise<number>;

/**
 * The origins of hosted tools. Each tool has a port of its own, so that tools are isolated from each
 * other, and keeps it, so that its browser storage survives a restart.
 */
export class FrameOrigins {
  readonly #ports: Tables['ports'];
  readonly #served = new Map<string, Promise<number>>();
  /** Origins that served frames: only their calls pass CORS. */
  readonly #granted = new Set<string>();
  /** The development server that the frame of a launch shows in place of uploaded code, by its ID. */
  readonly devUrls = new Map<string, URL>();
  #serve: ServeTool | undefined;

  constructor(ports: Tables['ports']) {
    this.#ports = ports;
  }

  /** Sets how ports are opened, and reopens those of the tools whose frames used these hosts. */
  async listenWith(serve: ServeTool, frameHosts: readonly string[]): Promise<void> {
    this.#serve = serve;
    for (const { name, hosts } of this.#ports.all("name LIKE 'tool/%'")) {
      const tool = name.slice(TOOL.length);
      for (const host of hosts) if (frameHosts.includes(host)) await this.open(tool, host);
    }
  }

  /** Whether the emulator has no ports, and so serves no frames. */
  get isClosed(): boolean {
    return this.#serve === undefined;
  }

  /** Whether frames of some tool were served from this origin, or are a development server's. */
  has(origin: string): boolean {
    if (this.#granted.has(origin)) return true;
    return [...this.devUrls.values()].some((url) => url.origin === origin);
  }

  /** The origin of a tool's frames, which is served and passes CORS from now on. */
  async open(tool: string, host: string): Promise<string> {
    const port = await this.#portOf(tool);
    const { origin } = new URL(`http://${host}:${port}`);
    if (!this.#granted.has(origin)) {
      const name = TOOL + tool;
      const hosts = new Set([...(this.#ports.get(name)?.hosts ?? []), host]);
      this.#ports.put({ name, port, hosts: [...hosts] });
      this.#granted.add(origin);
    }
    return origin;
  }

  async #portOf(tool: string): Promise<number> {
    const served = this.#served.get(tool) ?? this.#listen(tool);
    this.#served.set(tool, served);
    served.catch(() => this.#served.delete(tool));
    return served;
  }

  #listen(tool: string): Promise<number> {
    if (this.#serve === undefined) throw new Error('an emulator without ports serves no frames');
    return this.#serve(tool, this.#ports.get(TOOL + tool)?.port);
  }
}
