/** File names of sources: from `Content-Disposition` (RFC 6266, RFC 8187), otherwise from the path of the address. */
import { cleanFileName } from './file-name.ts'

/** Parameter of a header: `name=token` or `name="quoted string"`, in which a backslash escapes the next character. */
const PARAMETER = /;\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/gi
/** Longest header that is parsed, in characters. */
const MAX_HEADER_LENGTH = 4096

/**
 * Returns the file name of a source.
 * @param url address that answered, after all redirects
 * @param disposition header `Content-Disposition` of the answer. `null`: none
 */
export function sourceFileName(url: string, disposition: string | null): string {
  const named = disposition === null ? undefined : nameIn(disposition)
  return cleanFileName(named ?? lastSegment(url))
}

function nameIn(disposition: string): string | undefined {
  const values = new Map<string, string>()
  for (const [, key = '', quoted, token = ''] of disposition.slice(0, MAX_HEADER_LENGTH).matchAll(PARAMETER)) {
    const name = key.toLowerCase()
    if (!values.has(name)) values.set(name, quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1'))
  }
  // RFC 6266, 4.3: a valid `filename*` takes precedence.
  return extended(values.get('filename*')) || values.get('filename') || undefined
}

/** Decodes an extended value such as `UTF-8''%E2%82%AC`. `undefined`: not valid, or of another character set. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  return encoded === undefined ? undefined : decoded(encoded)
}

function lastSegment(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? ''
  return decoded(segment) ?? segment
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
