/**
 * Hint tables of a linearised file (ISO 32000-2, annex F.4). They locate the objects of each page, so that a viewer can request them
 * separately.
 */
import { BitWriter } from '../../../bytes/bits.ts'
import type { Layout, Unit } from './layout.ts'

const bitsFor = (value: number): number => (value > 0 ? Math.floor(Math.log2(value)) + 1 : 0)

/** Positions and lengths that are known after the file is written. */
export interface WrittenPositions {
  /** Length of a unit in bytes. */
  lengthOf(unit: Unit): number
  /** File offset of a unit, computed without the hint stream (ISO 32000-2, F.4.1). */
  placeOf(unit: Unit): number
}

/** Writes the hint tables. `lengthBits` is chosen in advance, so the length of the tables is known before the objects are written. */
export function hintTables(
  layout: Layout,
  lengthBits: number,
  written: WrittenPositions,
): { data: Uint8Array; shared: number; outlines: number } {
  const out = new BitWriter()
  pageOffsets(out, layout, lengthBits, written)
  const shared = out.length
  sharedObjects(out, layout, lengthBits, written)
  const outlines = out.length
  const [first] = layout.outlines
  // Generic hint table for outlines (ISO 32000-2, F.4.7): first object, its offset, number of objects, total length.
  if (first) {
    out.putNumber(first.number, 32)
    out.putNumber(written.placeOf(first), 32)
    out.putNumber(layout.outlines.length, 32)
    out.putNumber(sum(layout.outlines, written), 32)
  }
  return { data: out.finish(), shared, outlines: first ? outlines : 0 }
}

const sum = (units: readonly Unit[], { lengthOf }: WrittenPositions) => units.reduce((total, unit) => total + lengthOf(unit), 0)
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0)
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0)

/** Page offset hint table (ISO 32000-2, F.4.2, tables F.3 and F.4). */
function pageOffsets(out: BitWriter, layout: Layout, lengthBits: number, written: WrittenPositions): void {
  const groups = [layout.firstPage, ...layout.pages]
  const counts = groups.map((units) => units.length)
  const lengths = groups.map((units) => sum(units, written))
  const [fewest, shortest] = [least(counts), least(lengths)]
  const references = layout.sharedBy
  const countBits = bitsFor(most(counts) - fewest)
  const sharedBits = bitsFor(most(references.map((list) => list.length)))
  const idBits = bitsFor(layout.firstPage.length + layout.shared.length)
  const head: [value: number, bits: number][] = [
    [fewest, 32],
    [written.placeOf(layout.firstPage[0]!), 32],
    [countBits, 16],
    [shortest, 32],
    [lengthBits, 16],
    [0, 32],
    [0, 16],
    // The content stream length is set to the length of the whole page.
    [shortest, 32],
    [lengthBits, 16],
    [sharedBits, 16],
    [idBits, 16],
    [0, 16],
    [1, 16],
  ]
  for (const [value, bits] of head) out.putNumber(value, bits)
  const column = (values: Iterable<number>, bits: number) => {
    for (const value of values) out.putNumber(value, bits)
    out.toByte()
  }
  column(
    counts.map((count) => count - fewest),
    countBits,
  )
  column(
    lengths.map((length) => length - shortest),
    lengthBits,
  )
  column(
    references.map((list) => list.length),
    sharedBits,
  )
  column(references.flat(), idBits)
  column(
    lengths.map((length) => length - shortest),
    lengthBits,
  )
}

/** Shared object hint table (ISO 32000-2, F.4.3, tables F.5 and F.6). */
function sharedObjects(out: BitWriter, { firstPage, shared }: Layout, lengthBits: number, written: WrittenPositions): void {
  const lengths = [...firstPage, ...shared].map((unit) => written.lengthOf(unit))
  const shortest = least(lengths)
  const [first] = shared
  const head: [value: number, bits: number][] = [
    [first?.number ?? 0, 32],
    [first ? written.placeOf(first) : 0, 32],
    [firstPage.length, 32],
    [lengths.length, 32],
    [0, 16],
    [shortest, 32],
    [lengthBits, 16],
  ]
  for (const [value, bits] of head) out.putNumber(value, bits)
  for (const length of lengths) out.putNumber(length - shortest, lengthBits)
  out.toByte()
  // Each group has no signature and consists of one object.
  for (const _ of lengths) out.putNumber(0, 1)
  out.toByte()
}
