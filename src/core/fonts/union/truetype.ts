/** Merges TrueType programs that are different subsets of the same font. */

import { base64Of } from '../../bytes/base64.ts'
import { concat } from '../../bytes/concat.ts'
import { hex } from '../../bytes/hex.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { digestOf } from '../../bytes/platform/crypto.ts'
import { FontView, FontWriter } from '../bytes.ts'
import { MAC_GLYPHS } from '../cff/standard-strings.ts'
import { type FontUse, type GlyphLookups, trueTypeGlyphs } from '../code-glyphs.ts'
import { cmapTable, locaTable, subsetTrueType, withComponents } from '../sfnt/subset.ts'
import {
  type CharacterMap,
  characterMaps,
  componentOffsets,
  type FontTables,
  fontFile,
  metricOf,
  Outlines,
  readFontTables,
} from '../sfnt/truetype.ts'
import { MAX_COMPONENT_DEPTH } from '../tuning.ts'
import type { FontPart, FontUnion } from './part.ts'

/**
 * Composite fonts refer to glyphs by number, so numbers stay. Simple fonts use `cmap` and `post`; their glyphs are identified by a digest
 * of the drawing and get new numbers in a union.
 */
export interface TrueTypePart extends FontPart {
  tables: FontTables
  version: number
  /** True if glyphs are used by codes, through `cmap` and `post`. */
  simple: boolean
  numbered: boolean
  /** Keys of the components of each composite glyph, in order. The outlines have zeros instead of the components' numbers. */
  components: ReadonlyMap<string, readonly string[]>
}

const METRIC_BYTES = 4
const POST_HEAD_BYTES = 32
const NAMED_POST = 0x20000

/** Returns the part of a program that a document shows. `undefined`: not supported. */
export function trueTypePart(data: Uint8Array, uses: readonly FontUse[]): TrueTypePart | undefined {
  const tables = readFontTables(data)
  const [head, maxp, hhea] = ['head', 'maxp', 'hhea'].map((tag) => tables?.get(tag))
  if (!tables?.has('glyf') || !tables.has('hmtx') || !head || !maxp || !hhea || head.length < 54 || hhea.length < 36) return undefined
  const outlines = new Outlines(tables)
  const answers: GlyphLookups = new Map()
  const wanted = trueTypeGlyphs(tables, uses, answers)
  // A number beyond the last glyph shows nothing in this program, but could show a glyph of a union.
  if (!wanted || [...wanted].some((glyph) => glyph >= outlines.count)) return undefined
  const simple = uses.some((use) => use.kind !== 'cid')
  const numbered = uses.some((use) => use.kind === 'cid')
  const maps = simple ? characterMaps(tables.get('cmap')) : []
  if (simple && maps.length === 0) return undefined
  const known = new Glyphs(tables, outlines, numbered, namesAsked(answers))
  for (const glyph of withComponents(outlines, wanted)) known.key(glyph)
  if (!numbered) {
    for (const [question, answer] of answers) {
      if (NUMBER_NAME.test(question)) return undefined
      const glyphs = answer === '' ? [] : answer.split(' ').map(Number)
      if (glyphs.some((glyph) => glyph >= outlines.count)) return undefined
      answers.set(question, glyphs.map((glyph) => known.key(glyph)).join(' '))
    }
  }
  const post = tables.get('post')
  const essentials = [
    hex(head.subarray(16, 20)), // `head`: flags, units per em
    hex(head.subarray(36, 48)), // `head`: bounds (renderers position glyphs by them), style, smallest readable size
    hex(hhea.subarray(4, 10)), // `hhea`: ascender, descender, line gap
    hex(maxp.subarray(0, 4)),
    ...['cvt ', 'fpgm', 'prep'].map((tag) => digest(tables.get(tag))),
    String(numbered),
    simple ? maps.map(({ platform, encoding }) => `${platform},${encoding}`).join(' ') : 'by number',
    simple && post ? hex(post.subarray(0, 4)) : '',
  ].join('|')
  const version = new FontView(data).u32(0)
  const bytes = subsetTrueType(tables, version, wanted, simple)?.length ?? data.length
  return {
    commonProperties: essentials,
    glyphs: known.drawings,
    lookups: answers,
    bytes,
    tables,
    version,
    simple,
    numbered,
    components: known.components,
  }
}

