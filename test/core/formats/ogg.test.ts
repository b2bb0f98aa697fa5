import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64Of } from '../../../src/core/bytes/base64.ts'
import { concat } from '../../../src/core/bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import { oggCrc } from '../../../src/core/containers/ogg/crc.ts'
import type { OggPage } from '../../../src/core/containers/ogg/page.ts'
import { pagesOf } from '../../../src/core/containers/ogg/read-pages.ts'
import { ogg, opus } from '../../../src/core/formats/ogg/ogg.ts'
import { verifyOgg } from '../../../src/core/formats/ogg/verify.ts'
import type { InnerResult } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { flacFile, pictureBlock } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import {
  OPUS_SAMPLES,
  oggPages,
  opusFile,
  opusHead,
  opusPacket,
  opusTags,
  randomBytes,
  type TestPage,
  vorbisFile,
  vorbisHeaders,
  vorbisPacket,
} from '../../support/ogg-file.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { optionsFor, press } from './media-fixtures.ts'

const pressOgg = (bytes: Uint8Array) => press(ogg, bytes, 'medium', 'ogg')
const pressOpus = (bytes: Uint8Array) => press(opus, bytes, 'medium', 'opus')
const { signal } = new AbortController()

async function pages(bytes: Uint8Array): Promise<OggPage[]> {
  const all: OggPage[] = []
  for await (const page of pagesOf(memorySource(bytes, 'a'), signal))
    all.push({ ...page, lacing: page.lacing.slice(), body: page.body.slice() })
  return all
}

/** Packets of one stream, joined from its pages. */
async function packets(bytes: Uint8Array, serial = 7): Promise<string[]> {
  const all: string[] = []
  let open = ''
  for (const page of await pages(bytes)) {
    if (page.serial !== serial) continue
    let at = 0
    for (const length of page.lacing) {
      open += latin1Of(page.body.subarray(at, at + length))
      at += length
      if (length === 255) continue
      all.push(open)
      open = ''
    }
  }
  return all
}

const verdict = (original: Uint8Array, result: Uint8Array) =>
  verifyOgg(memorySource(original, 'a'), memorySource(result, 'b'), optionsFor('medium', 'ogg'))

describe('Ogg pages', () => {
  it('have the checksum of a page that libopus wrote', () => {
    const hex = '4f676753000200000000000000008f5bc34b0000000036f85c3501134f707573486561640102380180bb0000000000'
    const page = Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16))
    const stored = new DataView(page.buffer).getUint32(22, true)
    page.fill(0, 22, 26)
    expect(oggCrc(page)).toBe(stored)
  })

  it('are recognised with and without Opus', async () => {
    expect((await identify(memorySource(opusFile(3), 'a')))?.id).toBe('opus')
    expect((await identify(memorySource(vorbisFile(3), 'a')))?.id).toBe('ogg')
    expect((await identify(memorySource(latin1Bytes('OggS is the capture pattern of an Ogg page'), 'a.txt')))?.id).toBe('text')
  })
})

