import { signal } from '@preact/signals';
import type {
  AnchorHTMLAttributes,
  ButtonHTMLAttributes,
  ComponentChildren,
  FormHTMLAttributes,
  InputHTMLAttributes,
} from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, go } from './router.ts';
import { offerTo } from './new-tab.ts';
import { visible } from './text.ts';

/** The last action, with a number of its own: the same words are announced again. */
export const done = signal({ text: '', number: 0 });

/** Shows what was done, and has screen readers read it. */
export function announce(text: string): void {
  done.value = { text, number: done.value.number + 1 };
}

/** A link to another page of the console. With `stays` it opens beside the current content. */
export function Link(
  props: {
    page: string;
    rest?: string;
    query?: Readonly<Record<string, string>>;
    stays?: boolean;
  } & AnchorHTMLAttributes<HTMLAnchorElement>,
) {
  const { page, rest = '', query, stays = false, ...more } = props;
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
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  const words =
    isCopied || copyFromPage(text)
      ? 'copied'
      : 'could not be copied: select it and copy it yourself';
  announce(`${what} ${words}`);
}

/** Copies without the clipboard's own API, which a page has on loopback and over TLS only. */
function copyFromPage(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/**
 * A button. While it is off it keeps the focus, unlike a disabled one, so that keyboard users keep
 * their place.
 */
export function Button(props: { isOff?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>) {
  const { isOff = false, type = 'button', onClick, ...more } = props;
  const off = (event: Event): void => event.preventDefault();
  const click = isOff ? off : onClick;
  return <button type={type} aria-disabled={isOff || undefined} onClick={click} {...more} />;
}

/** A command to be read or copied. */
export function Command({ children }: { children: string }) {
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
export function Commands({ list }: { list: readonly string[] }) {
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
export function Alert({ children }: { children: ComponentChildren }) {
  if (children === '' || children === undefined || children === null) return null;
  return (
    <div role="alert" class="alert">
      {children}
    </div>
  );
}

/** The content of an empty list: what would fill it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

/** A state, with a mark that does not depend on colour alone. */
export function Status({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`status ${tone}`}>{children}</span>;
}

/** A part of a page, named by its heading, with its commands. */
export function Section(props: {
  name: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
  commands?: readonly string[];
}) {
  const { name, children, actions, commands = [] } = props;
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

/** A question before something is lost; `onNo` removes it, after an answer of yes too. */
export function Question(props: {
  text: string;
  yes: string;
  onYes: () => void;
  onNo: () => void;
}) {
  const { text, yes, onYes, onNo } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  // The browser returns the focus to where it was.
  const close = (): void => dialog.current?.close();
  const accept = (): void => {
    close();
    onYes();
  };
  return (
    <dialog ref={dialog} role="alertdialog" aria-label={text} onClose={onNo}>
      <p>{text}</p>
      <div class="actions">
        <Button class="primary" onClick={accept}>
          {yes}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </dialog>
  );
}

/** The used part of a limit. */
export function Meter(props: { name: string; value: number; max: number; text: string }) {
  const { name, value, max, text } = props;
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
export function Field(
  props: { label: string; onText: (text: string) => void } & InputHTMLAttributes<HTMLInputElement>,
) {
  const { label, onText, class: more = 'field', ...input } = props;
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
export function Form(
  props: { onSubmit: () => unknown } & Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'>,
) {
  const { onSubmit, class: more = 'fields', ...form } = props;
  const submit = (event: Event): void => {
    event.preventDefault();
    void onSubmit();
  };
  return <form class={more} onSubmit={submit} {...form} />;
}

/** A switch. */
export function Check(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { label, isOn, onChange } = props;
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
export function FileField(props: { label: string; accept?: string; onFile: (file: File) => void }) {
  const { label, accept, onFile } = props;
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
export function Facts(props: {
  facts: readonly (readonly [name: ComponentChildren, fact: ComponentChildren])[];
  class?: string;
}) {
  const { facts, class: more = '' } = props;
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
export function Code({ children }: { children: string }) {
  return <code>{visible(children)}</code>;
}

/** A name, and the ID that it is of. */
export function Named({ name, id }: { name: string; id: string }) {
  return (
    <>
      {visible(name)} <Code>{id}</Code>
    </>
  );
}

/** A launch, by its ID. */
export function LaunchLink({ id }: { id: string }) {
  return (
    <Link page="launch" rest={id}>
      <Code>{id}</Code>
    </Link>
  );
}

/** A number, with its name as a link to its page. */
export function Figure(props: {
  name: string;
  page?: string;
  value: number;
  children?: ComponentChildren;
}) {
  const { name, page, value, children } = props;
  return (
    <div class="figure">
      <dt class={page === undefined ? 'secondary' : ''}>
        {page === undefined ? name : <Link page={page}>{name}</Link>}
      </dt>
      <dd class="value">{value.toLocaleString('en')}</dd>
      {children !== undefined && <dd class="secondary">{children}</dd>}
    </div>
  );
}

/** Shown where no tool is placed in a course. */
export function NoPlacement(props: { children?: string }) {
  const {
    children = 'No tool is placed in a course, so there is no launch yet. A seed places one:',
  } = props;
  return (
    <>
      <p>{children}</p>
      <Command>lectern emulator start --memory --seed example</Command>
    </>
  );
}

/** A selection from a list. */
export function Select(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}) {
  const { label, value, options, onChange } = props;
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
