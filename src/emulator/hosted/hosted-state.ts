import type { Collection } from '../store/collection.ts';
import type { DeferredDeleteBlobs } from '../store/deferred-delete-blobs.ts';
import type { Ticket, ToolCode } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { Archives } from './archives.ts';
import { FrameOrigins } from './frame-origins.ts';

/** The state of hosted tools: their code, and the frames that show it. */
export interface HostedState {
  /** By tool and version. */
  readonly codes: Collection<ToolCode>;
  readonly tickets: Collection<Ticket>;
  readonly archives: Archives;
  readonly origins: FrameOrigins;
  /** Launches of which a call from a frame was refused because their token ended. */
  readonly refused: Set<string>;
  /** Those of them of which a frame has seen it: it gets the event. */
  readonly noticed: Set<string>;
}

export function createHostedState(store: Store, blobs: DeferredDeleteBlobs): HostedState {
  return {
    codes: store.collection('codes'),
    tickets: store.collection('tickets'),
    archives: new Archives(blobs),
    origins: new FrameOrigins(store.settings('tool_ports')),
    refused: new Set(),
    noticed: new Set(),
  };
}
