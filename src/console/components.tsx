import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLoad } from './hooks.ts';
import { addressOf, go } from './router.ts';

import { visible } from './text.ts';

/** What was done last, told to people who do not see it. */
export const told = signal('');

/** A link to another page of the console. */
export function Link({
  page,
  rest = '',
  query,
  ...more
}: {
  readonly page: string;
  readonly rest?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
}): JSX.Element {
  const href = addressOf(page, rest, query);
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...more} />;
}

/** Copies a text, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    told.value = `${what} copied`;
  } catch {
    told.value = `${what} could not be copied: select it and copy it yourself`;
  }
}

/**
 * A button. One that is off for a while keeps the focus, which a disabled one loses: who works by
 * keyboard goes on from where they were.
 */
export function Button({
  isOff = false,
  type = 'button',
  onClick,
  ...more
}: {
  readonly isOff?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-pressed'?: boolean;
}): JSX.Element {
  const click = (event: Event): void => {
    if (isOff) event.preventDefault();
    else onClick?.();
  };
  return <button type={type} aria-disabled={isOff || undefined} onClick={click} {...more} />;
}

/** The command that does the same. */
export function Command({ children }: { readonly children: string }): JSX.Element {
  return (
    <div class="command">
      <code>{visible(children)}</code>
      <Button
        class="quiet small"
        aria-label="Copy the command"
        onClick={() => void copy(children, 'command')}
      >
        Copy
      </Button>
    </div>
  );
}

/** Why something was refused; read out as it comes. */
export function Alert({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  if (children === '' || children === undefined || children === null) return null;
  return (
    <div role="alert" class="alert">
      {children}
    </div>
  );
}

/** A launch under the name that the commands of empty lists use; whoever had that name before goes. */
const LAUNCH_STUDENT = 'lectern emulator launch --role student --save student --force';

/** A launch, and a command with it; '' is the launch alone. Where nothing is placed, what places it. */
export function AsStudent({ command }: { readonly command: string }): JSX.Element {
  const { data: world } = useLoad('GET world');
  if (world?.locations.length === 0) {
    return (
      <>
        <p>No tool is placed in a course, so there is no launch yet. A seed places one:</p>
        <Command>lectern emulator start --memory --seed example</Command>
      </>
    );
  }
  return (
    <>
      <Command>{LAUNCH_STUDENT}</Command>
      {command !== '' && <Command>{`${command} -l student`}</Command>}
    </>
  );
}

/** What is said of an empty list: what would fill it, and the command, as a student or as nobody. */
export function Empty({
  children,
  command,
  asStudent,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
  readonly asStudent?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {asStudent !== undefined && <AsStudent command={asStudent} />}
      {command !== undefined && <Command>{command}</Command>}
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

/** A state in words, with a mark that is not told by its colour alone. */
export function Status({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`status ${tone}`}>{children}</span>;
}

/** A part of a page, with its heading as its name. */
export function Section({
  name,
  children,
  actions,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}): JSX.Element {
  return (
    <section aria-label={name} class="panel">
      <div class="panel-head">
        <h2>{name}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** How much of a limit is used. */
export function Meter({
  name,
  value,
  max,
  text,
}: {
  readonly name: string;
  readonly value: number;
  readonly max: number;
  readonly text: string;
}): JSX.Element {
  const share = max === 0 ? 0 : value / max;
  const tone = share > 1 ? 'over' : share > 0.8 ? 'near' : '';
  return (
    <div class="meter">
      <span class="meter-name" aria-hidden="true">
        {name}
      </span>
      <meter
        aria-label={name}
        aria-valuetext={text}
        class={tone}
        min={0}
        max={max}
        high={max * 0.8}
        value={Math.min(value, max)}
      >
        {text}
      </meter>
      <span class="meter-text">{text}</span>
    </div>
  );
}

/** Something chosen from a list. */
export function Select({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