describe('Ogg sound', () => {
  it.each([
    ['Opus', opusFile(700), pressOpus],
    ['Opus with several packets a page', opusFile(700, 7), pressOpus],
    ['Vorbis', vorbisFile(700), pressOgg],
    ['Vorbis with several packets a page', vorbisFile(700, 9), pressOgg],
  ] as const)('keeps every packet of %s in fewer pages', async (_, bytes, run) => {
    const { outcome, bytes: result } = await run(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { audio_tracks: 1, durations: 1 } })
    expect(outcome).not.toHaveProperty('loss')
    expect((await packets(result)).slice(2)).toEqual((await packets(bytes)).slice(2))
    expect((await pages(result)).length).toBeLessThan((await pages(bytes)).length / 3)
  })

  it('tells the position of the last packet on each new page, and numbers pages in order', async () => {
    const result = await pages((await pressOpus(opusFile(700))).bytes)
    let ended = 0
    for (const [i, { lacing, granule, sequence, flags }] of result.entries()) {
      expect(sequence).toBe(i)
      if (i < 2) continue
      ended += lacing.length
      expect(flags).toBe(i === result.length - 1 ? 4 : 0)
      expect(granule).toBe(BigInt(ended * OPUS_SAMPLES - (ended === 700 ? 100 : 0)))
    }
  })

  it('writes the headers to pages of their own', async () => {
    const result = await pages((await pressOgg(vorbisFile(300))).bytes)
    expect(result[0]).toMatchObject({ flags: 2, granule: 0n })
    expect(result[0]!.lacing).toHaveLength(1)
    expect(result[1]!.lacing.filter((length) => length < 255)).toHaveLength(2)
    expect(result[1]!.granule).toBe(0n)
    expect(result[2]!.flags).toBe(0)
  })

  it('keeps positions that tell gaps and offsets', async () => {
    const positions = [1000, 1960, 9000, 9960, 10_920]
    const bytes = oggPages([
      { flags: 2, packets: [opusHead()] },
      { packets: [opusTags([], new Uint8Array(300))] },
      ...positions.map((granule, i) => ({ granule, packets: [opusPacket(50, i)], flags: i === 4 ? 4 : 0 })),
    ])
    const result = await pages((await pressOpus(bytes)).bytes)
    // The first page is 40 samples late, and the third one is behind a gap.
    expect(result.slice(2).map(({ granule }) => Number(granule))).toEqual([1000, 1960, 9000, 10_920])
  })

  it('keeps the order of packets of two streams, and pages of streams it does not know', async () => {
    const film = (i: number): TestPage => ({ serial: 8, granule: i, packets: [randomBytes(40, i)], flags: i === 0 ? 2 : 0 })
    const sound = (i: number): TestPage => ({ granule: i * OPUS_SAMPLES, packets: [opusPacket(60, i)] })
    const bytes = oggPages([
      film(0),
      { flags: 2, packets: [opusHead()] },
      { packets: [opusTags([], new Uint8Array(300))] },
      sound(1),
      sound(2),
      film(1),
      sound(3),
      sound(4),
      film(2),
    ])
    const { outcome, bytes: result } = await pressOgg(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { audio_tracks: 1, other_tracks: 1 } })
    expect((await pages(result)).map(({ serial, lacing }) => [serial, lacing.length])).toEqual([
      [8, 1],
      [7, 1],
      [7, 1],
      [7, 2],
      [8, 1],
      [7, 2],
      [8, 1],
    ])
    expect(await packets(result, 8)).toEqual(await packets(bytes, 8))
  })

  it('keeps chained streams apart', async () => {
    const bytes = concat([opusFile(300), opusFile(200), vorbisFile(100)])
    const { outcome, bytes: result } = await pressOpus(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { audio_tracks: 3, durations: 3 } })
    expect((await pages(result)).filter(({ flags }) => flags & 2)).toHaveLength(3)
    expect((await pages(result)).filter(({ flags }) => flags & 4)).toHaveLength(3)
  })

  it('keeps packets that are longer than a page', async () => {
    const long = opusPacket(150_000, 3)
    const [lacing, body] = [new Array<number>(255).fill(255), long.subarray(0, 65_025)]
    const rest = long.subarray(130_050)
    const bytes = oggPages([
      { flags: 2, packets: [opusHead()] },
      { packets: [opusTags([], new Uint8Array(600))] },
      { granule: -1, lacing, body },
      { granule: -1, lacing, body: long.subarray(65_025, 130_050), flags: 1 },
      { granule: OPUS_SAMPLES, packets: [rest], flags: 1 },
      { granule: 2 * OPUS_SAMPLES, packets: [opusPacket(60, 1)], flags: 4 },
    ])
    const { outcome, bytes: result } = await pressOpus(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect((await packets(result)).slice(2)).toEqual((await packets(bytes)).slice(2))
  })

  it('ends a stream that ended with an empty page', async () => {
    const end = (granule: number) =>
      oggPages([
        { flags: 2, packets: [opusHead()] },
        { packets: [opusTags([], new Uint8Array(300))] },
        { granule: OPUS_SAMPLES, packets: [opusPacket(60, 1)] },
        { granule, flags: 4 },
      ])
    const regular = await pages((await pressOpus(end(OPUS_SAMPLES))).bytes)
    expect(regular.at(-1)).toMatchObject({ flags: 4, granule: BigInt(OPUS_SAMPLES) })
    expect(regular).toHaveLength(3)
    const trimmed = await pages((await pressOpus(end(500))).bytes)
    expect(trimmed.slice(2).map(({ flags, granule }) => [flags, Number(granule)])).toEqual([
      [0, OPUS_SAMPLES],
      [4, 500],
    ])
  })

  it('writes any packets so that they are read again as they were', async () => {
    const packet = fc.record({ length: fc.integer({ min: 2, max: 900 }), mode: fc.constantFrom(0 as const, 1 as const) })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(packet, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 }), async (all) => {
        const [first, comment, setup] = vorbisHeaders()
        let [position, before, seed] = [0, 0, 0]
        const sound = all.map((row, i) => {
          const made = row.map(({ length, mode }) => {
            const size = mode === 0 ? 256 : 2048
            if (before > 0) position += (before + size) / 4
            before = size
            return vorbisPacket(mode, length, seed++)
          })
          return { packets: made, granule: position, flags: i === all.length - 1 ? 4 : 0 }
        })
        const bytes = oggPages([{ flags: 2, packets: [first] }, { packets: [concat([comment, new Uint8Array(300)]), setup] }, ...sound])
        const { outcome, bytes: result } = await pressOgg(bytes)
        expect(outcome.kind).toBe('compressed')
        expect((await packets(result)).slice(2)).toEqual((await packets(bytes)).slice(2))
        expect((await pages(result)).at(-1)!.granule).toBe(BigInt(position))
      }),
      { numRuns: 25 },
    )
  })
})

