import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a zip; `claims` are what its directory says where that is not the truth. */
export interface Packed {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly claims?: {
    readonly size?: number;
    readonly flags?: number;
    readonly method?: number;
    readonly mode?: number;
  };
}

/** Packs a zip, as a good packer does or a bad one. */
export function zipOf(files: readonly Packed[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', claims = {} } of files) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const { size = bytes.length, flags = 0, method = 8, mode = 0 } = claims;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    local.push(entry);
    central.push(Buffer.from('PK\u0001\u0002\u0014\0'), fields, rest, Buffer.from(name));
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\u0005\u0006'), end]);
}
