import type { Collection } from '../store/collection.ts';

/** The names of loopback under which a frame can be served: the second one makes it a third party. */
export type FrameHost = '127.0.0.1' | 'localhost';

/** The loopback port of a hosted tool, and the names under which frames were served from it. */
export interface ToolPort {
  readonly tool: string;
  readonly port: number;
  readonly hosts: readonly FrameHost[];
}

/** Serves a tool on a port of its own, the last one if it is free; resolves with the port. */
export type ServeTool = (tool: string, last: number | undefined) => Promise<number>;

/**
 * The origins of hosted tools. Each tool has a port of its own that stays, so that two tools cannot
 * reach each other, and what a tool keeps in the browser is there the next time.
 */
export class FrameOrigins {
  readonly #ports: Collection<ToolPort>;
  readonly #served = new Map<string, Promise<number>>();
  /** Of frames that were served: the only ones whose calls pass CORS. */
  readonly #granted = new Map<string, string>();
  #serve: ServeTool | undefined;

  constructor(ports: Collection<ToolPort>) {
    this.#ports = ports;
  }

  /** Hands in what can listen, and opens the ports of the tools that had one. */
  async listenBy(serve: ServeTool): Promise<void> {
    this.#serve = serve;
    for (const { tool, hosts } of this.#ports.values()) {
      for (const host of hosts) await this.open(tool, host);
    }
  }

  /** Whether nothing can be served: an emulator without ports. */
  get isClosed(): boolean {
    return this.#serve === undefined;
  }

  /** Whether frames of some tool were served from this origin. */
  has(origin: string): boolean {
    return this.#granted.has(origin);
  }

  /** The origin of a tool's frames, served and granted from now on. */
  async open(tool: string, host: FrameHost): Promise<string> {
    const port = await this.#portOf(tool);
    const origin = `http://${host}:${port}`;
    if (!this.#granted.has(origin)) {
      const hosts = new Set([...(this.#ports.get(tool)?.hosts ?? []), host]);
      this.#ports.set(tool, { tool, port, hosts: [...hosts] });
      this.#granted.set(origin, tool);
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
    return this.#serve(tool, this.#ports.get(tool)?.port);
  }
}
