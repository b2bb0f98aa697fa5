/** Is an IP address one that anybody on the Internet has? Everything else leads into networks that callers have no business in. */
import { BlockList, isIP } from 'node:net'

/** Networks in CIDR form. */
export type Networks = BlockList

/** IANA's registries of special-purpose addresses (RFC 6890), multicast, and what is reserved. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/** Only 2000::/3 is given out; of that these are not for everybody, or lead to addresses of IPv4 that would have to be judged again. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']
const GIVEN_OUT_IPV6 = networksOf(['2000::/3'])
const SPECIAL = networksOf([...SPECIAL_IPV4, ...SPECIAL_IPV6])

/** @throws Error that names what is no network */
export function networksOf(list: readonly string[]): Networks {
  const networks = new BlockList()
  for (const text of list) {
    const [address = '', prefix = ''] = text.split('/')
    const most = isIP(address) === 4 ? 32 : 128
    if (!isIP(address) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > most) throw new Error(`'${text}' is no network like 10.1.0.0/16`)
    networks.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return networks
}

/** `allowed`: networks of the operator's own that may be reached as well. */
export function isPublic(address: string, allowed?: Networks): boolean {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return false
  const type = version === 4 ? 'ipv4' : 'ipv6'
  if (allowed?.check(address, type)) return true
  return version === 4 ? !SPECIAL.check(address, type) : GIVEN_OUT_IPV6.check(address, type) && !SPECIAL.check(address, type)
}
