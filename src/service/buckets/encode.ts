/** Percent-encoding of keys and queries in addresses (RFC 3986, 2.3: only unreserved characters stay). */
import { BucketError, MAX_KEY_BYTES } from './object-store.ts'

/** Encodes every character except letters, digits, `-`, `.`, `_` and `~`. @throws BucketError `unusable_key` if it is no valid Unicode */
export function percentEncode(text: string): string {
  if (!text.isWellFormed()) throw new BucketError('unusable_key')
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * Returns the path of a key, without a slash before it. URL parsers resolve the segments `.` and `..`. In keys that have one, slashes are
 * encoded as well, so that no segment is one.
 * @throws BucketError `unusable_key`
 */
export function keyPath(key: string): string {
  if (key === '' || new TextEncoder().encode(key).length > MAX_KEY_BYTES) throw new BucketError('unusable_key')
  const segments = key.split('/')
  const hasDots = segments.some((segment) => segment === '.' || segment === '..')
  if (hasDots && segments.length === 1) throw new BucketError('unusable_key')
  return segments.map(percentEncode).join(hasDots ? '%2F' : '/')
}

/** Returns a query without its question mark. `undefined` values are left out. */
export const queryOf = (values: Readonly<Record<string, string | undefined>>) =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${percentEncode(name)}=${percentEncode(value)}`]))
    .join('&')
