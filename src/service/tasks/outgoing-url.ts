/**
 * Validation of every address that the service sends requests to: callbacks, sources and destinations. Allowed are public host names over
 * https, on allowed ports.
 * Credentials, single-label names, internal names and IP addresses are refused. The URL parser first normalises spellings such as 0x7f.1,
 * 017700000001 and full-width digits.
 * The address that a name resolves to is checked at the connection, by Cloudflare's network or `src/local/egress.ts`.
 */
import { type ApiMessage, type ApiMessageOrCode, apiMessage, toApiMessage } from '../i18n/message.ts'

export type OutgoingUrlCheck = { ok: true; url: string } | { ok: false; why: ApiMessage }

export interface OutgoingRules {
  /** True in local development: requests may go to this machine over http. */
  readonly loopbackHttp: boolean
  /** Allowed ports besides 443 and 8443. */
  readonly ports?: readonly number[]
  /** Longest address in characters. Default: 2048. */
  readonly maxLength?: number
}

/** Top-level names that are never public: IANA special-use domains, names reserved by ICANN, and names common in private networks. */
const INTERNAL_NAMES = [
  ...['alt', 'arpa', 'example', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['internal', 'home', 'corp', 'mail', 'lan', 'private', 'intranet', 'intern', 'intra', 'localdomain', 'localnet', 'workgroup'],
  ...['mshome.net', 'fritz.box', 'svc', 'cluster', 'consul', 'nomad', 'kubernetes', 'k8s', 'docker', 'router', 'gateway', 'dhcp'],
]
const INTERNAL_NAME = new RegExp(`(^|\\.)(${INTERNAL_NAMES.map((name) => name.replace('.', '\\.')).join('|')})$`)
/** Host name after RFC 1035, 2.3.4. Underscores are accepted, because some hosts use them. */
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(xn--[a-z0-9-]{1,59}|[a-z]{2,63})$/
const PORTS: readonly number[] = [443, 8443]
const DEFAULT_MAX_LENGTH = 2048

export function checkOutgoingUrl(raw: string, rules: OutgoingRules): OutgoingUrlCheck {
  const { loopbackHttp, ports = [], maxLength = DEFAULT_MAX_LENGTH } = rules
  const refuse = (why: ApiMessageOrCode): OutgoingUrlCheck => ({ ok: false, why: toApiMessage(why) })
  if (raw.length > maxLength) return refuse(apiMessage('it_is_longer_than_characters', { limit: maxLength }))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the URL parser would silently drop them
  if (/[\s\u0000-\u001f\u007f\\]/.test(raw)) return refuse('white_space_or_backslashes')
  if (!/^https?:\/\/[^/]/i.test(raw)) return refuse('must_begin_with_https')
  let url: URL
  try {
    url = new URL(raw)
  } catch {
    return refuse('it_is_no_valid_url')
  }
  if (url.username || url.password || raw.slice(0, raw.indexOf('/', 8) + 1 || undefined).includes('@')) return refuse('carries_credentials')
  const host = url.hostname.replace(/\.$/, '').toLowerCase()
  if (loopbackHttp && url.protocol === 'http:' && (host === '127.0.0.1' || host === 'localhost' || host === '[::1]')) {
    return { ok: true, url: url.href }
  }
  if (url.protocol !== 'https:') return refuse('must_begin_with_https')
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return refuse('host_is_ip_address')
  if (url.hostname.endsWith('.')) return refuse('host_ends_with_dot')
  if (!host.includes('.')) return refuse('host_is_no_public_name')
  if (INTERNAL_NAME.test(host)) return refuse('host_is_internal_name')
  if (!HOST_NAME.test(host)) return refuse('host_is_no_public_name')
  const port = Number(url.port || 443)
  const allowed = [...PORTS, ...ports]
  if (!allowed.includes(port)) return refuse(apiMessage('port_not_allowed', { port, allowed: allowed.join(', ') }))
  return { ok: true, url: url.href }
}
