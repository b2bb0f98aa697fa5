/** Reads TrueType files (ISO/IEC 14496-22): tables, character maps, glyph names and outlines. */
import { latin1Of } from '../../bytes/latin1.ts'
import { FontView, FontWriter } from '../bytes.ts'
import { MAX_MAPPED_CODES, MAX_TABLES } from '../tuning.ts'

export type FontTables = Map<string, Uint8Array>

/** Returns the tables of a font by tag. `undefined`: not a single TrueType or OpenType font. */
export function readFontTables(font: Uint8Array): FontTables | undefined {
  if (font.length < 12) return undefined
  const view = new FontView(font)
  const version = view.u32(0)
  if (version !== 0x10000 && view.tag(0) !== 'true' && view.tag(0) !== 'OTTO') return undefined
  const tables: FontTables = new Map()
  const count = Math.min(view.u16(4), MAX_TABLES)
  for (let i = 0; i < count; i++) {
    const record = 12 + i * 16
    if (record + 16 > font.length) break
    const offset = view.u32(record + 8)
    const length = view.u32(record + 12)
    if (offset <= font.length) tables.set(view.tag(record), font.subarray(offset, Math.min(font.length, offset + length)))
  }
  return tables
}

function checksum(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i += 4) {
    const word = (bytes[i]! << 24) | ((bytes[i + 1] ?? 0) << 16) | ((bytes[i + 2] ?? 0) << 8) | (bytes[i + 3] ?? 0)
    sum = (sum + (word >>> 0)) >>> 0
  }
  return sum
}

/** Writes a font file from tables: sorted by tag, with correct checksums. */
export function fontFile(tables: FontTables, version: number): Uint8Array {
  const list = [...tables].sort(([a], [b]) => (a < b ? -1 : 1))
  const power = 2 ** Math.floor(Math.log2(list.length))
  const out = new FontWriter().u32(version).u16(list.length)
  out
    .u16(power * 16)
    .u16(Math.log2(power))
    .u16((list.length - power) * 16)
  let offset = 12 + list.length * 16
  let head = -1
  for (const [tag, data] of list) {
    if (tag === 'head') head = offset
    out
      .put(Array.from(tag, (c) => c.charCodeAt(0)))
      .u32(checksum(data))
      .u32(offset)
      .u32(data.length)
    offset += (data.length + 3) & ~3
  }
  for (const [, data] of list) out.put(data).pad(4)
  const file = out.done()
  if (head >= 0) {
    const view = new DataView(file.buffer)
    view.setUint32(head + 8, 0)
    view.setUint32(head + 8, (0xb1b0afba - checksum(file)) >>> 0)
  }
  return file
}

export interface CharacterMap {
  platform: number
  encoding: number
  glyphs: Map<number, number>
}