/** Names in `post` that some lookup uses, by glyph number. */
function namesAsked(answers: GlyphLookups): Map<number, string> {
  const names = new Map<number, string>()
  for (const [question, answer] of answers) {
    if (question.startsWith('/') && answer !== '') for (const glyph of answer.split(' ').map(Number)) names.set(glyph, question)
  }
  return names
}

/** Names that some readers interpret as glyph numbers. */
const NUMBER_NAME = /^\/(?:g|gid|glyph|cid|index|G|c|C)0*\d{1,5}$/

class Glyphs {
  /** Metrics and outline of each glyph. */
  readonly drawings = new Map<string, Uint8Array>()
  readonly components = new Map<string, readonly string[]>()
  private readonly keys = new Map<number, string>()
  private readonly tables: FontTables
  private readonly outlines: Outlines
  private readonly numbered: boolean
  private readonly names: ReadonlyMap<number, string>

  constructor(tables: FontTables, outlines: Outlines, numbered: boolean, names: ReadonlyMap<number, string>) {
    this.tables = tables
    this.outlines = outlines
    this.numbered = numbered
    this.names = names
  }

  /** Key of a glyph: its number, or a digest of drawing and name. The first glyph is always 0. */
  key(glyph: number, nesting = 0): string {
    const known = this.keys.get(glyph)
    if (known) return known
    if (nesting > MAX_COMPONENT_DEPTH)
      throw new RangeError(`TrueType: composite glyphs are nested deeper than ${MAX_COMPONENT_DEPTH} levels`)
    const [advance, bearing] = metricOf(this.tables, glyph)
    const drawing = concat([new FontWriter().u16(advance).u16(bearing).done(), padded(this.outlines.of(glyph))])
    let key = String(glyph)
    if (!this.numbered) {
      const parts = this.outlines.parts(glyph).map((part) => this.key(part, nesting + 1))
      for (const at of componentOffsets(this.outlines.of(glyph))) drawing.fill(0, METRIC_BYTES + at, METRIC_BYTES + at + 2)
      if (glyph > 0) key = digest(concat([drawing, new TextEncoder().encode(`${parts.join()} ${this.names.get(glyph)}`)]))
      if (parts.length > 0) this.components.set(key, parts)
    }
    this.keys.set(glyph, key)
    this.drawings.set(key, drawing)
    return key
  }
}

const digest = (bytes: Uint8Array | undefined) => (bytes ? base64Of(digestOf('sha256', bytes)) : '')

/** Writers pad outlines with zeros to two or four bytes, or not at all. Here they are always padded to four. */
function padded(outline: Uint8Array): Uint8Array {
  return outline.length % 4 === 0 ? outline : concat([outline, NO_METRIC.subarray(outline.length % 4)])
}

const NO_METRIC = new Uint8Array(METRIC_BYTES)

/** Writes the union as a font file. @throws RangeError if it exceeds the limits of TrueType */
export function writeTrueType(union: FontUnion<TrueTypePart>): Uint8Array {
  const { tables, version, simple } = union.first
  const numbers = glyphNumbers(union)
  const keys = new Map([...numbers].map(([key, glyph]) => [glyph, key]))
  const keep = new Set(keys.keys())
  const count = maxOf(keep) + 1
  if (count > 0xffff) throw new RangeError(`TrueType: ${count} glyphs, at most 65535 are allowed`)
  const glyf = new FontWriter()
  const hmtx = new FontWriter()
  const offsets: number[] = []
  for (let glyph = 0; glyph < count; glyph++) {
    offsets.push(glyf.length)
    const key = keys.get(glyph)
    const drawing = key === undefined ? NO_METRIC : drawingOf(union, key, numbers)
    hmtx.put(drawing.subarray(0, METRIC_BYTES))
    glyf.put(drawing.subarray(METRIC_BYTES))
  }
  offsets.push(glyf.length)
  const { loca, long } = locaTable(offsets)
  const head = tables.get('head')!.slice(0, 54)
  const maxp = tables.get('maxp')!.slice()
  const hhea = tables.get('hhea')!.slice(0, 36)
  for (const other of union.parts.values()) {
    // Maximum numbers of points, contours, stack elements and others (`maxp` version 1.0).
    for (let at = 6; at + 2 <= maxp.length; at += 2) takeMaximum(maxp, other.tables.get('maxp')!, at)
    takeMaximum(hhea, other.tables.get('hhea')!, 10)
  }
  head[50] = 0
  head[51] = long ? 1 : 0
  for (const [table, at] of [
    [maxp, 4],
    [hhea, 34],
  ] as const)
    table.set([count >> 8, count & 255], at)
  const out: FontTables = new Map([
    ['head', head],
    ['maxp', maxp],
    ['hhea', hhea],
    ['hmtx', hmtx.done()],
    ['loca', loca],
    ['glyf', glyf.done()],
  ])
  for (const tag of ['cvt ', 'fpgm', 'prep', ...(simple ? ['OS/2'] : [])]) {
    const table = tables.get(tag)
    if (table) out.set(tag, table)
  }
  if (simple) {
    out.set('cmap', cmapTable(mapsOf(union, numbers), keep))
    const post = tables.get('post')
    if (post) out.set('post', namesTable(post, union.lookups, numbers, count))
  }
  return fontFile(out, version)
}

