/**
 * What the service accepts from the tool's side, where it calls or unpacks the tool. Shapes beyond
 * these names are not shown.
 */

/** A locations answer names at least one of these ("Errors": other rules, 4). */
export const LOCATIONS_KEYS = ['locations', 'grouped_locations', 'message'] as const;

/** Refused at the root of a hosted tool's folder ("Versioning": change of 2026-10-05). */
export const RESERVED_ROOT_FILE = 'voshi.json';

/** A hosted tool's manifest with one of these is refused ("Versioning": change of 2026-10-11). */
export const REFUSED_MANIFEST_KEYS = ['locations', 'grouped_locations'] as const;
