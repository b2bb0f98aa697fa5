/** The text of an SVG or SVGZ, with everything dangerous refused before a parser sees it. */
import { gzipDecompress } from '../../bytes/deflate.ts'
import { MalformedFile, OverBudget, type Source, UnsupportedFeature } from '../../codec/codec.ts'
import { readAll } from '../../codec/source.ts'

export interface SvgDocument {
  readonly text: string
  /** The file is gzipped (SVGZ). */
  readonly zipped: boolean
}

/** What is read at all, and what an SVGZ may unpack to. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024

/** svgo's tree and the renderer's, measured: what they hold at their peak. */
const BYTES_PER_ELEMENT = 3_500
const BYTES_PER_CHARACTER = 55
const MAX_TREE_BYTES = 64 * 1024 * 1024

/** What entities may add to a file. Illustrator declares a handful of namespace names. */
const MAX_ENTITIES = 64
const MAX_ENTITY_CHARACTERS = 1024
const MAX_EXPANSION_CHARACTERS = 256 * 1024
const MAX_DEPTH = 512

export async function readSvg(source: Source): Promise<SvgDocument> {
  if (source.size > MAX_TEXT_BYTES) throw new OverBudget(`${source.size} bytes; SVG is held whole, up to ${MAX_TEXT_BYTES}`)
  const bytes = await readAll(source)
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = decode(zipped ? gzipDecompress(bytes, MAX_TEXT_BYTES) : bytes)
  refuseDangers(text)
  return { text, zipped }
}

/** XML 1.0, appendix F: a byte order mark, else the encoding of the XML declaration, else UTF-8. */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
  const declared = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 200)))
  try {
    return new TextDecoder(utf16 ?? declared?.[1] ?? 'utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new MalformedFile('svg', 0, `the text is not ${declared?.[1] ?? 'UTF-8'}`)
  }
}

function refuseDangers(text: string): void {
  const doctype = /<!DOCTYPE\b[^[>]*(?:\[([\s\S]*?)\]\s*)?>/i.exec(text)
  const subset = doctype?.[1] ?? ''
  if (/<!ENTITY\s+(?:%|\S+\s+(?:SYSTEM|PUBLIC)\b)/i.test(subset)) {
    throw new UnsupportedFeature('external or parameter entities, which are never fetched')
  }
  const entities = [...subset.matchAll(/<!ENTITY\s+(\S+)\s+("[^"]*"|'[^']*')\s*>/gi)]
  if (entities.length > MAX_ENTITIES) throw new MalformedFile('svg', doctype!.index, `${entities.length} entities`)
  let expansion = 0
  for (const [, name = '', quoted = ''] of entities) {
    const value = quoted.slice(1, -1)
    // Entities inside entities are how a few bytes become gigabytes.
    if (value.includes('&') || value.length > MAX_ENTITY_CHARACTERS) {
      throw new MalformedFile('svg', doctype!.index, `the entity ${name.slice(0, 40)} is nested or too long`)
    }
    expansion += (text.split(`&${name};`).length - 1) * value.length
  }
  if (expansion > MAX_EXPANSION_CHARACTERS) throw new MalformedFile('svg', doctype!.index, `entities expand to ${expansion} characters`)
  const { deepest, elements } = shapeOf(text)
  const treeBytes = elements * BYTES_PER_ELEMENT + text.length * BYTES_PER_CHARACTER
  if (treeBytes > MAX_TREE_BYTES)
    throw new OverBudget(`${elements} elements in ${text.length} characters; their trees do not fit in memory`)
  if (deepest > MAX_DEPTH) throw new OverBudget(`elements nested deeper than ${MAX_DEPTH}`)
}

/** Nesting and number of elements; a rough count is enough. */
function shapeOf(text: string): { deepest: number; elements: number } {
  let depth = 0
  let deepest = 0
  let elements = 0
  for (const [tag] of text.matchAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\/?[A-Za-z_][^<>]*>/g)) {
    if (tag.startsWith('<!')) continue
    if (tag.startsWith('</')) depth--
    else {
      elements++
      deepest = Math.max(deepest, depth + 1)
      if (!tag.endsWith('/>')) depth++
    }
  }
  return { deepest, elements }
}
