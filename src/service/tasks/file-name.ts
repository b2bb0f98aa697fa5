/** File names of uploads: cleaned for storage, and encoded for downloads. */

const MAX_LENGTH = 255
/** Control characters, line separators, and marks of the writing direction, which can disguise an extension. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\u200E\u200F\uFEFF]/gu

/** Last segment of a path, without unprintable characters, at most 255 characters; the extension is kept. */
export function cleanFileName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const clean = base.toWellFormed().replace(UNPRINTABLE, '').trim()
  if (clean === '' || clean === '.' || clean === '..') return 'upload'
  const characters = [...clean]
  if (characters.length <= MAX_LENGTH) return clean
  const extension = /\.[^.]{1,16}$/.exec(clean)?.[0] ?? ''
  return characters.slice(0, MAX_LENGTH - [...extension].length).join('') + extension
}

/** `Content-Disposition` of a download: an ASCII name, and the exact name in `filename*` (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  // Some clients decode a percent sign in the ASCII form and others do not, so only `filename*` contains it.
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii.replaceAll('%', '_')}"; filename*=UTF-8''${exact}`
}
