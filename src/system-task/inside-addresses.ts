// Which IP addresses are inside: this machine, private networks, link-local and metadata services,
// and everything else that is not public unicast (invariants S1). Works on addresses, not on names:
// the connection checks the address it connects to. Spellings such as `0x7f.1` or `2130706433` are
// no addresses here; the URL parser has turned them into dotted form before.
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Everything that is not public in IPv4 (RFC 6890 and its successors). */
const insideRangesV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Parts of the public IPv6 range 2000::/3 that are not public: Teredo and other protocol ranges,
 * documentation.
 */
const insideRangesV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const insideV4 = new BlockList();
for (const [net, prefix] of insideRangesV4) insideV4.addSubnet(net, prefix, 'ipv4');
const insideV6 = new BlockList();
for (const [net, prefix] of insideRangesV6) insideV6.addSubnet(net, prefix, 'ipv6');

/**
 * Whether an address must not be reached unless that is allowed. True for what is no address at
 * all.
 */
export function isInsideAddress(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return insideV4.check(address, 'ipv4');
  // A zone (`fe80::1%eth0`) only makes sense on a link of this machine.
  if (kind !== 6 || address.includes('%')) return true;
  const groups = groupsOf(address);
  const embedded = embeddedV4(groups);
  if (embedded !== undefined) return insideV4.check(embedded, 'ipv4');
  const isPublicRange = ((groups[0] as number) & 0xe000) === 0x2000;
  return !isPublicRange || insideV6.check(address, 'ipv6') || isIsatapInside(groups);
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = groupList(head);
  if (tail === undefined) return before;
  const after = groupList(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupList(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/**
 * The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (SIIT, NAT64),
 * 6to4; undefined for others.
 */
function embeddedV4(groups: readonly number[]): string | undefined {
  const [a, b, c, d, e, f, g = 0, h = 0] = groups;
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  if (zeros && e === 0 && (f === 0xffff || f === 0)) return dotted(g, h);
  if (zeros && e === 0xffff && f === 0) return dotted(g, h);
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return dotted(g, h);
  if (a === 0x2002) return dotted(b as number, c as number);
  return undefined;
}

/** ISATAP carries an IPv4 address in its interface part, under any prefix. */
function isIsatapInside(groups: readonly number[]): boolean {
  const [, , , , e = 0, f, g = 0, h = 0] = groups;
  return f === 0x5efe && (e & 0xfdff) === 0 && insideV4.check(dotted(g, h), 'ipv4');
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
