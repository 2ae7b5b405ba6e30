import v8 from 'node:v8';

/**
 * undici parses HTTP with WebAssembly. On Node 20, V8 compiles that twice: quickly, and again with
 * optimization. A command with one call ends before the second is of any use, and has to wait for it.
 * The plain way is to set no flag: then `storage get` takes twice as long on Node 20
 * (docs/decisions/0007-v8-flags.md). From Node 22 on, V8 waits for neither.
 *
 * Call it when undici has been loaded: under another flag V8 rejects the compiled code that Node has of
 * its own modules. Node documents flags that are set after the start as unsafe. This one only decides
 * how code is compiled.
 */
export function setWasmFlag(): void {
  if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--liftoff-only');
}
