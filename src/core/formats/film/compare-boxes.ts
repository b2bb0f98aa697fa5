/** Compares the index boxes of two movies. All boxes must be equal except those that describe how samples are stored. */

import { type Box, findBox } from '../../containers/isobmff/box.ts'
import type { Movie } from '../../containers/isobmff/movie.ts'
import { childrenOf } from '../../containers/isobmff/structure.ts'

/**
 * Children of each parent box that are rewritten, or dropped as padding. All other children must be equal byte for byte, in the same
 * order.
 */
const WRITTEN_ANEW: { readonly [parent: string]: readonly string[] | undefined } = {
  moov: ['mvhd', 'trak', 'mvex', 'free', 'skip', 'wide'],
  trak: ['tkhd', 'edts', 'mdia'],
  mdia: ['mdhd', 'minf'],
  minf: ['stbl'],
}

/**
 * Byte ranges of a header's body that hold times and may change. First entry: version 0; second: version 1 (ISO/IEC 14496-12, 8.2.2,
 * 8.3.2, 8.4.2).
 */
const TIMES: { readonly [type: string]: readonly [from: number, to: number][] | undefined } = {
  mvhd: [
    [16, 20],
    [24, 32],
  ],
  tkhd: [
    [20, 24],
    [28, 36],
  ],
  // `mdhd`: timescale and duration.
  mdhd: [
    [12, 20],
    [20, 32],
  ],
}

type Side = readonly [bytes: Uint8Array, box: Box]

/** Describes the first difference between two movies. `undefined`: no difference. Track order and count must match. */
export function compareBoxes(before: Movie, after: Movie): string | undefined {
  const whole = compareParents([before.moov, before.moovBox], [after.moov, after.moovBox])
  if (whole) return whole
  for (const [i, track] of before.tracks.entries()) {
    const other = after.tracks[i]
    if (!other) return `track ${track.id} is lost`
    const difference = compareTrack([before.moov, track.box], [after.moov, other.box])
    if (difference) return `track ${track.id}: ${difference}`
  }
  return compareHeaders('mvhd', [before.moov, before.moovBox], [after.moov, after.moovBox])
}

function compareTrack([a, was]: Side, [b, is]: Side): string | undefined {
  const found = compareParents([a, was], [b, is]) ?? compareHeaders('tkhd', [a, was], [b, is])
  if (found) return found
  const [mdia, newMdia] = [findBox(a, was, 'mdia'), findBox(b, is, 'mdia')]
  if (!mdia || !newMdia) return "box 'mdia' is missing"
  const inside = compareParents([a, mdia], [b, newMdia]) ?? compareHeaders('mdhd', [a, mdia], [b, newMdia])
  if (inside) return inside
  const [minf, newMinf] = [findBox(a, mdia, 'minf'), findBox(b, newMdia, 'minf')]
  return minf && newMinf ? compareParents([a, minf], [b, newMinf]) : "box 'minf' is missing"
}

/** Compares the children of a parent box that must stay equal. */
function compareParents([a, was]: Side, [b, is]: Side): string | undefined {
  const anew = WRITTEN_ANEW[was.type] ?? []
  const kept = (bytes: Uint8Array, parent: Box) => childrenOf(bytes, parent).filter(({ type }) => !anew.includes(type))
  const [left, right] = [kept(a, was), kept(b, is)]
  for (const [i, child] of left.entries()) {
    const other = right[i]
    if (!other || other.type !== child.type) return `box '${child.type}' is missing`
    if (!same(a.subarray(child.start, child.end), b.subarray(other.start, other.end))) return `'${child.type}' changed`
  }
  return left.length === right.length ? undefined : `box '${right[left.length]?.type}' was added`
}

/** Compares the flags, language, matrix and other fields of a header, without its times. */
function compareHeaders(type: string, [a, was]: Side, [b, is]: Side): string | undefined {
  const without = (bytes: Uint8Array, parent: Box) => {
    const header = findBox(bytes, parent, type)
    const copy = header ? bytes.slice(header.body, header.end) : new Uint8Array()
    const times = TIMES[type]?.[copy[0] === 1 ? 1 : 0]
    return times ? copy.fill(0, ...times) : copy
  }
  return same(without(a, was), without(b, is)) ? undefined : `'${type}' changed`
}

export const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])
