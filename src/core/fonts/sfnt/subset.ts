/** Writes TrueType fonts with only the used outlines. Glyph numbers stay; glyphs after the last used one are cut off. */
import { maxOf } from '../../bytes/min-max.ts'
import { FontView, FontWriter } from '../bytes.ts'
import { type CharacterMap, characterMaps, type FontTables, fontFile, Outlines } from './truetype.ts'

/**
 * Writes a subset. `simple`: true if the font is used by codes, so `cmap` and `post` are kept for the used glyphs. Composite fonts refer to
 * glyphs by number. `undefined`: the font is not supported.
 */
export function subsetTrueType(tables: FontTables, version: number, wanted: ReadonlySet<number>, simple: boolean): Uint8Array | undefined {
  const [head, maxp, hhea, hmtx] = ['head', 'maxp', 'hhea', 'hmtx'].map((tag) => tables.get(tag))
  if (!head || !maxp || !hhea || !hmtx || hhea.length < 36) return undefined
  const outlines = new Outlines(tables)
  if (outlines.count < 1) return undefined
  const keep = withComponents(outlines, wanted)
  const count = maxOf(keep) + 1
  const { glyf, loca, long } = outlineTables(outlines, keep, count)
  const newHead = head.slice(0, 54)
  newHead[50] = 0
  newHead[51] = long ? 1 : 0
  const newMaxp = maxp.slice()
  newMaxp[4] = count >> 8
  newMaxp[5] = count & 255
  const newHhea = hhea.slice(0, 36)
  newHhea[34] = count >> 8
  newHhea[35] = count & 255
  const out: FontTables = new Map([
    ['head', newHead],
    ['maxp', newMaxp],
    ['hhea', newHhea],
    ['hmtx', metrics(new FontView(hhea).u16(34), hmtx, keep, count)],
    ['loca', loca],
    ['glyf', glyf],
  ])
  // Tables of hinting instructions and their data.
  for (const tag of ['cvt ', 'fpgm', 'prep']) copy(tables, out, tag)
  if (simple) {
    const maps = characterMaps(tables.get('cmap'))
    if (maps.length > 0) out.set('cmap', cmapTable(maps, keep))
    else copy(tables, out, 'cmap')
    const post = tables.get('post')
    if (post) out.set('post', postTable(post, keep, count))
    copy(tables, out, 'OS/2')
  }
  return fontFile(out, version)
}

function copy(from: FontTables, to: FontTables, tag: string): void {
  const table = from.get(tag)
  if (table) to.set(tag, table)
}

/** Returns glyph 0, the wanted glyphs and the components of all of them. */
export function withComponents(outlines: Outlines, wanted: ReadonlySet<number>): Set<number> {
  const keep = new Set<number>([0])
  const todo: number[] = [0]
  const add = (glyph: number) => {
    if (glyph >= outlines.count || keep.has(glyph)) return
    keep.add(glyph)
    todo.push(glyph)
  }
  for (const glyph of wanted) add(glyph)
  for (let glyph = todo.pop(); glyph !== undefined; glyph = todo.pop()) for (const part of outlines.parts(glyph)) add(part)
  return keep
}

export function outlineTables(outlines: Outlines, keep: ReadonlySet<number>, count: number) {
  const glyf = new FontWriter()
  const offsets: number[] = []
  for (let glyph = 0; glyph < count; glyph++) {
    offsets.push(glyf.length)
    if (keep.has(glyph)) glyf.put(outlines.of(glyph)).pad(4)
  }
  offsets.push(glyf.length)
  return { glyf: glyf.done(), ...locaTable(offsets) }
}

/** Writes `loca` for glyphs that begin at `offsets`; the last offset is the end. `long`: value for indexToLocFormat in `head`. */
export function locaTable(offsets: readonly number[]): { loca: Uint8Array; long: boolean } {
  // Short offsets are stored as half the value in 16 bits.
  const long = offsets.at(-1)! >= 0x1fffe
  const loca = new FontWriter()
  for (const offset of offsets)
    if (long) loca.u32(offset)
    else loca.u16(offset >> 1)
  return { loca: loca.done(), long }
}

/** Writes `hmtx` with advance and side bearing for every glyph, zeros for removed glyphs. */
function metrics(longMetrics: number, hmtx: Uint8Array, keep: ReadonlySet<number>, count: number): Uint8Array {
  const view = new FontView(hmtx)
  const at = (offset: number) => (offset + 2 <= hmtx.length ? view.u16(offset) : 0)
  const full = Math.max(1, longMetrics)
  const out = new FontWriter()
  for (let glyph = 0; glyph < count; glyph++) {
    if (!keep.has(glyph)) out.u32(0)
    else if (glyph < full) out.u16(at(glyph * 4)).u16(at(glyph * 4 + 2))
    else out.u16(at((full - 1) * 4)).u16(at(full * 4 + (glyph - full) * 2))
  }
  return out.done()
}

