/** OpenAPI documents of an emulator's API, generated from the tables that it uses itself. */
import { controlDocument } from './control.ts';
import type { Origins, DocumentPart } from './document.ts';
import { serviceDocument } from './service.ts';

/**
 * The document of the service or of the control API; without origins, for no emulator in
 * particular.
 */
export function openapi(part: 'service' | 'control', origins?: Origins): DocumentPart {
  return part === 'service' ? serviceDocument(origins) : controlDocument(origins);
}
