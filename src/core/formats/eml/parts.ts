/**
 * The parts of a mail (RFC 5322, RFC 2045–2046) as places in its bytes. Only what is needed to find attachments: nothing is
 * decoded, folded or repaired, so that everything else can stay byte for byte. One pass over lines; only headers are held.
 */
import { eachLine, type Line } from './lines.ts'

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

/** A part whose end is not known yet. */
interface Open {
  headers: Map<string, string[]>
  type: string
  encoding: string
  fileName: string | undefined
  start: number
  end: number
  children: Open[]
  /** Of a multipart that goes on. */
  boundary: string | undefined
  readonly depth: number
  readonly begin: number
  /** The header line that may be continued by the next one; undefined when the headers have ended. */
  field: string | undefined
  inHeaders: boolean
}

/** Undefined where the structure is too deep, too long or not a mail. */
export async function readMime(mail: AsyncIterable<Uint8Array>): Promise<MimePart | undefined> {
  const root = opened(0, 0)
  // From the whole mail inwards; the last one takes the next line.
  const stack = [root]
  let parts = 1
  let before: Line | undefined
  let understood = true
  const begin = (start: number, parent: Open): boolean => {
    if (parent.depth === MOST_DEPTH || ++parts > MOST_PARTS) return false
    const child = opened(start, parent.depth + 1)
    parent.children.push(child)
    stack.push(child)
    return true
  }
  const take = (line: Line): boolean => {
    const boundary = line.head.startsWith('--') ? boundaryAt(stack, line.head) : undefined
    if (boundary) {
      // The line break before a boundary belongs to it.
      const end = before ? before.end - before.breakBytes : line.start
      for (const part of stack.splice(boundary.at + 1)) close(part, Math.max(end, part.begin))
      const parent = stack[boundary.at]!
      if (!boundary.last) return begin(line.end, parent)
      parent.boundary = undefined
      return true
    }
    const part = stack.at(-1)!
    if (!part.inHeaders) return true
    if (line.end - part.begin > MOST_HEADER_BYTES) return false
    takeHeader(part, line)
    return part.inHeaders || (enter(part) && (!isMessage(part) || begin(part.start, part)))
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

const opened = (begin: number, depth: number): Open => ({
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

/** RFC 2046, 5.1.1: parts stand between lines of "--boundary"; the last such line ends in "--". The outermost one counts. */
function boundaryAt(stack: readonly Open[], line: string): { at: number; last: boolean } | undefined {
  for (const [at, { boundary }] of stack.entries()) {
    if (boundary === undefined || !line.startsWith(boundary, 2)) continue
    const rest = line.slice(2 + boundary.length).trim()
    if (rest === '' || rest === '--') return { at, last: rest === '--' }
  }
  return undefined
}

/** RFC 5322, 2.2: fields up to an empty line; continuation lines begin with white space. */
function takeHeader(part: Open, { head, end }: Line): void {
  if (head !== '' && /^[ \t]/.test(head)) part.field = (part.field ?? '') + head
  else {
    endField(part)
    part.field = head
  }
  if (head !== '') return
  part.inHeaders = false
  part.start = end
}

function endField(part: Open): void {
  const colon = part.field?.indexOf(':') ?? -1
  if (part.field === undefined || colon <= 0) return
  const name = part.field.slice(0, colon).trim().toLowerCase()
  const value = part.field.slice(colon + 1).trim()
  const known = part.headers.get(name)
  if (known) known.push(value)
  else part.headers.set(name, [value])
}

/** What the headers say. False for a multipart whose boundary is not usable. */
function enter(part: Open): boolean {
  const contentType = part.headers.get('content-type')?.[0] ?? 'text/plain'
  part.type = contentType.split(';')[0]!.trim().toLowerCase()
  part.encoding = (part.headers.get('content-transfer-encoding')?.[0] ?? '7bit')
    .replace(/\([^()]*\)/g, '')
    .trim()
    .toLowerCase()
  const disposition = part.headers.get('content-disposition')?.[0] ?? ''
  part.fileName = parameter(disposition, 'filename') ?? parameter(contentType, 'name')
  if (!part.type.startsWith('multipart/')) return true
  part.boundary = parameter(contentType, 'boundary')
  return part.boundary !== undefined && part.boundary.length <= 200
}

const isMessage = ({ type, encoding }: Open) => type === 'message/rfc822' && /^(7bit|8bit|binary)$/.test(encoding)

function close(part: Open, end: number): void {
  if (part.inHeaders) {
    endField(part)
    part.inHeaders = false
    part.start = end
    enter(part)
  }
  part.start = Math.min(part.start, end)
  part.end = end
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

/** All parts, outer ones first. */
export function* everyPart(part: MimePart): Generator<MimePart> {
  yield part
  for (const child of part.children) yield* everyPart(child)
}
