/** Tells public IP addresses from special ones, such as private networks, which outgoing requests must not reach. */
import { BlockList, isIP } from 'node:net'

/** A list of networks, from CIDR notation. */
export type Networks = BlockList

/** Special-purpose IPv4 networks of the IANA registry (RFC 6890), multicast and reserved networks. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/** Networks within 2000::/3, the only allocated IPv6 range, that are not public or that map to IPv4 addresses. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']
const ALLOCATED_IPV6 = parseNetworks(['2000::/3'])
const SPECIAL = parseNetworks([...SPECIAL_IPV4, ...SPECIAL_IPV6])

/** Parses networks in CIDR notation. @throws Error that names the invalid entry */
export function parseNetworks(list: readonly string[]): Networks {
  const networks = new BlockList()
  for (const text of list) {
    const [address = '', prefix = ''] = text.split('/')
    const maxPrefix = isIP(address) === 4 ? 32 : 128
    if (!isIP(address) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > maxPrefix)
      throw new Error(`Invalid network '${text}': expected CIDR notation such as 10.1.0.0/16`)
    networks.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return networks
}

/** True if `address` is public or in `allowed`. `allowed`: networks of the operator. `undefined`: none. */
export function isPublicAddress(address: string, allowed?: Networks): boolean {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return false
  const type = version === 4 ? 'ipv4' : 'ipv6'
  if (allowed?.check(address, type)) return true
  return version === 4 ? !SPECIAL.check(address, type) : ALLOCATED_IPV6.check(address, type) && !SPECIAL.check(address, type)
}
