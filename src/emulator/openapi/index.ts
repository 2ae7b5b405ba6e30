/** OpenAPI documents of an emulator's API, generated from the tables that it uses itself. */
import { controlDocument } from './control.ts';
import { type ChosenValues, chosenBy } from '../freedom/vary.ts';
import type { Origins, DocumentPart } from './document.ts';
import { serviceDocument } from './service.ts';

interface DocumentOptions {
  readonly urls?: Origins;
  readonly chosen?: ChosenValues;
}

/**
 * The document of the service or of the control API, with the values of the freedoms that are in force;
 * without URLs, for no emulator in particular.
 */
export function openapi(
  part: 'service' | 'control',
  { urls, chosen = chosenBy(undefined).chosen }: DocumentOptions = {},
): DocumentPart {
  return part === 'service' ? serviceDocument(urls, chosen) : controlDocument(urls);
}