/** Ogg file with the blocks and the frame of a FLAC file (RFC 9639, section 10.1). */
function oggFlac(blocks: readonly (readonly [type: number, body: Uint8Array])[]): Uint8Array {
  const native = flacFile(new Int32Array(8000).fill(5), { blocks: [] })
  const info = concat([latin1Bytes('\x7fFLAC\x01\0'), Uint8Array.of(0, blocks.length), latin1Bytes('fLaC'), Uint8Array.of(0, 0, 0, 34)])
  const block = ([type, body]: readonly [number, Uint8Array], isLast: boolean) =>
    concat([Uint8Array.of(type | (isLast ? 128 : 0), 0, body.length >> 8, body.length & 255), body])
  return oggPages([
    { flags: 2, packets: [concat([info, native.subarray(8, 42)])] },
    { packets: blocks.map((each, i) => block(each, i === blocks.length - 1)) },
    { packets: [native.subarray(42)], granule: 4000, flags: 4 },
  ])
}

describe('headers of Ogg sound', () => {
  it('Opus loses padding, and keeps bytes that are marked as content', async () => {
    const kept = await pressOpus(opusFile(20, 5, opusTags(['TITLE=Song'], Uint8Array.of(1, 2, 3))))
    expect((await packets(kept.bytes))[1]).toBe(latin1Of(opusTags(['TITLE=Song'], Uint8Array.of(1, 2, 3))))
    const dropped = await pressOpus(opusFile(20, 5))
    expect((await packets(dropped.bytes))[1]).toBe(latin1Of(opusTags(['TITLE=Song', 'R128_TRACK_GAIN=-256'])))
    expect(inEnglish(dropped.outcome)).toMatchObject({ steps: [expect.stringMatching(/^6 Ogg pages/), expect.stringMatching(/padding/)] })
  })

  it('FLAC loses padding blocks, and the number of blocks and the last one are right', async () => {
    const comment = [4, concat([Uint8Array.of(1, 0, 0, 0), latin1Bytes('v'), new Uint8Array(4)])] as const
    const bytes = oggFlac([comment, pictureBlock(randomBytes(40, 1)), [1, new Uint8Array(900)]])
    const { outcome, bytes: result } = await pressOgg(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { covers: 1 } })
    const all = await packets(result)
    expect(all[0]!.charCodeAt(8)).toBe(2)
    expect([all[1]!.charCodeAt(0), all[2]!.charCodeAt(0)]).toEqual([4, 0x86])
    expect(all[3]).toBe((await packets(bytes))[4])
  })

  it('covers become smaller without loss', async () => {
    const [picture] = [pictureBlock(randomBytes(500, 1))[1]]
    const bytes = vorbisFile(50, 10, ['TITLE=Song', `metadata_block_picture=${base64Of(picture)}`])
    const smaller: InnerResult = {
      kind: 'compressed',
      bytes: Uint8Array.of(1, 2, 3),
      output: 'png',
      outcome: { kind: 'compressed', steps: [] },
    }
    const inner = { depth: 0, compress: async () => smaller }
    const options = { ...optionsFor('medium', 'ogg'), inner }
    const chunks: Uint8Array[] = []
    const sink = {
      written: 0,
      write: async (chunk: Uint8Array) => void chunks.push(chunk),
      patch: () => undefined,
      abort: async () => undefined,
    }
    const outcome = await ogg.compress(memorySource(bytes, 'a'), sink, options)
    expect(inEnglish(outcome)).toMatchObject({ steps: expect.arrayContaining(['1 cover pictures recompressed losslessly']) })
    const result = concat(chunks)
    expect((await packets(result))[1]!.length).toBeLessThan(500)
    expect(await verdict(bytes, result)).toEqual({ equal: true })
  })

  it.each(['safe', 'strip'] as const)('metadata=%s removes comments, and keeps loudness and chapters', async (metadata) => {
    const tags = ['TITLE=private', 'COPYRIGHT=Mine', 'R128_TRACK_GAIN=-256', 'CHAPTER001=00:00:01.000', 'METADATA_BLOCK_PICTURE=AAAA']
    const { outcome, bytes } = await pressFile(opus, opusFile(20, 5, opusTags(tags)), 'a.opus', { metadata, quality: 'medium' })
    expect(outcome).toMatchObject({ kind: 'compressed', metadata, removed: expect.anything() })
    const [, found] = await packets(bytes)
    expect(found).not.toContain('private')
    expect(found).toMatch(/R128_TRACK_GAIN=-256.*CHAPTER001/s)
    expect(/Mine.*PICTURE/s.test(found!)).toBe(metadata === 'safe')
  })
})

