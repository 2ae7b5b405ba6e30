import xterm from '@xterm/headless';

/** What a person sees of a program in a terminal, and types. */
export interface Terminal {
  /** What a person sees now, line by line, without the empty lines at the end. */
  readonly screen: () => string;
  /**
   * Resolves when the screen shows a text, this many times, and fails with the screen when the program ends
   * first.
   */
  readonly shows: (text: string, times?: number) => Promise<void>;
  /** Everything that the program wrote, colours included. */
  readonly bytes: () => string;
  readonly type: (keys: string) => void;
  readonly exit: Promise<number>;
}

export const KEYS = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', end: '\u0004' } as const;

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal's screen: what is written to it is shown as a terminal would. */
export class Screen {
  readonly #view: xterm.Terminal;
  readonly #waiting = new Set<() => void>();
  #written = '';
  #ended = false;

  constructor({ columns, rows }: Size) {
    this.#view = new xterm.Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      scrollback: 1000,
    });
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  readonly write = (text: string): void => {
    this.#written += text;
    this.#view.write(text, () => this.#check());
  };

  /** The program has ended; resolves when what it wrote last is on the screen. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#view.write('', () => {
        this.#ended = true;
        this.#check();
        resolve();
      });
    });
  }

  readonly bytes = (): string => this.#written;

  readonly text = (): string => {
    const { active } = this.#view.buffer;
    const lines = Array.from({ length: active.length }, (_, index) =>
      (active.getLine(index)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  };

  readonly shows = (text: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.text().split(text).length > times) resolve();
        else if (this.#ended) {
          reject(new Error(`ended without showing ${text}:\n${this.text()}`));
        } else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });

  #check(): void {
    for (const look of this.#waiting) look();
  }
}
