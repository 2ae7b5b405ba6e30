import {
  type Claims,
  isObject,
  truncate,
  type Violation,
  violation,
} from '../../contract/index.ts';

const OFFER_NAME = /upgrade|offer|available|newer|next/i;

/**
 * The upgrade that the claim `version` offers, in short. The contract does not show the claim's
 * shape, so an offer is recognised by its name.
 */
export function upgradeOffered({ version }: Claims): string | undefined {
  if (!isObject(version)) return undefined;
  const name = Object.keys(version).find((key) => OFFER_NAME.test(key) && isOffer(version[key]));
  return name === undefined ? undefined : inWords(name, version[name]);
}

function isOffer(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0;
}

function inWords(name: string, value: unknown): string {
  const inner = isObject(value) ? Object.values(value).find((each) => isNaming(each)) : value;
  return truncate(isNaming(inner) ? String(inner) : name);
}

function isNaming(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** Notes that an upgrade is offered ("States: tool version visibility and review"). */
export function checkVersion(claims: Claims): Violation[] {
  const offer = upgradeOffered(claims);
  return offer === undefined ? [] : [violation('launch.upgrade_offered', 'version', { offer })];
}