describe('verification of Ogg', () => {
  const original = opusFile(40)
  const edited = async (change: (all: TestPage[]) => void) => {
    const all = (await pages((await pressOpus(original)).bytes)).map(({ flags, granule, lacing, body }) => ({
      flags,
      granule,
      lacing: [...lacing],
      body,
    }))
    change(all)
    return await verdict(original, oggPages(all))
  }

  it('accepts the result itself', async () => expect(await edited(() => undefined)).toEqual({ equal: true }))

  it.each([
    ['a changed byte', (all: TestPage[]) => all[2]!.body!.fill(9, 5, 6)],
    ['a shifted position', (all: TestPage[]) => void (all[2] = { ...all[2]!, granule: 5 })],
    ['a shifted end', (all: TestPage[]) => void (all[3] = { ...all[3]!, granule: 40 * OPUS_SAMPLES })],
    ['a missing end mark', (all: TestPage[]) => void (all[3] = { ...all[3]!, flags: 0 })],
    ['a missing page', (all: TestPage[]) => void all.pop()],
    ['a lost comment', (all: TestPage[]) => void (all[1] = { packets: [opusTags(['TITLE=Song'])] })],
    ['other lengths of packets', (all: TestPage[]) => void (all[2] = { ...all[2]!, lacing: [91, 90, ...all[2]!.lacing!.slice(2)] })],
  ] as [string, (all: TestPage[]) => void][])('finds %s', async (_, change) => {
    const found = await edited((all) => {
      expect(all).toHaveLength(4)
      for (const [i, page] of all.entries()) if (page.body) all[i] = { ...page, body: page.body.slice() }
      change(all)
    })
    expect(found).toMatchObject({ equal: false })
  })
})