/** Assigns glyph numbers in the order of characters, so that `cmap` is short. */
function glyphNumbers(union: FontUnion<TrueTypePart>): Map<string, number> {
  if (union.first.numbered) return new Map([...union.glyphs.keys()].map((key) => [key, Number(key)]))
  const first = new Map<string, number>()
  for (const [question, answer] of union.lookups) {
    const character = Number(question.split(' ')[1])
    if (character < (first.get(answer) ?? Number.POSITIVE_INFINITY)) first.set(answer, character)
  }
  const place = (key: string) => (key === '0' ? -1 : (first.get(key) ?? 0x110000))
  return new Map([...union.glyphs.keys()].sort((a, b) => place(a) - place(b)).map((key, glyph) => [key, glyph]))
}

function drawingOf(union: FontUnion<TrueTypePart>, key: string, numbers: ReadonlyMap<string, number>): Uint8Array {
  const drawing = union.glyphs.get(key)!
  if (union.first.numbered) return drawing
  const parts = [...union.parts.values()].map(({ components }) => components.get(key)).find((list) => list)
  if (!parts) return drawing
  const copy = drawing.slice()
  const places = componentOffsets(copy.subarray(METRIC_BYTES))
  for (const [i, at] of places.entries()) {
    const glyph = numbers.get(parts[i] ?? '')
    if (glyph === undefined) throw new RangeError('TrueType: composite glyph without its components')
    copy.set([glyph >> 8, glyph & 255], METRIC_BYTES + at)
  }
  return copy
}

function takeMaximum(table: Uint8Array, other: Uint8Array, at: number): void {
  if (at + 2 > other.length) return
  const [a, b] = [new DataView(table.buffer, table.byteOffset), new FontView(other)]
  a.setUint16(at, Math.max(a.getUint16(at), b.u16(at)))
}

/** Builds character maps that return exactly the recorded lookups. */
function mapsOf(union: FontUnion<TrueTypePart>, numbers: ReadonlyMap<string, number>): CharacterMap[] {
  const maps = characterMaps(union.first.tables.get('cmap')).map((map) => ({ ...map, glyphs: new Map<number, number>() }))
  for (const [question, answer] of union.lookups) {
    if (question.startsWith('/') || answer === '0') continue
    const [index, character] = question.split(' ').map(Number)
    maps[index!]!.glyphs.set(character!, numbers.get(answer)!)
  }
  return maps
}

/** Writes `post` format 2 with the names that lookups use. Other formats contain no names. */
function namesTable(post: Uint8Array, answers: GlyphLookups, numbers: ReadonlyMap<string, number>, count: number): Uint8Array {
  if (post.length < POST_HEAD_BYTES + 2 || new FontView(post).u32(0) !== NAMED_POST) return post
  const names = new Map<number, string>()
  for (const [question, answer] of answers) {
    if (!question.startsWith('/') || answer === '') continue
    for (const key of answer.split(' ')) {
      const glyph = numbers.get(key)!
      const name = question.slice(1)
      if ((names.get(glyph) ?? name) !== name) throw new RangeError(`TrueType: glyph ${glyph} has two names`)
      names.set(glyph, name)
    }
  }
  const out = new FontWriter().put(post.subarray(0, POST_HEAD_BYTES)).u16(count)
  const own: string[] = []
  for (let glyph = 0; glyph < count; glyph++) {
    const name = names.get(glyph)
    const standard = name === undefined ? 0 : MAC_GLYPHS.indexOf(name)
    out.u16(standard >= 0 ? standard : MAC_GLYPHS.length + own.push(name!) - 1)
  }
  for (const name of own) out.u8(name.length).put(Array.from(name, (c) => c.charCodeAt(0) & 255))
  return out.done()
}
