/** Reads short samples and headers of samples: chapter titles, time codes, colours of ProRes. */

import type { Reading } from '../media/media-reader.ts'
import { be16, be32, be64, nameAt, seconds, textOf } from '../media/numbers.ts'
import { type Box, bodyOf } from './boxes.ts'
import type { Colours } from './colours.ts'
import { sampleCount } from './times.ts'
import type { Track } from './track.ts'

/** Chapters whose title is read: each costs one short read, because players store titles between the media. */
const MAX_TITLES = 256
const MAX_SAMPLE_BYTES = 1024
const MAX_TABLE_BYTES = 64 * 1024

interface Sample {
  readonly offset: number
  readonly size: number
}

/** Positions of the first samples of a track, from `stsc`, `stsz` and `stco` (ISO/IEC 14496-12, 8.7). */
async function firstSamples({ view }: Reading, stbl: ReadonlyMap<string, Box>, most: number): Promise<Sample[]> {
  const table = async (type: string) => {
    const box = stbl.get(type)
    return box ? bodyOf(view, box, MAX_TABLE_BYTES) : new Uint8Array()
  }
  const [runs, sizes] = [await table('stsc'), await table('stsz')]
  const wide = stbl.has('co64')
  const offsets = await table(wide ? 'co64' : 'stco')
  const count = Math.min(most, await sampleCount(view, stbl))
  const sizeOf = (sample: number) => be32(sizes, 4) || be32(sizes, 12 + 4 * sample)
  const found: Sample[] = []
  let run = 0
  for (let chunk = 0; found.length < count && chunk < be32(offsets, 4) && 8 + chunk * 4 < offsets.length; chunk++) {
    while (20 + 12 * run < runs.length && run + 1 < be32(runs, 4) && be32(runs, 8 + 12 * (run + 1)) <= chunk + 1) run++
    let offset = wide ? be64(offsets, 8 + 8 * chunk) : be32(offsets, 8 + 4 * chunk)
    for (let left = be32(runs, 12 + 12 * run); left > 0 && found.length < count; left--) {
      const size = sizeOf(found.length)
      found.push({ offset, size })
      offset += size
    }
  }
  return found
}

/** Reads the titles of a chapter track (`chap` reference, QuickTime File Format, "Chapter Lists"), with the times of `stts`. */
export async function readChapters(reading: Reading, track: Track): Promise<void> {
  const { source, items, view } = reading
  const stts = track.stbl.get('stts')
  const table = stts ? await bodyOf(view, stts, MAX_TABLE_BYTES) : new Uint8Array()
  const starts: number[] = []
  let time = 0
  for (let row = 0; row < be32(table, 4) && starts.length < track.times.samples && starts.length < MAX_CHAPTERS; row++) {
    if (8 + 8 * row >= table.length) break
    for (let left = be32(table, 8 + 8 * row); left > 0 && starts.length < MAX_CHAPTERS; left--) {
      starts.push(time)
      time += be32(table, 12 + 8 * row)
    }
  }
  const places = await firstSamples(reading, track.stbl, MAX_TITLES)
  for (const [i, start] of starts.entries()) {
    const place = places[i]
    const sample = place ? await source.read(place.offset, Math.min(place.size, MAX_SAMPLE_BYTES)) : new Uint8Array()
    items.add('chapters', `${i} = ${seconds(start / track.timescale)} ${titleOf(sample)}`)
  }
}

const MAX_CHAPTERS = 4096

/** Text sample: length of two bytes, then UTF-8 or UTF-16 with a byte order mark. */
function titleOf(sample: Uint8Array): string {
  const text = sample.subarray(2, 2 + be16(sample, 0))
  return be16(text, 0) === 0xfeff ? new TextDecoder('utf-16be').decode(text.subarray(2)) : textOf(text)
}

/** Nero chapters (`chpl`): version, flags, a reserved byte, a count, then time in 100 ns and title of each. */
export async function readChapterList({ view, items }: Reading, chpl: Box): Promise<void> {
  const body = await bodyOf(view, chpl, 1024 * 1024)
  let at = body[0] === 1 ? 9 : 5
  const count = body[at - 1] ?? 0
  for (let i = 0; i < count && at + 9 <= body.length; i++) {
    const length = body[at + 8]!
    items.add('chapters', `${i} = ${seconds(be64(body, at) / 1e7)} ${textOf(body.subarray(at + 9, at + 9 + length))}`)
    at += 9 + length
  }
}

/** Returns the time code of a `tmcd` track: frame number of the first sample, with rate and flags. `undefined`: none. */
export async function timecodeOf(reading: Reading, { entries, stbl }: Track): Promise<string | undefined> {
  const [entry] = entries
  const [sample] = await firstSamples(reading, stbl, 1)
  if (entry?.type !== 'tmcd' || !sample) return undefined
  const fields = await bodyOf(reading.view, entry, 32)
  const frame = be32(await reading.source.read(sample.offset, 4), 0)
  const rate = `${be32(fields, 16)}/${be32(fields, 20)}`
  return `frame ${frame} of ${fields[24] ?? 0} a second (${rate}${be32(fields, 12) & 1 ? ', drop frame' : ''})`
}

/** Sample entries of ProRes. */
const PRORES = /^ap(?:c[hnos]|4[hx])$/
/** Size, mark and header of a frame up to its colours, each of which has one byte (SMPTE RDD 36, 5.1 and 5.1.1). */
const PRORES_HEADER_BYTES = 25
const PRORES_COLOURS_AT = 22

/** Returns the colours that the first frame of a ProRes track tells. Empty: another format, or the frame cannot be read. */
export async function frameColours(reading: Reading, { entries, stbl }: Track): Promise<Colours> {
  if (!PRORES.test(entries[0]?.type ?? '')) return {}
  const [sample] = await firstSamples(reading, stbl, 1)
  if (!sample) return {}
  const frame = await reading.view.bytesUpTo(sample.offset, Math.min(sample.size, PRORES_HEADER_BYTES))
  if (frame.length < PRORES_HEADER_BYTES || nameAt(frame, 4) !== 'icpf') return {}
  const [primaries, transfer, matrix] = frame.subarray(PRORES_COLOURS_AT)
  return { primaries, transfer, matrix }
}