describe('damaged Ogg files', () => {
  const start: TestPage[] = [{ flags: 2, packets: [opusHead()] }, { packets: [opusTags([], new Uint8Array(300))] }]
  const page = (i: number, more: TestPage = {}): TestPage => ({ granule: i * OPUS_SAMPLES, packets: [opusPacket(60, i)], ...more })
  const cut = (bytes: Uint8Array, by: number) => bytes.slice(0, bytes.length - by)

  it.each([
    ['a cut page', cut(oggPages([...start, page(1)]), 5), 'malformed'],
    ['a wrong checksum', oggPages([...start, page(1)]).map((byte, i) => (i === 60 ? byte ^ 1 : byte)), 'malformed'],
    ['other data between pages', concat([oggPages(start), latin1Bytes('junk'), oggPages([page(1)])]), 'malformed'],
    ['pages of no stream', oggPages([...start, page(1, { serial: 9 })]), 'malformed'],
    ['a missing page', concat([oggPages(start), oggPages([page(1), page(2), page(3)]).subarray(88)]), 'malformed'],
    [
      'a packet that does not continue',
      oggPages([...start, page(1, { lacing: [255], packets: [], body: opusPacket(255, 1), granule: -1 }), page(2)]),
      'malformed',
    ],
    ['two streams with one serial number', oggPages([start[0]!, ...start]), 'malformed'],
    ['pages behind the end', oggPages([...start, page(1, { flags: 4 }), page(2)]), 'malformed'],
    ['headers without an end', oggPages([start[0]!, { lacing: [255], body: new Uint8Array(255), granule: -1 }]), 'malformed'],
    [
      'sound on the page of the headers',
      oggPages([start[0]!, { packets: [opusTags(), opusPacket(60, 1)] }, page(2)]),
      'unsupported_feature',
    ],
    [
      'a position without a packet',
      oggPages([...start, { lacing: [255], body: opusPacket(255, 1), granule: 960 }, page(1, { flags: 1 })]),
      'unsupported_feature',
    ],
    [
      'an index of byte positions',
      oggPages([{ flags: 2, packets: [concat([latin1Bytes('fishead\0'), Uint8Array.of(4, 0, 0, 0)])] }]),
      'unsupported_feature',
    ],
    [
      '65 streams',
      oggPages(Array.from({ length: 65 }, (_, serial) => ({ flags: 2, serial, packets: [opusHead()] }))),
      'unsupported_feature',
    ],
    [
      'headers of 17 MiB',
      oggPages([
        start[0]!,
        ...Array.from({ length: 275 }, (_, i) => ({
          lacing: new Array<number>(255).fill(255),
          body: new Uint8Array(65_025),
          granule: -1,
          flags: i > 0 ? 1 : 0,
        })),
      ]),
      'over_budget',
    ],
  ] as const)('with %s stay unchanged', async (_, bytes, reason) => {
    const { outcome, bytes: result } = await pressOgg(bytes)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason, detail: expect.anything() })
    expect(result).toBe(bytes)
  })

  it('of a million tiny pages are repacked, or stay', async () => {
    const empty = Array.from({ length: roundsOf(40_000) }, (): TestPage => ({ granule: -1 }))
    const { outcome, bytes } = await pressOpus(oggPages([...start, ...empty, page(1, { flags: 4 })]))
    expect(outcome.kind).toBe('compressed')
    expect(await pages(bytes)).toHaveLength(3)
  })

  it('give an outcome, never another error', async () => {
    const whole = vorbisFile(60, 4)
    for (let round = 0; round < roundsOf(400); round++) {
      const [at, length] = [(round * 37) % whole.length, 1 + (round % 9)]
      const damaged = concat([whole.subarray(0, at), randomBytes(length, round), whole.subarray(at + (round % 3) * length)])
      expect(['compressed', 'unchanged']).toContain((await pressOgg(damaged)).outcome.kind)
    }
  })
})
