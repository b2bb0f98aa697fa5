import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { flv } from '../../../src/core/formats/film/flv/flv.ts'
import { ts } from '../../../src/core/formats/film/ts/ts.ts'
import { readTsFilm } from '../../../src/core/formats/film/ts/ts-film.ts'
import { tsDifference } from '../../../src/core/formats/film/ts/verify.ts'
import { LAZY_MEDIA_CODECS } from '../../../src/core/formats/lazy-media.ts'
import { LAZY_PRESS_CODECS } from '../../../src/core/formats/lazy-press.ts'
import { libraryOf } from '../../../src/core/library.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { adtsFrame, language, TsPackets, type TsStream, tsOf } from '../../support/ts-file.ts'
import { flvFromMp4, flvTag, SOUND_PID, STREAMS, tsFromMp4, tsUnitsOf, VIDEO_PID } from '../../support/ts-from-mp4.ts'
import { press, rawMovie } from './media-fixtures.ts'

const AS_MP4 = { output: 'mp4', lossless: true } as const
const pressed = (bytes: Uint8Array, codec = ts) => pressFile(codec, bytes, codec === ts ? 'a.ts' : 'a.flv', AS_MP4)
const quiet = { signal: new AbortController().signal, progress: () => undefined }

let film: Uint8Array
beforeAll(async () => {
  film = (await press(mov, rawMovie(10), 'high', 'mp4')).bytes
})

/** Bytes, seconds and key flags of all samples of a track. */
async function samplesIn(bytes: Uint8Array, index: number) {
  using movie = await readMovie(memorySource(bytes, 'a.mp4'))
  const track = movie.tracks[index]!
  const { count, offset, size, dts, composition, sync } = track.samples()
  const empty = track.edits?.[0]?.mediaTime === -1 ? track.edits[0].duration / movie.timescale : 0
  const skipped = track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  return Array.from({ length: count }, (_, i) => ({
    bytes: [...bytes.subarray(offset[i]!, offset[i]! + size[i]!)],
    seconds: empty + (dts[i]! + composition[i]! - skipped) / track.timescale,
    isKey: sync[i] !== 0,
  }))
}

const soundUnits = (count: number, times: (i: number) => number | undefined = (i) => 90_000 + i * 1920) =>
  Array.from({ length: count }, (_, i) => ({
    pid: SOUND_PID,
    bytes: adtsFrame(Uint8Array.from({ length: 90 }, (_, j) => (i * j) & 127)),
    pts: times(i),
  }))
const SOUND: readonly TsStream[] = [STREAMS[1]!]

