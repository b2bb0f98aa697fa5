/**
 * Which addresses a callback may reach: public names over https. No credentials, no IP literal in any spelling (the URL
 * parser turns 0x7f.1, 017700000001 and full-width digits into dotted form first), no single-label or internal names.
 */
export type CallbackUrl = { ok: true; url: string } | { ok: false; why: string }

const INTERNAL = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid|onion)$/
const MAX_LENGTH = 2048

/** `loopbackHttp`: local development, where a callback may go to http on this machine. */
export function checkCallbackUrl(raw: string, options: { loopbackHttp: boolean }): CallbackUrl {
  const no = (why: string): CallbackUrl => ({ ok: false, why })
  if (raw.length > MAX_LENGTH) return no(`it is longer than ${MAX_LENGTH} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the URL parser would silently drop them
  if (/[\s\u0000-\u001f\u007f\\]/.test(raw)) return no('it has white space, control characters or backslashes')
  if (!/^https?:\/\/[^/]/i.test(raw)) return no('it must begin with https://')
  let url: URL
  try {
    url = new URL(raw)
  } catch {
    return no('it is no valid URL')
  }
  if (url.username || url.password || raw.slice(0, raw.indexOf('/', 8) + 1 || undefined).includes('@')) return no('it carries credentials')
  const host = url.hostname.replace(/\.$/, '').toLowerCase()
  if (options.loopbackHttp && url.protocol === 'http:' && (host === '127.0.0.1' || host === 'localhost' || host === '[::1]')) {
    return { ok: true, url: url.href }
  }
  if (url.protocol !== 'https:') return no('it must begin with https://')
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return no('its host is an IP address')
  if (url.hostname.endsWith('.')) return no('its host ends with a dot')
  if (!host.includes('.')) return no('its host is not a public name')
  if (INTERNAL.test(host)) return no('its host is an internal name')
  return { ok: true, url: url.href }
}
