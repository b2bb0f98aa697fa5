/** File names as people send them, made safe to keep and to send back. */

const MAX_LENGTH = 255
/** Controls, line separators, and marks that turn the reading direction (they can disguise an extension). */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\u200E\u200F\uFEFF]/gu

/** The last name of a path, without unprintable characters, at most 255 characters with its extension kept. */
export function cleanFileName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const clean = base.toWellFormed().replace(UNPRINTABLE, '').trim()
  if (clean === '' || clean === '.' || clean === '..') return 'upload'
  const characters = [...clean]
  if (characters.length <= MAX_LENGTH) return clean
  const extension = /\.[^.]{1,16}$/.exec(clean)?.[0] ?? ''
  return characters.slice(0, MAX_LENGTH - [...extension].length).join('') + extension
}

/** `Content-Disposition` of a download: an ASCII name for everybody, the real one in `filename*` (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  // A percent sign in the plain form is decoded by some clients and not by others: leave it to the exact form.
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii.replaceAll('%', '_')}"; filename*=UTF-8''${exact}`
}