describe('transport streams to MP4', () => {
  it.each([188, 192])('keep frames, times, keys and languages (packets of %i bytes)', async (step) => {
    const { outcome, bytes } = await pressed(await tsFromMp4(film, { step }))
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({
      kind: 'compressed',
      inventory: { video_tracks: 1, audio_tracks: 1, languages: 1 },
    })
    expect(outcome).not.toHaveProperty('loss')
    for (const index of [0, 1]) {
      const [before, after] = [await samplesIn(film, index), await samplesIn(bytes, index)]
      expect(after.length).toBe(before.length)
      // Delimiters stand in front of the units of the original.
      expect(after.map((one) => (index === 0 ? one.bytes.slice(6) : one.bytes))).toEqual(before.map((one) => one.bytes))
      expect(after.map(({ isKey }) => isKey)).toEqual(before.map(({ isKey }) => isKey))
      const shift = before[0]!.seconds - after[0]!.seconds
      for (const [i, one] of after.entries()) expect(Math.abs(one.seconds + shift - before[i]!.seconds)).toBeLessThan(0.001)
    }
  })

  it('continue times that wrap after 33 bits', async () => {
    const units = await tsUnitsOf(film, 2 ** 33 - 10_000)
    const { outcome, bytes } = await pressed(tsOf(STREAMS, units))
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    const times = (await samplesIn(bytes, 1)).map(({ seconds }) => seconds)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2)
  })

  it('keep a stream that begins between two key frames, and say that its pictures stay', async () => {
    // The first frame is the only key frame.
    const units = [...(await tsUnitsOf(film)).slice(1), ...(await tsUnitsOf(film, 126_000 + 180_000))]
    const result = await pressFile(ts, tsOf(STREAMS, units), 'a.ts', { output: 'mp4' })
    expect(JSON.stringify(inEnglish(result.outcome))).toContain('begins between two key frames')
    expect(result.outcome.kind).toBe('compressed')
  })

  it('list other streams as removed', async () => {
    const streams = [
      ...STREAMS,
      { pid: 0x120, type: 6, descriptors: concat([Uint8Array.of(0x59, 8, 0x66, 0x72, 0x61, 16, 0, 1, 0, 1), language('fra')]), id: 0xbd },
      { pid: 0x121, type: 0x86, id: 0xfc },
    ]
    const others = [0x120, 0x121].map((pid) => ({ pid, bytes: Uint8Array.of(32, 0, 15), pts: 126_000 }))
    const { outcome } = await pressed(tsOf(streams, [...(await tsUnitsOf(film)), ...others]))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      removed: [
        { kind: 'other_tracks', count: 1, why: 'output_cannot_store' },
        { kind: 'subtitle_tracks', count: 1, why: 'output_cannot_store' },
      ],
    })
  })

  it.each([
    ['AAC in LATM', [{ pid: SOUND_PID, type: 0x11, id: 0xc0 }], 'PID 257 (AAC in LATM)'],
    ['sound that is not named', [{ pid: SOUND_PID, type: 6, id: 0xc0 }], 'does not name'],
    ['sound without a map', [{ pid: 0x200, type: 0x0f, id: 0xc0 }], 'no program map describes it'],
  ])('refuse %s, and name the stream', async (_, streams, text) => {
    const bytes = tsOf(streams, soundUnits(40)).map((byte) => byte)
    const { outcome } = await pressed(concat([bytes]))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect(JSON.stringify(inEnglish(outcome))).toContain(text)
  })

  it('keep pictures that carry closed captions, wherever in the film they are', async () => {
    const caption = Uint8Array.of(0, 0, 0, 1, 6, 4, 14, 0xb5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0xc1, 0xff, 0xfc, 0x94, 0x2c, 0xff, 0x80)
    const long = (await press(mov, rawMovie(60), 'high', 'mp4')).bytes
    const units = await tsUnitsOf(long)
    const withCaption = ({ pid, bytes, pts }: (typeof units)[number], index: number) =>
      pid === VIDEO_PID && index >= units.length / 2
        ? { pid, pts, bytes: concat([bytes.subarray(0, 6), caption, bytes.subarray(6)]) }
        : { pid, bytes, pts }
    const whyKept = async (bytes: Uint8Array) => {
      const { outcome, bytes: made } = await pressFile(ts, bytes, 'a.ts', { output: 'mp4', quality: 'low' })
      return { text: JSON.stringify(inEnglish(outcome)), captions: Buffer.from(made).toString('latin1').split('GA94').length - 1 }
    }
    expect((await whyKept(tsOf(STREAMS, units))).text).not.toMatch(/closed captions/)
    const { text, captions } = await whyKept(tsOf(STREAMS, units.map(withCaption)))
    expect(text).toMatch(/video kept unchanged: the pictures carry closed captions/)
    expect(captions).toBeGreaterThan(20)
  })

  it('refuse scrambled packets', async () => {
    const bytes = tsOf(SOUND, soundUnits(40))
    for (let at = 2 * 188; at < bytes.length; at += 188) bytes[at + 3]! |= 0x80
    expect((await pressed(bytes)).outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted' })
  })

  it('join frames across PES packets, and skip packets that were sent twice', async () => {
    const whole = concat(soundUnits(40).map(({ bytes }) => bytes))
    const units = Array.from({ length: 10 }, (_, i) => ({
      pid: SOUND_PID,
      bytes: whole.slice(i * 388, (i + 1) * 388),
      pts: i === 0 ? 90_000 : undefined,
    }))
    const bytes = tsOf(SOUND, units)
    const packets = Array.from({ length: bytes.length / 188 }, (_, i) => bytes.subarray(188 * i, 188 * (i + 1)))
    const twice = concat(packets.flatMap((packet, i) => (i % 3 === 2 ? [packet, packet] : [packet])))
    const { outcome, bytes: made } = await pressed(twice)
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    expect((await samplesIn(made, 0)).map((one) => one.bytes)).toEqual(soundUnits(40).map((one) => [...one.bytes.subarray(7)]))
  })

  it('count missing packets and broken frames', async () => {
    const bytes = tsOf(SOUND, soundUnits(400))
    const { outcome } = await pressed(concat([bytes.subarray(0, 188 * 50), bytes.subarray(188 * 51)]))
    expect(JSON.stringify(inEnglish(outcome))).toContain('missing in 1 places')
  })

  it('refuse two programs with content', async () => {
    const packets = new TsPackets()
    const first = tsOf(SOUND, soundUnits(40))
    const second = tsOf(
      [{ ...SOUND[0]!, pid: 0x300 }],
      soundUnits(40).map((one) => ({ ...one, pid: 0x300 })),
      { program: 2 },
    )
    // Both maps have the same PID.
    packets.packets.push(first, second)
    const { outcome } = await pressed(packets.bytes())
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('are recognised, and need a named output', async () => {
    const format = await identify(memorySource(tsOf(SOUND, soundUnits(40)), 'code.ts'))
    expect(format).toMatchObject({ id: 'ts', isOnRequest: true, outputs: ['mp4', 'zst', 'br', 'gz'] })
  })

  it('are packed as data by `zst`, and receipts of both forms are true', async () => {
    const { compress, verify } = libraryOf({ ...LAZY_PRESS_CODECS, ...LAZY_MEDIA_CODECS })
    const bytes = tsOf(SOUND, soundUnits(40))
    for (const [output, format] of [
      [undefined, 'unknown'],
      ['zst', 'data'],
      ['mp4', 'ts'],
    ] as const) {
      const { receipt, result } = await compress(bytes, { name: 'a.ts', ...(output && { output }) })
      expect(receipt.format).toBe(format)
      const { findings } = await verify(bytes, await readAll(result), receipt)
      expect(findings.filter(({ verdict }) => verdict === 'false')).toEqual([])
    }
  })

  it('find each change of a sample', async () => {
    const source = await tsFromMp4(film)
    const { bytes } = await pressed(source)
    using movie = await readMovie(memorySource(bytes, 'a.mp4'))
    const { offset, size, count } = movie.tracks[0]!.samples()
    await fc.assert(
      fc.asyncProperty(fc.nat(count - 1), fc.nat(), async (sample, at) => {
        const changed = bytes.slice()
        changed[offset[sample]! + (at % size[sample]!)]! ^= 1
        expect(await tsDifference(memorySource(source, 'a.ts'), memorySource(changed, 'a.mp4'), quiet, true)).toBeDefined()
      }),
      { numRuns: roundsOf(20) },
    )
  })

  it.each([
    ['the last picture has lost its start code', 1737, 1],
    ['the only frame of sound is inside a header', 1299, 16],
    ['the only frame of sound has one byte', 1310, 0],
    ['the last picture is inside a header', 1724, 156],
  ])('stay unchanged with a reason if %s (ts-lost-frames)', async (_, at, byte) => {
    const changed = (await tsFromMp4(film)).slice(0, 2000)
    changed[at] = byte
    const { outcome, defect } = await pressed(changed)
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: { code: 'ts_lost_frames' } })
  })

  it('never fail in another way than by a reason', async () => {
    const source = await tsFromMp4(film)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(source.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(source.length),
        async (changes, cut) => {
          const changed = source.slice(0, Math.max(2000, cut))
          for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte
          const { outcome, defect } = await pressed(changed)
          expect(defect).toBeUndefined()
          expect(['compressed', 'unchanged']).toContain(outcome.kind)
        },
      ),
      { numRuns: roundsOf(60) },
    )
  })

  it('read a million tiny packets', async () => {
    const packet = new Uint8Array(188).fill(0xff)
    packet.set([0x47, 1, 0, 0x30, 182, 0])
    const tables = tsOf([{ pid: 0x100, type: 0x1b }], [])
    const rounds = roundsOf(1000)
    const bytes = concat([tables, ...Array.from({ length: rounds * 100 }, () => packet)])
    expect((await pressed(bytes)).outcome).toMatchObject({ kind: 'unchanged' })
    await expect(readTsFilm(memorySource(bytes, 'a.ts'), quiet.signal)).rejects.toThrow()
  })
})

