import type { Reply } from '../../http/messages.ts';

/** Marks every response to a frame as lectern's interpretation, which is not in the contract. */
export const READING_HEADER = 'lectern-reading';
export const READING =
  'How the service frames a hosted tool and hands over claims is not shown; this is our reading of it.';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** The content type of a page, script or style, by its name. */
export function assetType(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? '';
}

/** Pages and scripts of the emulator, loaded on first use. */
const FILES = {
  'service.js': () => import('./service.js?raw'),
  'page.css': () => import('./page.css?raw'),
  'ended.html': () => import('./ended.html?raw'),
  'no-code.html': () => import('./no-code.html?raw'),
  'version-without-code.html': () => import('./version-without-code.html?raw'),
  'no-index.html': () => import('./no-index.html?raw'),
  'no-file.html': () => import('./no-file.html?raw'),
  'no-address.html': () => import('./no-address.html?raw'),
  'course.html': () => import('./course.html?raw'),
  'course.css': () => import('./course.css?raw'),
  'course.js': () => import('./course.js?raw'),
  'gone.html': () => import('./gone.html?raw'),
};

export type AssetName = keyof typeof FILES;

/** The text of a page or script. */
export async function assetText(name: AssetName): Promise<string> {
  return (await FILES[name]()).default;
}

/** A page or script as a response. */
export async function asset(name: AssetName): Promise<Reply> {
  return {
    status: 200,
    headers: { 'content-type': assetType(name) },
    body: await assetText(name),
  };
}

/** Replaces each `{{name}}` in a page. */
export function fillPage(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([\w-]+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''));
}

/** Characters that change the direction of the text after them. */
const BIDI = /\p{Bidi_Control}/gu;

function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(BIDI, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}
