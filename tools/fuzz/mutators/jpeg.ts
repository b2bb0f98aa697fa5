/** Mutates JPEG files: segments and their lengths, fields of frames, tables and scans, and entropy-coded data without false markers. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

/** A marker segment with its parameters, and the entropy-coded data after it. */
interface Segment {
  readonly marker: number
  readonly data: Uint8Array
  readonly coded: Uint8Array
}

const [SOI, EOI, SOS, DRI, COM] = [0xd8, 0xd9, 0xda, 0xdd, 0xfe]
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca]
const MARKERS = [...FRAMES, 0xc4, 0xdb, SOS, DRI, COM, 0xdc, 0xe0, 0xe1, 0xe2, 0xeb, 0xee]
const standsAlone = (marker: number) => (marker >= 0xd0 && marker <= EOI) || marker === 1

export function segmentsOf(file: Uint8Array): Segment[] {
  const segments: Segment[] = []
  let at = 0
  while (at + 1 < file.length) {
    const marker = file[at + 1]!
    const length = standsAlone(marker) ? 0 : ((file[at + 2] ?? 0) << 8) | (file[at + 3] ?? 0)
    const end = Math.min(file.length, at + 2 + length)
    let next = end
    const isMarker = () => file[next] === 0xff && file[next + 1] !== 0 && file[next + 1] !== undefined && !isRestart(file[next + 1]!)
    while (next < file.length && !isMarker()) next++
    segments.push({ marker, data: file.slice(Math.min(end, at + (length > 0 ? 4 : 2)), end), coded: file.slice(end, next) })
    at = Math.max(next, at + 2)
  }
  return segments
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

export function jpegOfSegments(segments: readonly Segment[]): Uint8Array {
  return concat(
    segments.flatMap(({ marker, data, coded }) => {
      const length = data.length + 2
      const head = standsAlone(marker) ? [0xff, marker] : [0xff, marker, (length >> 8) & 255, length & 255]
      return [Uint8Array.from(head), data, coded]
    }),
  )
}

/** Stuffs accidental marker bytes, so that the scan does not end there. */
function stuffed(coded: Uint8Array): Uint8Array {
  const bytes = [...coded]
  return Uint8Array.from(
    bytes.flatMap((byte, i) => (byte === 0xff && bytes[i + 1] !== 0 && !isRestart(bytes[i + 1] ?? 0) ? [byte, 0] : [byte])),
  )
}

function changed(segments: readonly Segment[], random: Random): Segment[] {
  const one = (wanted: (segment: Segment) => boolean, change: (segment: Segment) => Segment) => {
    const found = segments.filter(wanted)
    const chosen = found[random.below(found.length)]
    return segments.map((segment) => (segment === chosen ? change(segment) : segment))
  }
  const field = (segment: Segment) => ({
    ...segment,
    data: withNumber(segment.data, random.below(Math.min(20, segment.data.length)), random.pick([1, 1, 2]), false, random),
  })
  switch (random.below(7)) {
    case 0:
      return withRearrangedItems(segments, random)
    case 1:
      return one(({ marker }) => FRAMES.includes(marker), field)
    case 2:
      return one(({ marker }) => marker === SOS, field)
    case 3:
      return one(
        ({ coded }) => coded.length > 0,
        (segment) => ({ ...segment, coded: stuffed(withDamage(segment.coded, random)) }),
      )
    case 4:
      return withOne(segments, random, (segment) => (standsAlone(segment.marker) ? segment : { ...segment, marker: random.pick(MARKERS) }))
    case 5: {
      const made = {
        marker: random.pick([DRI, COM, 0xe1, 0xe2, 0xdc]),
        data: random.bytes(random.pick([2, 4, 30])),
        coded: new Uint8Array(),
      }
      return segments.toSpliced(1 + random.below(segments.length), 0, made)
    }
    default:
      return withOne(segments, random, (segment) => ({ ...segment, data: withDamage(segment.data, random).slice(0, 65_000) }))
  }
}

export const JPEG_MUTATOR: Mutator = {
  container: 'JPEG',
  formats: ['jpg'],
  mutate: (file, random) => (file[1] === SOI ? jpegOfSegments(changed(segmentsOf(file), random)) : withDamage(file, random)),
}
