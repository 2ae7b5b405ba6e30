import { signal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, go } from './router.ts';
import { offerTo } from './new-tab.ts';
import { visible } from './text.ts';

/** The last action, announced by screen readers. */
export const done = signal('');

/** A link to another page of the console. With `stays` it opens beside the current content. */
export function Link({
  page,
  rest = '',
  query,
  stays = false,
  ...more
}: {
  readonly page: string;
  readonly rest?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly stays?: boolean;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
}): JSX.Element {
  const href = addressOf(page, rest, query);
  const offer = (): void => offerTo(href);
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return offer();
    event.preventDefault();
    go(href, { stays });
  };
  return (
    <a
      href={href}
      onClick={follow}
      onAuxClick={offer}
      onContextMenu={offer}
      onDragStart={offer}
      {...more}
    />
  );
}

/** Copies a text, and announces it. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    done.value = `${what} copied`;
  } catch {
    done.value = `${what} could not be copied: select it and copy it yourself`;
  }
}

/**
 * A button. While it is off it keeps the focus, unlike a disabled one, so that keyboard users keep
 * their place.
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
  readonly 'aria-describedby'?: string;
}): JSX.Element {
  const click = (event: Event): void => {
    if (isOff) event.preventDefault();
    else onClick?.();
  };
  return <button type={type} aria-disabled={isOff || undefined} onClick={click} {...more} />;
}

/** A command to be read or copied. */
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

/** The commands for a section's actions, behind one control. */
export function Commands({ list }: { readonly list: readonly string[] }): JSX.Element {
  return (
    <details class="commands">
      <summary aria-label="Commands" title="The same in a terminal">
        {'>_'}
      </summary>
      {list.map((each) => (
        <Command key={each}>{each}</Command>
      ))}
    </details>
  );
}

/** An error, announced by screen readers. */
export function Alert({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  if (children === '' || children === undefined || children === null) return null;
  return (
    <div role="alert" class="alert">
      {children}
    </div>
  );
}

/** The content of an empty list: what would fill it. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

/** A state, with a mark that does not depend on colour alone. */
export function Status({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`status ${tone}`}>{children}</span>;
}

/** A part of a page, named by its heading, with its commands. */
export function Section({
  name,
  children,
  actions,
  commands = [],
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly commands?: readonly string[];
}): JSX.Element {
  return (
    <section aria-label={name} class="panel">
      <div class="panel-head">
        <h2>{name}</h2>
        {actions}
        {commands.length > 0 && <Commands list={commands} />}
      </div>
      {children}
    </section>
  );
}

/** A question before something is lost; cancelling it does nothing. */
export function Question({
  text,
  yes,
  onYes,
  onNo,
}: {
  readonly text: string;
  readonly yes: string;
  readonly onYes: () => void;
  readonly onNo: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} role="alertdialog" aria-label={text} onClose={onNo}>
      <p>{text}</p>
      <div class="actions">
        <Button class="primary" onClick={onYes}>
          {yes}
        </Button>
        <Button onClick={onNo}>Cancel</Button>
      </div>
    </dialog>
  );
}

/** The used part of a limit. */
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

/** A text that is typed; `onText` gets it at each letter. */
export function Field({
  label,
  onText,
  class: more = 'field',
  ...input
}: {
  readonly label: string;
  readonly onText: (text: string) => void;
} & InputHTMLAttributes<HTMLInputElement>): JSX.Element {
  return (
    <label class={more}>
      <span>{label}</span>
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        {...input}
      />
    </label>
  );
}

/** A form, which is sent by Enter too. */
export function Form({
  onSubmit,
  class: more = 'fields',
  ...form
}: {
  readonly onSubmit: () => unknown;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-label'?: string;
}): JSX.Element {
  const submit = (event: Event): void => {
    event.preventDefault();
    void onSubmit();
  };
  return <form class={more} onSubmit={submit} {...form} />;
}

/** A switch. */
export function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** A file that is chosen; the same one can be chosen again. */
export function FileField({
  label,
  accept,
  onFile,
}: {
  readonly label: string;
  readonly accept?: string;
  readonly onFile: (file: File) => void;
}): JSX.Element {
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    const [file] = currentTarget.files ?? [];
    if (file !== undefined) onFile(file);
  };
  const forget = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    currentTarget.value = '';
  };
  return (
    <label class="field">
      <span>{label}</span>
      <input type="file" {...(accept && { accept })} onClick={forget} onChange={take} />
    </label>
  );
}

/** Facts with their names; those that are empty are left out. */
export function Facts({
  facts,
  class: more = '',
}: {
  readonly facts: readonly (readonly [name: ComponentChildren, fact: ComponentChildren])[];
  readonly class?: string;
}): JSX.Element {
  return (
    <dl class={`facts ${more}`}>
      {facts.map(([name, fact]) =>
        fact === '' || fact === null || fact === false ? null : (
          <>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </>
        ),
      )}
    </dl>
  );
}

/** An untrusted text as code. */
export function Code({ children }: { readonly children: string }): JSX.Element {
  return <code>{visible(children)}</code>;
}

/** A number, with its name as a link to its page. */
export function Figure({
  name,
  page,
  value,
  children,
}: {
  readonly name: string;
  readonly page?: string;
  readonly value: number;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="figure">
      {page === undefined ? (
        <dt class="secondary">{name}</dt>
      ) : (
        <dt>
          <Link page={page}>{name}</Link>
        </dt>
      )}
      <dd class="value">{value.toLocaleString('en')}</dd>
      {children !== undefined && <dd class="secondary">{children}</dd>}
    </div>
  );
}

/** Shown where no tool is placed in a course. */
export function NoPlacement({
  children = 'No tool is placed in a course, so there is no launch yet. A seed places one:',
}: {
  readonly children?: string;
}): JSX.Element {
  return (
    <>
      <p>{children}</p>
      <Command>lectern emulator start --memory --seed example</Command>
    </>
  );
}

/** A selection from a list. */
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
