/**
 * Level `ultra`: reduces embedded fonts to the glyphs that the document can show. Word obfuscates fonts (ECMA-376 part 1, 17.8.1);
 * PowerPoint stores EOT files (W3C submission "Embedded OpenType (EOT) File Format").
 * Compressed EOT files, fonts that forbid subsetting, and fonts other than plain TrueType stay unchanged.
 */

import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { bytesOfHex } from '../../bytes/hex.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Tag, TagReader } from '../../containers/xml/scan.ts'
import { FontView } from '../../fonts/bytes.ts'
import { fontDifference, subsetForText } from '../../fonts/sfnt/for-text.ts'
import { readFontTables } from '../../fonts/sfnt/truetype.ts'
import type { OoxmlDocument, Rels } from './document.ts'
import { MAX_FONT_BYTES, MAX_SUBSET_SHARE } from './tuning.ts'

/** Bytes. Larger texts are not searched for font keys, and their fonts keep all glyphs. */
export const MAX_FONT_KEYS_BYTES = 4 * 1024 * 1024

/** Font parts that may be subset, with the keys of obfuscated fonts, and the characters they must show. */
export interface EmbeddedFonts {
  readonly keys: ReadonlyMap<string, Uint8Array | undefined>
  readonly characters: ReadonlySet<number>
}

/** Returns the relationships to font parts. */
export const fontsOf = ({ relationships }: Rels) => relationships.filter(({ type, part }) => part !== undefined && /\/font$/i.test(type))

/** Font parts whose uses are all known, with their keys. `keysOf`: font keys of a text; `undefined`: it cannot be read. */
export function fontParts(
  document: OoxmlDocument,
  keysOf: (rels: Rels) => FontKeys | undefined,
): ReadonlyMap<string, Uint8Array | undefined> {
  const keys = new Map<string, Uint8Array | undefined>()
  const unclear = new Set<string>()
  for (const rels of document.rels) {
    const fonts = fontsOf(rels)
    if (fonts.length === 0) continue
    const found = keysOf(rels)?.keys
    for (const { id, part } of fonts) {
      const entry = document.parts.get(part!)
      const key = found?.get(id)
      if (!entry || entry.opaque || entry.size > MAX_FONT_BYTES || keys.has(part!) || !found || key === 'unclear') unclear.add(part!)
      keys.set(part!, key instanceof Uint8Array ? key : undefined)
    }
  }
  // If a relationship of another type also refers to a font part, its use is unknown.
  for (const { relationships } of document.rels)
    for (const { type, part } of relationships) if (part !== undefined && keys.has(part) && !/\/font$/i.test(type)) unclear.add(part)
  for (const part of unclear) keys.delete(part)
  return keys
}

/** Reads the w:fontKey of each font relationship. `unclear`: two keys differ. */
export class FontKeys implements TagReader {
  readonly keys = new Map<string, Uint8Array | 'unclear' | undefined>()

  read(tag: Tag): void {
    if (tag.kind === 'close' || !/^(embed)?(regular|bold|italic|bolditalic)$/i.test(tag.local)) return
    const id = tag.attributes().find(({ name, local }) => local === 'id' && name.includes(':'))?.value
    if (id === undefined) return
    const guid = tag.get('fontKey')
    this.keys.set(id, this.keys.has(id) ? 'unclear' : guid === undefined ? undefined : (keyOf(guid) ?? 'unclear'))
  }
}

/** Converts a font key (ECMA-376 part 1, 17.8.1): the bytes of the GUID from last to first. */
function keyOf(guid: string): Uint8Array | undefined {
  const digits = guid.replace(/[{}-]/g, '')
  return /^[0-9a-f]{32}$/i.test(digits) ? bytesOfHex(digits).reverse() : undefined
}

/** A font without obfuscation or EOT header, and a function that adds them again. */
interface Unwrapped {
  readonly font: Uint8Array
  wrap(font: Uint8Array): Uint8Array
}

const OBFUSCATED_BYTES = 32

function unwrap(bytes: Uint8Array, key: Uint8Array | undefined): Unwrapped | undefined {
  if (readFontTables(bytes)) return { font: bytes, wrap: (font) => font }
  if (key) {
    const toggle = (font: Uint8Array) => {
      const toggled = font.slice()
      for (let at = 0; at < Math.min(OBFUSCATED_BYTES, font.length); at++) toggled[at]! ^= key[at % key.length]!
      return toggled
    }
    const font = toggle(bytes)
    return readFontTables(font) ? { font, wrap: toggle } : undefined
  }
  return unwrapEot(bytes)
}

const EOT = { fontDataSize: 4, version: 8, flags: 12, magic: 34, checksum: 60, leastBytes: 82 } as const
const [EOT_SUBSET, EOT_COMPRESSED, EOT_MASKED] = [0x1, 0x4, 0x10000000]
const EOT_MASK = 0x50

function unwrapEot(bytes: Uint8Array): Unwrapped | undefined {
  if (bytes.length < EOT.leastBytes) return undefined
  const reader = new ByteReader(bytes, true)
  const size = reader.u32(EOT.fontDataSize)
  const flags = reader.u32(EOT.flags)
  if (reader.u16(EOT.magic) !== 0x504c || reader.u32(0) !== bytes.length || flags & EOT_COMPRESSED) return undefined
  if (size > bytes.length - EOT.leastBytes) return undefined
  const mask = flags & EOT_MASKED ? EOT_MASK : 0
  const masked = (font: Uint8Array) => font.map((byte) => byte ^ mask)
  const font = masked(bytes.subarray(bytes.length - size))
  if (!readFontTables(font)) return undefined
  return {
    font,
    wrap(fresh) {
      const head = bytes.slice(0, bytes.length - size)
      const writer = new ByteWriter(head, true).u32(head.length + fresh.length)
      writer.at(EOT.fontDataSize).u32(fresh.length)
      writer.at(EOT.flags).u32(flags | EOT_SUBSET)
      writer.at(EOT.checksum).u32(new FontView(readFontTables(fresh)!.get('head')!).u32(8))
      return concat([head, masked(fresh)])
    },
  }
}

/** Returns the font part with only the needed glyphs. `undefined`: nothing is saved. */
export function subsetFontPart(bytes: Uint8Array, part: string, { keys, characters }: EmbeddedFonts): Uint8Array | undefined {
  const unwrapped = unwrap(bytes, keys.get(part))
  const font = unwrapped && subsetForText(unwrapped.font, characters)
  if (!font || font.length > unwrapped.font.length * MAX_SUBSET_SHARE) return undefined
  return unwrapped.wrap(font)
}

/** Returns why a font part must not replace the old one; `undefined` if it may. */
export function fontProblem(before: Uint8Array, after: Uint8Array, part: string, { keys, characters }: EmbeddedFonts): string | undefined {
  const [old, fresh] = [unwrap(before, keys.get(part)), unwrap(after, keys.get(part))]
  if (!old || !fresh) return 'the font cannot be read'
  if (!equalBytes(old.wrap(fresh.font), after)) return 'obfuscation or EOT header of the font changed'
  return fontDifference(old.font, fresh.font, characters)
}
