const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Whether Windows takes a file name for a device, such as `nul` or `con.json`. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}
