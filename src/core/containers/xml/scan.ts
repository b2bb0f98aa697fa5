/**
 * Scans the tags of an XML text in one forward pass, without a tree. Supports finding references and changing attribute values in place;
 * all other text stays byte for byte.
 * Only the five entities of XML and character references are expanded, so entity expansion attacks are impossible.
 */

import { EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { utf16Bytes } from '../../bytes/utf16.ts'

export interface Tag {
  readonly kind: 'open' | 'close' | 'empty'
  /** Name of the tag or attribute as written, with its namespace prefix. */
  readonly name: string
  /** Name of the tag or attribute without its namespace prefix. */
  readonly local: string
  /** `start`: index of `<`. `end`: index after `>`. */
  readonly start: number
  readonly end: number
  attributes(): readonly Attribute[]
  /** Value of the first attribute with this local name, with references resolved. */
  get(local: string): string | undefined
}

export interface Attribute {
  readonly name: string
  readonly local: string
  /** Value of the attribute, with entity and character references resolved. */
  readonly value: string
  /** Range of the raw value in the text, without its quotes. */
  readonly start: number
  readonly end: number
}

/** Decodes UTF-8, or UTF-16 if there is a byte order mark. @throws EngineError if the bytes are neither */
export function decodeXml(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
  try {
    return new TextDecoder(utf16 ?? 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new EngineError('xml', 'damaged', 'XML text is neither UTF-8 nor UTF-16')
  }
}

/** Encodes text of `decodeXml` in the encoding that it declares. A byte order mark stays. */
export function encodeXml(text: string): Uint8Array {
  if (!/^\uFEFF?<\?xml[^>]*encoding\s*=\s*["']utf-16/i.test(text)) return new TextEncoder().encode(text)
  return utf16Bytes(text.startsWith('\uFEFF') ? text : `\uFEFF${text}`)
}

/** Yields all tags in order. @throws EngineError if the text is damaged */
export function* scanTags(xml: string): Generator<Tag> {
  let at = 0
  for (;;) {
    const start = xml.indexOf('<', at)
    if (start < 0) return
    const second = xml[start + 1]
    if (second === '!' || second === '?') {
      at = skipSpecial(xml, start)
      continue
    }
    const end = tagEnd(xml, start + 1)
    yield makeTag(xml, start, end)
    at = end
  }
}

/** Collects one piece of information from the tags of a text. */
export interface TagReader {
  /** Reads the next tag. @throws EngineError, RangeError if the reader cannot find its information */
  read(tag: Tag): void
  /** True if no further tag can change the result. */
  readonly done?: boolean
}

/** Passes all tags to all readers in one scan. Returns the readers that failed, because the text or a tag is damaged. */
export function readTags(xml: string, readers: readonly TagReader[]): ReadonlySet<TagReader> {
  const failed = new Set<TagReader>()
  let active = [...readers]
  try {
    for (const tag of scanTags(xml)) {
      let ended = false
      for (let i = 0; i < active.length; i++) {
        const reader = active[i]!
        if (!readOrFail(reader, tag)) failed.add(reader)
        else if (!reader.done) continue
        ended = true
      }
      if (ended) active = active.filter((reader) => !reader.done && !failed.has(reader))
      if (active.length === 0) break
    }
  } catch (error) {
    if (!isEngineError(error, 'xml')) throw error
    for (const reader of active) failed.add(reader)
  }
  return failed
}

function readOrFail(reader: TagReader, tag: Tag): boolean {
  try {
    reader.read(tag)
    return true
  } catch (error) {
    if (isEngineError(error, 'xml') || error instanceof RangeError) return false
    throw error
  }
}

function skipSpecial(xml: string, start: number): number {
  const until = (mark: string) => {
    const found = xml.indexOf(mark, start)
    if (found < 0) throw new EngineError('xml', 'damaged', `XML text ends before "${mark}"`)
    return found + mark.length
  }
  if (xml.startsWith('<!--', start)) return until('-->')
  if (xml.startsWith('<![CDATA[', start)) return until(']]>')
  if (xml.startsWith('<?', start)) return until('?>')
  // A document type may declare entities. No document that Whittle edits has one.
  throw new EngineError('xml', 'damaged', 'XML document type declarations (<!DOCTYPE>) are not supported')
}

/** Index after the `>` that ends the tag. Quoted values may contain `>`. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at)
    if (code === 0x3e) return at + 1
    if (code === 0x22 || code === 0x27) {
      at = xml.indexOf(xml[at]!, at + 1)
      if (at < 0) break
    }
  }
  throw new EngineError('xml', 'damaged', 'XML text ends inside a tag')
}

function makeTag(xml: string, start: number, end: number): Tag {
  const close = xml[start + 1] === '/'
  const nameStart = start + (close ? 2 : 1)
  let nameEnd = nameStart
  while (nameEnd < end - 1 && !isSpace(xml.charCodeAt(nameEnd)) && xml[nameEnd] !== '/') nameEnd++
  const name = xml.slice(nameStart, nameEnd)
  let attributes: Attribute[] | undefined
  const tag: Tag = {
    kind: close ? 'close' : xml[end - 2] === '/' ? 'empty' : 'open',
    name,
    local: localName(name),
    start,
    end,
    attributes: () => (attributes ??= readAttributes(xml, nameEnd, end - 1)),
    get: (local) => tag.attributes().find((attribute) => attribute.local === local)?.value,
  }
  return tag
}

function readAttributes(xml: string, from: number, end: number): Attribute[] {
  const found: Attribute[] = []
  let at = from
  while (at < end) {
    const equals = xml.indexOf('=', at)
    if (equals < 0 || equals >= end) break
    let quote = equals + 1
    while (quote < end && isSpace(xml.charCodeAt(quote))) quote++
    const mark = xml[quote]
    if (mark !== '"' && mark !== "'") throw new EngineError('xml', 'damaged', 'XML attribute value without quotes')
    const valueEnd = xml.indexOf(mark, quote + 1)
    if (valueEnd < 0 || valueEnd >= end) throw new EngineError('xml', 'damaged', 'XML attribute value without a closing quote')
    const name = xml.slice(at, equals).trim()
    found.push({ name, local: localName(name), value: unescapeXml(xml.slice(quote + 1, valueEnd)), start: quote + 1, end: valueEnd })
    at = valueEnd + 1
  }
  return found
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const localName = (name: string) => name.slice(name.indexOf(':') + 1)

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g,
    (whole, hex?: string, decimal?: string, named?: string) => {
      if (named) return NAMED[named]!
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

export const escapeXml = (text: string) =>
  text.replace(/[&<>"]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : '&quot;'))

export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Replaces parts of a text. @throws RangeError if parts overlap */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text: fresh } of [...splices].sort((a, b) => a.start - b.start)) {
    if (start < at) throw new RangeError('text changes overlap')
    result += text.slice(at, start) + fresh
    at = end
  }
  return result + text.slice(at)
}
