/**
 * Subsets TrueType fonts to a set of characters for text layout. Glyph numbers, metrics, kerning and substitutions stay; unreachable
 * outlines and character codes are removed.
 */
import { equalBytes } from '../../bytes/equal.ts'
import { FontView } from '../bytes.ts'
import { MAX_FONT_BYTES } from '../tuning.ts'
import { cmapTable, outlineTables, postTable, withComponents } from './subset.ts'
import { withSubstitutes } from './substitution.ts'
import { characterMaps, type FontTables, fontFile, Outlines, readFontTables } from './truetype.ts'

/** Tables that Whittle supports. Fonts with other tables (colours, mathematics, variations, bitmaps, Apple layout) stay unchanged. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...['head', 'hhea', 'hmtx', 'maxp', 'name', 'OS/2', 'post', 'cmap', 'loca', 'glyf', 'cvt ', 'fpgm', 'prep', 'gasp'],
  ...['kern', 'GDEF', 'GPOS', 'GSUB', 'BASE', 'DSIG', 'hdmx', 'LTSH', 'VDMX', 'vhea', 'vmtx', 'PCLT', 'meta', 'FFTM'],
])
/** Tables that are written anew. Others are copied. The signature (DSIG) would be invalid, so it is dropped. */
const REWRITTEN: ReadonlySet<string> = new Set(['head', 'hmtx', 'cmap', 'loca', 'glyf', 'post', 'DSIG'])
/** Bits of OS/2.fsType: no subsetting; embedding of bitmaps only. */
const FORBIDDEN = 0x0100 | 0x0200
/** Formats of character maps that Whittle can write with fewer characters. */
const MAP_FORMATS: ReadonlySet<number> = new Set([0, 4, 6, 12])

