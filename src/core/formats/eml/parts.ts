/**
 * Finds the parts of a mail (RFC 5322, RFC 2045–2046) as byte ranges. Only what attachments need: nothing is decoded or repaired, so all
 * other bytes can stay.
 * One pass over lines; memory holds only headers.
 */
import { eachLine, type Line } from './lines.ts'
import { MAX_DEPTH, MAX_HEADER_BYTES, MAX_PARTS } from './tuning.ts'

export interface MimePart {
  /** Header fields by lower-case name. Repeated fields are all listed. Values are unfolded but otherwise as written. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  /** Media type in lower case, without parameters: `image/png`. */
  readonly type: string
  /** Content-Transfer-Encoding in lower case: `base64`. */
  readonly encoding: string
  readonly fileName: string | undefined
  /** Byte range of the body, without the line break before the next boundary. */
  readonly start: number
  readonly end: number
  readonly children: readonly MimePart[]
}

/** A part whose end is not known yet. */
interface OpenPart {
  headers: Map<string, string[]>
  type: string
  encoding: string
  fileName: string | undefined
  start: number
  end: number
  children: OpenPart[]
  /** Boundary of a multipart that has not ended. `undefined`: not a multipart, or ended. */
  boundary: string | undefined
  readonly depth: number
  readonly begin: number
  /** Header field that the next line may continue. `undefined`: none yet. */
  field: string | undefined
  inHeaders: boolean
}

/** Reads the parts of a mail. `undefined`: too deeply nested, too many parts, headers too long, or not a mail. */
export async function readMime(mail: AsyncIterable<Uint8Array>): Promise<MimePart | undefined> {
  const root = newPart(0, 0)
  // Open parts from the whole mail inwards. The next line belongs to the last one.
  const stack = [root]
  let parts = 1
  let before: Line | undefined
  let understood = true
  const begin = (start: number, parent: OpenPart): boolean => {
    if (parent.depth === MAX_DEPTH || ++parts > MAX_PARTS) return false
    const child = newPart(start, parent.depth + 1)
    parent.children.push(child)
    stack.push(child)
    return true
  }
  const take = (line: Line): boolean => {
    const boundary = line.head.startsWith('--') ? boundaryAt(stack, line.head) : undefined
    if (boundary) {
      // The line break before a boundary belongs to the boundary.
      const end = before ? before.end - before.breakBytes : line.start
      for (const part of stack.splice(boundary.at + 1)) close(part, Math.max(end, part.begin))
      const parent = stack[boundary.at]!
      if (!boundary.last) return begin(line.end, parent)
      parent.boundary = undefined
      return true
    }
    const part = stack.at(-1)!
    if (!part.inHeaders) return true
    if (line.end - part.begin > MAX_HEADER_BYTES) return false
    takeHeader(part, line)
    return part.inHeaders || (interpretHeaders(part) && (!isMessage(part) || begin(part.start, part)))
  }
  await eachLine(mail, (line) => {
    understood = take(line)
    before = line
    return understood
  })
  if (!understood) return undefined
  for (const part of stack) close(part, before?.end ?? 0)
  return root
}

const newPart = (begin: number, depth: number): OpenPart => ({
  headers: new Map(),
  type: 'text/plain',
  encoding: '7bit',
  fileName: undefined,
  start: begin,
  end: begin,
  children: [],
  boundary: undefined,
  depth,
  begin,
  field: undefined,
  inHeaders: true,
})

/**
 * Finds the open part that a boundary line belongs to (RFC 2046, 5.1.1). A line that ends with "--" closes the multipart. The outermost
 * match counts.
 */
function boundaryAt(stack: readonly OpenPart[], line: string): { at: number; last: boolean } | undefined {
  for (const [at, { boundary }] of stack.entries()) {
    if (boundary === undefined || !line.startsWith(boundary, 2)) continue
    const rest = line.slice(2 + boundary.length).trim()
    if (rest === '' || rest === '--') return { at, last: rest === '--' }
  }
  return undefined
}

/** Reads a header line (RFC 5322, 2.2). Headers end at an empty line; continuation lines begin with white space. */
function takeHeader(part: OpenPart, { head, end }: Line): void {
  if (head !== '' && /^[ \t]/.test(head)) part.field = (part.field ?? '') + head
  else {
    endField(part)
    part.field = head
  }
  if (head !== '') return
  part.inHeaders = false
  part.start = end
}

function endField(part: OpenPart): void {
  const colon = part.field?.indexOf(':') ?? -1
  if (part.field === undefined || colon <= 0) return
  const name = part.field.slice(0, colon).trim().toLowerCase()
  const value = part.field.slice(colon + 1).trim()
  const known = part.headers.get(name)
  if (known) known.push(value)
  else part.headers.set(name, [value])
}

/** Interprets the headers of a part. Returns false for a multipart without a usable boundary. */
function interpretHeaders(part: OpenPart): boolean {
  const contentType = part.headers.get('content-type')?.[0] ?? 'text/plain'
  part.type = contentType.split(';')[0]!.trim().toLowerCase()
  part.encoding = (part.headers.get('content-transfer-encoding')?.[0] ?? '7bit')
    .replace(/\([^()]*\)/g, '')
    .trim()
    .toLowerCase()
  const disposition = part.headers.get('content-disposition')?.[0] ?? ''
  part.fileName = fieldParameter(disposition, 'filename') ?? fieldParameter(contentType, 'name')
  if (!part.type.startsWith('multipart/')) return true
  part.boundary = fieldParameter(contentType, 'boundary')
  return part.boundary !== undefined && part.boundary.length <= 200
}

const isMessage = ({ type, encoding }: OpenPart) => type === 'message/rfc822' && /^(7bit|8bit|binary)$/.test(encoding)

function close(part: OpenPart, end: number): void {
  if (part.inHeaders) {
    endField(part)
    part.inHeaders = false
    part.start = end
    interpretHeaders(part)
  }
  part.start = Math.min(part.start, end)
  part.end = end
}

/** Value of a parameter of a structured field: `name="value"`, `name=value` or RFC 2231 `name*=charset''value`. `undefined`: missing. */
function fieldParameter(field: string, name: string): string | undefined {
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

/** Yields all parts, outer parts first. */
export function* allParts(part: MimePart): Generator<MimePart> {
  yield part
  for (const child of part.children) yield* allParts(child)
}
