/**
 * The parts of a mail (RFC 5322, RFC 2045–2046) as places in its bytes. Only what is needed to find attachments: nothing is
 * decoded, folded or repaired, so that everything else can stay byte for byte.
 */
const MOST_DEPTH = 20
const MOST_PARTS = 2000
const MOST_HEADER_BYTES = 256 * 1024

export interface MimePart {
  /** Header fields by lower-case name; several of one name are all there. Values are unfolded, as written otherwise. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  /** Lower case, without parameters: `image/png`. */
  readonly type: string
  /** Lower case: `base64`. */
  readonly encoding: string
  readonly fileName: string | undefined
  /** Where the body begins and ends; the line break before the next boundary is not part of it. */
  readonly start: number
  readonly end: number
  readonly children: readonly MimePart[]
}

/** Undefined where the structure is too deep, too long or not a mail. */
export function readMime(mail: Uint8Array): MimePart | undefined {
  const state = { parts: 0 }
  return readPart(mail, 0, mail.length, 0, state)
}

function readPart(mail: Uint8Array, start: number, end: number, depth: number, state: { parts: number }): MimePart | undefined {
  if (depth > MOST_DEPTH || ++state.parts > MOST_PARTS) return undefined
  const header = readHeaders(mail, start, end)
  if (!header) return undefined
  const { headers, body } = header
  const contentType = headers.get('content-type')?.[0] ?? 'text/plain'
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  const encoding = (headers.get('content-transfer-encoding')?.[0] ?? '7bit')
    .replace(/\(.*?\)/g, '')
    .trim()
    .toLowerCase()
  const children: MimePart[] = []
  if (type.startsWith('multipart/')) {
    const boundary = parameter(contentType, 'boundary')
    if (boundary === undefined || boundary.length > 200) return undefined
    for (const range of betweenBoundaries(mail, body, end, boundary)) {
      const child = readPart(mail, range.start, range.end, depth + 1, state)
      if (!child) return undefined
      children.push(child)
    }
  } else if (type === 'message/rfc822' && /^(7bit|8bit|binary)$/.test(encoding)) {
    const child = readPart(mail, body, end, depth + 1, state)
    if (!child) return undefined
    children.push(child)
  }
  const disposition = headers.get('content-disposition')?.[0] ?? ''
  const fileName = parameter(disposition, 'filename') ?? parameter(contentType, 'name')
  return { headers, type, encoding, fileName, start: body, end, children }
}

/** RFC 5322, 2.2: fields up to an empty line; continuation lines begin with white space. */
function readHeaders(mail: Uint8Array, start: number, end: number) {
  const headers = new Map<string, string[]>()
  let at = start
  let field: string | undefined
  const add = () => {
    const colon = field?.indexOf(':') ?? -1
    if (field === undefined || colon <= 0) return
    const name = field.slice(0, colon).trim().toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), field.slice(colon + 1).trim()])
  }
  while (at < end) {
    if (at - start > MOST_HEADER_BYTES) return undefined
    const newline = mail.indexOf(0x0a, at)
    const lineEnd = newline < 0 || newline >= end ? end : newline + 1
    const line = latin1(mail.subarray(at, lineEnd)).replace(/\r?\n$/, '')
    at = lineEnd
    if (line === '') {
      add()
      return { headers, body: at }
    }
    if (/^[ \t]/.test(line)) field = (field ?? '') + line
    else {
      add()
      field = line
    }
  }
  add()
  return { headers, body: end }
}

/** RFC 2046, 5.1.1: parts stand between lines of "--boundary"; the last such line ends in "--". */
function betweenBoundaries(mail: Uint8Array, start: number, end: number, boundary: string): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength)
  let open = -1
  for (let at = start; ; ) {
    const found = bytes.indexOf(mark, at)
    if (found < 0 || found + mark.length > end) break
    at = found + mark.length
    if (found !== start && mail[found - 1] !== 0x0a) continue
    const newline = mail.indexOf(0x0a, at)
    const lineEnd = newline < 0 || newline >= end ? end : newline + 1
    const rest = latin1(mail.subarray(at, lineEnd)).trim()
    if (rest !== '' && rest !== '--') continue
    // The line break before a boundary belongs to it.
    const before = mail[found - 2] === 0x0d ? found - 2 : found - 1
    if (open >= 0) ranges.push({ start: open, end: Math.max(open, before) })
    if (rest === '--') return ranges
    open = lineEnd
    at = lineEnd
  }
  if (open >= 0) ranges.push({ start: open, end })
  return ranges
}

/** A parameter of a structured field: `name="value"`, `name=value`, RFC 2231 `name*=charset''value`. */
export function parameter(field: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}(\\*?)\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(field)
  if (!found) return undefined
  const value = found[2]?.replace(/\\(.)/g, '$1') ?? found[3] ?? ''
  if (!found[1]) return value
  try {
    return decodeURIComponent(value.replace(/^[^']*'[^']*'/, ''))
  } catch {
    return value
  }
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** All parts, outer ones first. */
export function* everyPart(part: MimePart): Generator<MimePart> {
  yield part
  for (const child of part.children) yield* everyPart(child)
}