/** Returns the font with only what `characters` need. `undefined`: the font is not supported, or would not become smaller. */
export function subsetForText(font: Uint8Array, characters: ReadonlySet<number>): Uint8Array | undefined {
  try {
    const tables = understood(font)
    if (!tables) return undefined
    const outlines = new Outlines(tables)
    const keep = reachable(tables, outlines, characters)
    const { glyf, loca, long } = outlineTables(outlines, keep, outlines.count)
    const head = tables.get('head')!.slice()
    head[50] = 0
    head[51] = long ? 1 : 0
    const fresh = new Map([...tables].filter(([tag]) => !REWRITTEN.has(tag)))
    fresh.set('head', head).set('loca', loca).set('glyf', glyf)
    fresh.set('hmtx', emptied(tables, keep, outlines.count))
    const maps = characterMaps(tables.get('cmap')).map((map) => ({ ...map, glyphs: kept(map.glyphs, keep) }))
    if (maps.some(({ glyphs }) => glyphs.size === 0)) return undefined
    fresh.set('cmap', cmapTable(maps, keep))
    const post = tables.get('post')
    if (post) fresh.set('post', postTable(post, keep, outlines.count))
    const file = fontFile(fresh, new FontView(font).u32(0))
    return file.length < font.length ? file : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const kept = (glyphs: ReadonlyMap<number, number>, keep: ReadonlySet<number>) => new Map([...glyphs].filter(([, glyph]) => keep.has(glyph)))

/** Returns the tables of a font that can be subset. `undefined`: the font is not supported. */
function understood(font: Uint8Array): FontTables | undefined {
  const tables = font.length <= MAX_FONT_BYTES ? readFontTables(font) : undefined
  if (!tables || [...tables.keys()].some((tag) => !UNDERSTOOD.has(tag))) return undefined
  const [head, maxp, hhea, hmtx, cmap, rights] = ['head', 'maxp', 'hhea', 'hmtx', 'cmap', 'OS/2'].map((tag) => tables.get(tag))
  if (head?.length !== 54 || !maxp || !hhea || hhea.length < 36 || !hmtx || !cmap || !rights || rights.length < 10) return undefined
  if (new FontView(rights).u16(8) & FORBIDDEN) return undefined
  const outlines = new Outlines(tables)
  if (outlines.count < 1 || outlines.count !== new FontView(maxp).u16(4)) return undefined
  const view = new FontView(cmap)
  const records = view.u16(2)
  for (let index = 0; index < records; index++) if (!MAP_FORMATS.has(view.u16(view.u32(8 + 8 * index)))) return undefined
  const maps = characterMaps(cmap)
  // Platforms 0 and 3 map Unicode. Fonts with only Macintosh codes are not supported, because readers interpret them differently.
  return maps.length === records && maps.some(({ platform }) => platform !== 1) ? tables : undefined
}

/** Returns the glyphs that the characters can show, directly, by substitution or as components. The first three glyphs are always kept. */
function reachable(tables: FontTables, outlines: Outlines, characters: ReadonlySet<number>): Set<number> {
  const shown = new Set<number>([0, 1, 2].filter((glyph) => glyph < outlines.count))
  for (const { platform, glyphs } of characterMaps(tables.get('cmap'))) {
    if (platform === 1) continue
    for (const [code, glyph] of glyphs) if (characters.has(code) && glyph < outlines.count) shown.add(glyph)
  }
  return withComponents(outlines, withSubstitutes(tables.get('GSUB'), shown))
}

/** Returns `hmtx` with zeros for removed glyphs. The last full advance stays, because it applies to all glyphs after it. */
function emptied(tables: FontTables, keep: ReadonlySet<number>, count: number): Uint8Array {
  const hmtx = tables.get('hmtx')!.slice()
  const full = Math.max(1, new FontView(tables.get('hhea')!).u16(34))
  for (let glyph = 0; glyph < count; glyph++) {
    if (keep.has(glyph) || glyph === full - 1) continue
    if (glyph < full) hmtx.fill(0, glyph * 4, glyph * 4 + 4)
    else hmtx.fill(0, full * 4 + (glyph - full) * 2, full * 4 + (glyph - full) * 2 + 2)
  }
  return hmtx
}

/**
 * Returns why `after` must not replace `before` when only `characters` are shown; `undefined` if it may. Compares outlines, metrics, codes
 * and all other tables.
 */
export function fontDifference(before: Uint8Array, after: Uint8Array, characters: ReadonlySet<number>): string | undefined {
  try {
    const [old, fresh] = [understood(before), readFontTables(after)]
    if (!old || !fresh) return 'the font cannot be subset'
    for (const [tag, table] of old) {
      if (!REWRITTEN.has(tag) && !equalBytes(table, fresh.get(tag) ?? new Uint8Array())) return `table ${tag} changed`
    }
    for (const tag of fresh.keys()) if (!old.has(tag)) return `table ${tag} was added`
    const [heads, metrics] = [[old.get('head')!, fresh.get('head')!] as const, [old.get('hmtx')!, fresh.get('hmtx')!] as const]
    // Bytes 8–11 (checksum) and 50–51 (format of `loca`) may differ.
    for (let at = 0; at < 54; at++)
      if (heads[0][at] !== heads[1][at] && !(at >= 8 && at < 12) && at !== 50 && at !== 51) return 'table head changed'
    const [outlines, cut] = [new Outlines(old), new Outlines(fresh)]
    if (outlines.count !== cut.count || metrics[0].length !== metrics[1].length) return 'the number of glyphs changed'
    const keep = reachable(old, outlines, characters)
    const full = Math.max(1, new FontView(old.get('hhea')!).u16(34))
    for (const glyph of keep) {
      const [a, b] = [outlines.of(glyph), cut.of(glyph)]
      // Glyphs are padded to four bytes.
      if (!equalBytes(a, b.subarray(0, a.length)) || b.length > a.length + 3) return `the outline of glyph ${glyph} changed`
      const [from, to] = glyph < full ? [glyph * 4, glyph * 4 + 4] : [full * 4 + (glyph - full) * 2, full * 4 + (glyph - full) * 2 + 2]
      if (!equalBytes(metrics[0].subarray(from, to), metrics[1].subarray(from, to))) return `the metrics of glyph ${glyph} changed`
    }
    const [maps, fewer] = [characterMaps(old.get('cmap')), characterMaps(fresh.get('cmap'))]
    if (maps.length !== fewer.length) return 'the number of character maps changed'
    for (const [index, { platform, encoding, glyphs }] of maps.entries()) {
      const duplicate = fewer[index]!
      if (duplicate.platform !== platform || duplicate.encoding !== encoding) return 'platform or encoding of a character map changed'
      for (const [code, glyph] of glyphs) {
        const now = duplicate.glyphs.get(code)
        if (now !== glyph && (keep.has(glyph) || now !== undefined)) return `character ${code} maps to another glyph`
      }
    }
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
