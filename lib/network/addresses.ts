import { BlockList, isIP } from 'node:net';

/** Ranges that are not public, by RFC 6890 and the registries of IANA. */
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, with the metadata services of clouds.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Everything that is not global unicast, and what contains or translates other addresses. */
const V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16'];
const GLOBAL_UNICAST = '2000::/3';
/** Metadata services and resolvers of clouds that have public addresses. */
const SPECIAL = ['168.63.129.16/32'];

const NOT_PUBLIC = listOf([...V4, ...V6, ...SPECIAL]);
const UNICAST = listOf([GLOBAL_UNICAST]);

/** An IPv4 address in the last half of `::ffff:0:0/96`, as URLs and resolvers write it. */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** @param ranges in the form `address/bits` */
export function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Whether an address belongs to the public internet, or to one of the listed ranges. */
export function mayConnect(address: string, listed: BlockList): boolean {
  const plain = unmapped(address);
  const family = isIP(plain) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(plain) === 0) return false;
  if (listed.check(plain, family)) return true;
  if (NOT_PUBLIC.check(plain, family)) return false;
  return family === 'ipv4' || UNICAST.check(plain, 'ipv6');
}

/** An IPv4 address that is written as one of IPv6 is the same place. */
function unmapped(address: string) {
  // A scope such as `%eth0` only exists for link-local addresses.
  const [plain] = address.split('%');
  const [, dotted, high, low] = MAPPED.exec(plain) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined) return plain;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