describe('Flash video to MP4', () => {
  it('keeps frames, times and keys, and lists script data as removed', async () => {
    const { outcome, bytes } = await pressed(await flvFromMp4(film), flv)
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({
      kind: 'compressed',
      inventory: { video_tracks: 1, audio_tracks: 1 },
      removed: [{ kind: 'other_tracks', count: 1, why: 'output_cannot_store' }],
    })
    for (const index of [0, 1]) {
      const [before, after] = [await samplesIn(film, index), await samplesIn(bytes, index)]
      expect(after.map((one) => one.bytes)).toEqual(before.map((one) => one.bytes))
      expect(after.map(({ isKey }) => isKey)).toEqual(before.map(({ isKey }) => isKey))
    }
  })

  it.each([
    ['Sorenson H.263', 9, Uint8Array.of(0x22, 0, 0, 0)],
    ['VP6', 9, Uint8Array.of(0x24, 0, 0, 0)],
    ['Speex', 8, Uint8Array.of(0xb2, 0, 0, 0)],
  ])('refuses %s by name', async (name, type, content) => {
    const file = concat([await flvFromMp4(film).then((bytes) => bytes.subarray(0, 13)), flvTag(type, 0, content)])
    const { outcome } = await pressed(file, flv)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect(JSON.stringify(inEnglish(outcome))).toContain(name)
  })

  it('never fails in another way than by a reason', async () => {
    const source = await flvFromMp4(film)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(source.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(source.length),
        async (changes, cut) => {
          const changed = source.slice(0, Math.max(20, cut))
          for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte
          const { outcome, defect } = await pressed(changed, flv)
          expect(defect).toBeUndefined()
          expect(['compressed', 'unchanged']).toContain(outcome.kind)
        },
      ),
      { numRuns: roundsOf(60) },
    )
  })
})
