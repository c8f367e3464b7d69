// Where a node listens for the others: `host:port`, or `unix:PATH` where all nodes are processes of
// one machine that a supervisor has started.
const socketPrefix = 'unix:';

export function isSocket(address: string): boolean {
  return address.startsWith(socketPrefix);
}

export function socketAddress(path: string): string {
  return `${socketPrefix}${path}`;
}

export function socketPathOf(address: string): string {
  return address.slice(socketPrefix.length);
}

/** Where to connect: `host:port`, `[v6]:port`, `unix:PATH`. */
export function placeOf(address: string): { path: string } | { host: string; port: number } {
  if (isSocket(address)) return { path: socketPathOf(address) };
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host, port: Number(address.slice(colon + 1)) };
}
