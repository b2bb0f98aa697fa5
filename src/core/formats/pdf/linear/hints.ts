/** Hint tables (annex F.4): where each page's objects are, so that a viewer can ask for them alone. */
import { BitWriter } from '../../../bytes/bits.ts'
import type { Layout, Unit } from './layout.ts'

export const bitsFor = (value: number): number => (value > 0 ? Math.floor(Math.log2(value)) + 1 : 0)

/** What is known once everything is written. */
export interface Written {
  /** Bytes of a unit in the file. */
  lengthOf(unit: Unit): number
  /** Where a unit stands, as if the hint stream were not there (F.4.1). */
  placeOf(unit: Unit): number
}

/** `lengthBits` is fixed beforehand, so that the length of the tables does not depend on what is written. */
export function hintTables(layout: Layout, lengthBits: number, written: Written): { data: Uint8Array; shared: number; outlines: number } {
  const out = new BitWriter()
  pageOffsets(out, layout, lengthBits, written)
  const shared = out.length
  sharedObjects(out, layout, lengthBits, written)
  const outlines = out.length
  const [first] = layout.outlines
  // F.4.7, generic: first object, its place, number of objects, length of all.
  if (first) {
    out.putNumber(first.number, 32)
    out.putNumber(written.placeOf(first), 32)
    out.putNumber(layout.outlines.length, 32)
    out.putNumber(sum(layout.outlines, written), 32)
  }
  return { data: out.finish(), shared, outlines: first ? outlines : 0 }
}

const sum = (units: readonly Unit[], { lengthOf }: Written) => units.reduce((total, unit) => total + lengthOf(unit), 0)
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0)
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0)

/** F.4.2, tables F.3 and F.4. */
function pageOffsets(out: BitWriter, layout: Layout, lengthBits: number, written: Written): void {
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
    // A content stream counts as the whole page.
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

/** F.4.3, tables F.5 and F.6. */
function sharedObjects(out: BitWriter, { firstPage, shared }: Layout, lengthBits: number, written: Written): void {
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
  // No signatures, one object each.
  for (const _ of lengths) out.putNumber(0, 1)
  out.toByte()
}