export function cmapTable(maps: readonly CharacterMap[], keep: ReadonlySet<number>): Uint8Array {
  const bodies = maps.map(({ platform, encoding, glyphs }) => {
    const entries = [...glyphs].filter(([, glyph]) => keep.has(glyph)).sort(([a], [b]) => a - b)
    if (platform === 1) return macintosh(entries)
    // The Windows UCS-4 encoding (platform 3, encoding 10) requires format 12.
    const wide = (platform === 3 && encoding === 10) || entries.some(([code]) => code > 0xfffe)
    return wide ? groups(entries) : segments(entries)
  })
  const out = new FontWriter().u16(0).u16(maps.length)
  let offset = 4 + maps.length * 8
  maps.forEach(({ platform, encoding }, i) => {
    out.u16(platform).u16(encoding).u32(offset)
    offset += bodies[i]!.length
  })
  for (const body of bodies) out.put(body)
  return out.done()
}

type Entries = [code: number, glyph: number][]

/** Writes a Macintosh map: `cmap` format 0 if codes and glyphs are below 256, otherwise format 6. */
function macintosh(entries: Entries): Uint8Array {
  if (entries.every(([code, glyph]) => code < 256 && glyph < 256)) {
    const table = new Uint8Array(256)
    for (const [code, glyph] of entries) table[code] = glyph
    return new FontWriter().u16(0).u16(262).u16(0).put(table).done()
  }
  const first = entries[0]![0]
  const last = entries[entries.length - 1]![0]
  const glyphs = new Map(entries)
  const count = last - first + 1
  const out = new FontWriter()
    .u16(6)
    .u16(10 + count * 2)
    .u16(0)
    .u16(first)
    .u16(count)
  for (let code = first; code <= last; code++) out.u16(glyphs.get(code) ?? 0)
  return out.done()
}

/** Writes `cmap` format 12. */
function groups(entries: Entries): Uint8Array {
  const out = new FontWriter()
    .u16(12)
    .u16(0)
    .u32(16 + entries.length * 12)
    .u32(0)
    .u32(entries.length)
  for (const [code, glyph] of entries) out.u32(code).u32(code).u32(glyph)
  return out.done()
}

/** Writes `cmap` format 4 with deltas only. */
function segments(entries: Entries): Uint8Array {
  const runs: [first: number, last: number, delta: number][] = []
  for (const [code, glyph] of entries) {
    const run = runs[runs.length - 1]
    if (run && run[1] === code - 1 && ((code + run[2]) & 0xffff) === glyph) run[1] = code
    else runs.push([code, code, (glyph - code) & 0xffff])
  }
  runs.push([0xffff, 0xffff, 1])
  const count = runs.length
  // The length of a format 4 table is a 16-bit number.
  if (count > 8189) throw new RangeError(`cmap: ${count} segments, at most 8189 fit in format 4`)
  const power = 2 ** Math.floor(Math.log2(count))
  const out = new FontWriter()
    .u16(4)
    .u16(16 + count * 8)
    .u16(0)
    .u16(count * 2)
  out
    .u16(power * 2)
    .u16(Math.log2(power))
    .u16((count - power) * 2)
  for (const [, last] of runs) out.u16(last)
  out.u16(0)
  for (const [first] of runs) out.u16(first)
  for (const [, , delta] of runs) out.u16(delta)
  for (let i = 0; i < count; i++) out.u16(0)
  return out.done()
}

/** Writes `post`. Format 2 keeps the names of the kept glyphs; other formats stay unchanged. */
export function postTable(post: Uint8Array, keep: ReadonlySet<number>, count: number): Uint8Array {
  if (post.length < 34 || new FontView(post).u32(0) !== 0x20000) return post
  const view = new FontView(post)
  const stored = view.u16(32)
  const starts: number[] = []
  for (let at = 34 + stored * 2; at < post.length; at += post[at]! + 1) starts.push(at)
  const out = new FontWriter().put(post.subarray(0, 32)).u16(count)
  const used: number[] = []
  for (let glyph = 0; glyph < count; glyph++) {
    const index = glyph < stored && 36 + glyph * 2 <= post.length ? view.u16(34 + glyph * 2) : 0
    const start = index >= 258 ? starts[index - 258] : undefined
    if (!keep.has(glyph) || (index >= 258 && start === undefined)) out.u16(0)
    else if (start === undefined) out.u16(index)
    else {
      out.u16(258 + used.length)
      used.push(start)
    }
  }
  for (const start of used) out.put(post.subarray(start, start + post[start]! + 1))
  return out.done()
}