/** Reads the `cmap` subtables of formats 0, 4, 6 and 12. Damaged subtables are ignored, as readers do. */
export function characterMaps(table: Uint8Array | undefined): CharacterMap[] {
  const maps: CharacterMap[] = []
  if (!table || table.length < 4) return maps
  const view = new FontView(table)
  const count = Math.min(view.u16(2), 32)
  for (let i = 0; i < count; i++) {
    try {
      const glyphs = subtable(view, view.u32(8 + i * 8))
      if (glyphs) maps.push({ platform: view.u16(4 + i * 8), encoding: view.u16(6 + i * 8), glyphs })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return maps
}

function subtable(view: FontView, at: number): Map<number, number> | undefined {
  const glyphs = new Map<number, number>()
  const set = (code: number, glyph: number) => {
    if (glyph && glyphs.size < MAX_MAPPED_CODES) glyphs.set(code, glyph)
  }
  switch (view.u16(at)) {
    case 0:
      for (let code = 0; code < 256; code++) set(code, view.u8(at + 6 + code))
      return glyphs
    case 4:
      segments(view, at, set)
      return glyphs
    case 6: {
      const first = view.u16(at + 6)
      const count = view.u16(at + 8)
      for (let i = 0; i < count; i++) set(first + i, view.u16(at + 10 + i * 2))
      return glyphs
    }
    case 12: {
      const groups = Math.min(view.u32(at + 12), 65_536)
      for (let i = 0; i < groups; i++) {
        const first = view.u32(at + 16 + i * 12)
        const last = Math.min(view.u32(at + 20 + i * 12), 0x10ffff)
        const glyph = view.u32(at + 24 + i * 12)
        for (let code = first; code <= last && glyphs.size < MAX_MAPPED_CODES; code++) set(code, glyph + code - first)
      }
      return glyphs
    }
    default:
      return undefined
  }
}

/** Reads `cmap` format 4: segments of codes, with a delta or through an array of glyphs. */
function segments(view: FontView, at: number, set: (code: number, glyph: number) => void): void {
  const count = view.u16(at + 6) / 2
  for (let s = 0; s < count; s++) {
    const last = view.u16(at + 14 + s * 2)
    const first = view.u16(at + 16 + count * 2 + s * 2)
    const delta = view.u16(at + 16 + count * 4 + s * 2)
    const rangePlace = at + 16 + count * 6 + s * 2
    const range = view.u16(rangePlace)
    for (let code = first; code <= last && code < 0xffff; code++) {
      if (range === 0) {
        set(code, (code + delta) & 0xffff)
        continue
      }
      const place = rangePlace + range + (code - first) * 2
      if (place + 2 > view.bytes.length) break
      const glyph = view.u16(place)
      if (glyph) set(code, (glyph + delta) & 0xffff)
    }
  }
}

/** Maps the glyph names of `post` formats 1 and 2 to the glyphs that have them. */
export function glyphNames(post: Uint8Array | undefined, standard: readonly string[]): Map<string, number[]> {
  const names = new Map<string, number[]>()
  if (!post || post.length < 34) return names
  const add = (name: string | undefined, glyph: number) => {
    if (!name) return
    const glyphs = names.get(name)
    if (glyphs) glyphs.push(glyph)
    else names.set(name, [glyph])
  }
  const view = new FontView(post)
  if (view.u32(0) === 0x10000) standard.forEach(add)
  if (view.u32(0) !== 0x20000) return names
  const count = view.u16(32)
  const own: string[] = []
  for (let at = 34 + count * 2; at < post.length; at += post[at]! + 1) {
    own.push(latin1Of(post.subarray(at + 1, at + 1 + post[at]!)))
  }
  for (let glyph = 0; glyph < count && 36 + glyph * 2 <= post.length; glyph++) {
    const index = view.u16(34 + glyph * 2)
    add(index < 258 ? standard[index] : own[index - 258], glyph)
  }
  return names
}

/** Outlines by glyph number, from `loca` and `glyf`. */
export class Outlines {
  readonly count: number
  private readonly glyf: Uint8Array
  private readonly loca: FontView
  private readonly long: boolean
  /** Ascending offsets if `loca` is not ascending: a glyph then ends at the next offset. `undefined`: `loca` is ascending. */
  private readonly sorted: number[] | undefined

  constructor(tables: FontTables) {
    const [head, maxp, loca, glyf] = ['head', 'maxp', 'loca', 'glyf'].map((tag) => tables.get(tag))
    if (!head || !maxp || !loca || !glyf || head.length < 54 || maxp.length < 6)
      throw new RangeError('TrueType: table head, maxp, loca or glyf is missing or too short')
    this.glyf = glyf
    this.loca = new FontView(loca)
    this.long = new FontView(head).i16(50) !== 0
    this.count = Math.min(new FontView(maxp).u16(4), (loca.length >> (this.long ? 2 : 1)) - 1)
    const starts = Array.from({ length: Math.max(0, this.count + 1) }, (_, glyph) => this.offset(glyph))
    const inOrder = starts.every((start, i) => i === 0 || start >= starts[i - 1]!)
    this.sorted = inOrder ? undefined : starts.sort((a, b) => a - b)
  }

  private offset(glyph: number): number {
    return this.long ? this.loca.u32(glyph * 4) : this.loca.u16(glyph * 2) * 2
  }

  /** Bytes of a glyph's outline. Empty if it has none. */
  of(glyph: number): Uint8Array {
    if (glyph >= this.count) return this.glyf.subarray(0, 0)
    const start = this.offset(glyph)
    const stated = this.offset(glyph + 1)
    if (stated === start || start >= this.glyf.length) return this.glyf.subarray(0, 0)
    const next = this.sorted?.find((offset) => offset > start) ?? this.glyf.length
    const end = this.sorted ? Math.min(stated > start ? stated : Number.POSITIVE_INFINITY, next) : stated
    return this.glyf.subarray(start, Math.min(end, this.glyf.length))
  }

  /** Glyph numbers of the components of a composite glyph. */
  parts(glyph: number): number[] {
    const outline = this.of(glyph)
    return componentOffsets(outline).map((at) => new FontView(outline).u16(at))
  }
}

/** Offsets in an outline where the glyph numbers of components are stored (`glyf`, composite glyph description). */
export function componentOffsets(outline: Uint8Array): number[] {
  const places: number[] = []
  if (outline.length < 10) return places
  const view = new FontView(outline)
  if (view.i16(0) >= 0) return places
  for (let at = 10; at + 4 <= outline.length; ) {
    const flags = view.u16(at)
    places.push(at + 2)
    // Flags: 0x0001 arguments are words; 0x0008 one scale, 0x0040 two scales, 0x0080 a 2×2 matrix; 0x0020 more components.
    at += 4 + (flags & 0x0001 ? 4 : 2) + (flags & 0x0008 ? 2 : flags & 0x0040 ? 4 : flags & 0x0080 ? 8 : 0)
    if (!(flags & 0x0020)) break
  }
  return places
}

/** Advance width and left side bearing of a glyph (`hmtx`). */
export function metricOf(tables: FontTables, glyph: number): [advance: number, bearing: number] {
  const [hhea, hmtx] = [tables.get('hhea'), tables.get('hmtx')]
  if (!hhea || !hmtx) throw new RangeError('TrueType: table hhea or hmtx is missing')
  const full = Math.max(1, new FontView(hhea).u16(34))
  const view = new FontView(hmtx)
  const at = (offset: number) => (offset + 2 <= hmtx.length ? view.u16(offset) : 0)
  return glyph < full ? [at(glyph * 4), at(glyph * 4 + 2)] : [at((full - 1) * 4), at(full * 4 + (glyph - full) * 2)]
}
