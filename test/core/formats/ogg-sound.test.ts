import { describe, expect, it } from 'vitest'
import { base64Of } from '../../../src/core/bytes/base64.ts'
import { concat } from '../../../src/core/bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { oggCrc } from '../../../src/core/containers/ogg/crc.ts'
import { pagesOf } from '../../../src/core/containers/ogg/read-pages.ts'
import { parseComments } from '../../../src/core/containers/xiph/comments.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { factsOf } from '../../../src/core/formats/ogg/decoders.ts'
import { ogg, opus } from '../../../src/core/formats/ogg/ogg.ts'
import { playedSound } from '../../../src/core/formats/ogg/played.ts'
import { readOggSound } from '../../../src/core/formats/ogg/read-sound.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { readInventory } from '../../../src/core/inventory/check.ts'
import type { Codec, Outcome, Quality } from '../../../src/core/model/codec.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { isEngineError } from '../../../wasm/engine-error.ts'
import { flacFile, pictureBlock } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { oggPages, opusFile, opusHead, opusPacket, opusTags, randomBytes, speexFile, vorbisHeaders } from '../../support/ogg-file.ts'
import { oggFlac, opusSound, vorbisFixture } from '../../support/sound-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, tones, wave } from './media-fixtures.ts'

const { signal } = new AbortController()
const options = optionsFor('medium', 'mp3')
const PIXEL = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (letter) => letter.charCodeAt(0),
)

/** Samples that players play, one array a channel. */
async function played(bytes: Uint8Array): Promise<{ hertz: number; channels: number[][] }> {
  const source = memorySource(bytes, 'a')
  const sound = await playedSound(source, await readOggSound(source, signal), options)
  const channels: number[][] = Array.from({ length: sound.channels }, () => [])
  for await (const planar of sound.samples(options))
    for (const [i, samples] of planar.entries()) for (const value of samples) channels[i]!.push(value)
  return { hertz: sound.hertz, channels }
}

/** Decibels by which a signal is stronger than its difference to another one. */
function ratio(wanted: readonly number[], found: readonly number[]): number {
  const [power, difference] = wanted.reduce(([a, b], value, i) => [a + value ** 2, b + (value - found[i]!) ** 2], [0, 0])
  return 10 * Math.log10(power / difference)
}

/** Frequency in Hz from the number of zero crossings. */
const frequencyOf = (samples: readonly number[], hertz: number) =>
  (samples.filter((value, i) => i > 0 && value >= 0 && samples[i - 1]! < 0).length * hertz) / samples.length

const resultOf = async (bytes: Uint8Array, output: OutputId, quality: Quality = 'medium') => {
  const codec = (await identify(memorySource(bytes, 'a')))?.id === 'opus' ? opus : ogg
  return press(codec, bytes, quality, output)
}

const detail = (outcome: Outcome) => (outcome.kind === 'unchanged' ? (inEnglish(outcome.detail) ?? '') : outcome.kind)

describe('decoded sound of Ogg', () => {
  it('begins with the first sample of the source and ends with the last (Vorbis)', async () => {
    const { hertz, channels } = await played(vorbisFixture('chord.ogg'))
    expect(hertz).toBe(44_100)
    for (const [i, second] of [660, 770].entries()) {
      expect(channels[i]).toHaveLength(35_280)
      const wanted = channels[i]!.map((_, n) => {
        const turn = (2 * Math.PI * n) / 44_100
        return 0.4 * Math.sin(440 * turn) + 0.2 * Math.sin(second * turn)
      })
      expect(ratio(wanted, channels[i]!)).toBeGreaterThan(28)
    }
  })

  it('has the channels in the order of WAVE', async () => {
    const { channels } = await played(vorbisFixture('six-tones.ogg'))
    const found = channels.map((samples) => Math.round(frequencyOf(samples, 16_000) / 10) * 10)
    expect(found).toEqual([200, 350, 500, 60, 800, 950])
  })

  it('begins behind the pre-skip and has the gain of the header (Opus)', async () => {
    const wanted = tones(24_000, 2, 48_000)
    const left = Array.from({ length: 24_000 }, (_, i) => wanted[2 * i]!)
    const plain = await played(opusSound({ seconds: 0.5 }))
    expect(plain.channels[0]).toHaveLength(24_000)
    expect(ratio(left, plain.channels[0]!)).toBeGreaterThan(30)
    // Half of the amplitude is 6.02 dB.
    const quiet = await played(opusSound({ seconds: 0.5, gain: -1541 }))
    expect(
      ratio(
        left,
        quiet.channels[0]!.map((value) => value * 2),
      ),
    ).toBeGreaterThan(30)
  })
})

describe.each([
  ['Vorbis', () => vorbisFixture('chord.ogg'), ogg],
  ['Opus', () => opusSound(), opus],
  [
    'FLAC in Ogg',
    () =>
      oggFlac(
        Int32Array.from(tones(44_100, 2, 44_100), (value) => Math.round(value * 32_000)),
        2,
      ),
    ogg,
  ],
] as const)('%s', (_, make: () => Uint8Array, codec: Codec) => {
  it.each(['mp3', 'm4a'] as const)('becomes %s of decreasing size, with the title and a measured noise', async (output) => {
    const bytes = make()
    const sizes: number[] = []
    for (const quality of ['high', 'medium', 'low'] as const) {
      const { outcome, bytes: result } = await resultOf(bytes, output, quality)
      sizes.push(result.length)
      if (outcome.kind === 'unchanged') {
        expect(outcome.reason).toBe('no_gain')
        continue
      }
      expect(outcome.loss?.sound?.snrDb).toBeGreaterThan(10)
      const inventory = await readInventory(output, memorySource(result, 'b'), signal)
      expect([...inventory!.get('tags')!.keys()].some((tag) => tag.startsWith('title = '))).toBe(true)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes.at(-1)).toBeLessThan(bytes.length)
  })

  it.each(['mp3', 'm4a'] as const)('is refused as %s if only a lossless result is wanted', async (output) => {
    const bytes = make()
    await expect(
      codec.compress(
        memorySource(bytes, 'a'),
        { written: 0, write: async () => undefined, patch: () => undefined, abort: async () => undefined },
        {
          ...optionsFor('high', output),
          lossless: true,
        },
      ),
    ).rejects.toThrow(CodecError)
  })

  it.each(['mp3', 'm4a'] as const)('is found out when a result in %s is cut or of other sound', async (output) => {
    const bytes = make()
    const { outcome, bytes: result } = await resultOf(bytes, output, 'low')
    const check = (other: Uint8Array) =>
      codec.verify(memorySource(bytes, 'a'), memorySource(other, 'b'), outcome, optionsFor('low', output))
    expect(await check(result)).toMatchObject({ equal: true })
    expect(await check(result.subarray(0, result.length - 2000))).toMatchObject({ equal: false })
    const quiet = await resultOf(opusSound({ seconds: 0.8, entries: ['TITLE=Song'] }), output, 'low')
    expect(await check(quiet.bytes)).toMatchObject({ equal: false })
  })
})

describe('tags of Ogg', () => {
  const [, picture] = pictureBlock(PIXEL)
  const entries = [
    ...['TITLE=Söng', 'ARTIST=One', 'ARTIST=Zwei', 'TRACKNUMBER=03', 'DISCNUMBER=1', 'ALBUMARTIST=Various', 'COMMENT=a', 'COMMENT=b'],
    ...['COMPOSER=Bach', 'REPLAYGAIN_TRACK_GAIN=-7.03 dB', 'R128_TRACK_GAIN=-573', 'LYRICS=one two', 'ISRC=x', 'COPYRIGHT=(c)'],
    `METADATA_BLOCK_PICTURE=${base64Of(picture)}`,
  ]

  it.each(['mp3', 'm4a'] as const)('are all in %s, with covers', async (output) => {
    const { outcome } = await resultOf(opusSound({ entries }), output, 'low')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 14, covers: 1, durations: 1, sound_format: 1 } })
    expect(outcome).not.toHaveProperty('removed')
  })

  it('are kept in M4A if a cover is no JPEG and no PNG', async () => {
    const [, webp] = pictureBlock(randomBytes(300, 2), 'image/webp')
    const { outcome } = await resultOf(opusSound({ entries: [`METADATA_BLOCK_PICTURE=${base64Of(webp)}`] }), 'm4a', 'low')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { covers: 1 } })
  })

  it('stay in FLAC that is unpacked, with covers as blocks', async () => {
    const samples = Int32Array.from(tones(44_100, 2, 44_100), (value) => Math.round(value * 32_000))
    const { outcome, bytes } = await resultOf(oggFlac(samples, 2, entries), 'flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 14, covers: 1, durations: 1 } })
    expect(outcome).not.toHaveProperty('loss')
    expect((await identify(memorySource(bytes, 'a')))?.id).toBe('flac')
  })

  it('are removed on request', async () => {
    const bytes = opusSound({ entries })
    const source = memorySource(bytes, 'a')
    const sound = await readOggSound(source, signal)
    const safe = await playedSound(source, sound, { ...options, metadata: 'safe' })
    expect(safe.tags.map(([name]) => name)).toEqual(['artist', 'artist', 'replaygain_track_gain', 'r128_track_gain', 'copyright'])
    expect(safe.covers).toHaveLength(1)
    const strict = await playedSound(source, sound, { ...options, metadata: 'strip' })
    expect(strict.tags.map(([name]) => name)).toEqual(['replaygain_track_gain', 'r128_track_gain'])
    expect(strict.covers).toHaveLength(0)
  })
})

describe('Opus encoded again', () => {
  it('is smaller at each level, and keeps header, length and tags', async () => {
    const bytes = opusSound({ gain: 300 })
    const [high, medium, low] = [await resultOf(bytes, 'opus', 'high'), await resultOf(bytes, 'opus'), await resultOf(bytes, 'opus', 'low')]
    expect(high.outcome).not.toHaveProperty('loss')
    expect(medium.bytes.length).toBeLessThan(0.75 * bytes.length)
    expect(low.bytes.length).toBeLessThan(medium.bytes.length)
    for (const { outcome, bytes: result } of [medium, low]) {
      expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 2, gapless_data: 2, durations: 1, sound_format: 2 } })
      const [a, b] = [await readOggSound(memorySource(bytes, 'a'), signal), await readOggSound(memorySource(result, 'b'), signal)]
      expect(b.stream.first).toEqual(a.stream.first)
      expect([b.skip, b.frames]).toEqual([a.skip, a.frames])
    }
  })

  it('names the encoder that was used as vendor (RFC 7845, section 5.2)', async () => {
    const bytes = opusSound()
    const vendorOf = async (file: Uint8Array) => {
      const { headers } = await readOggSound(memorySource(file, 'a'), signal)
      return latin1Of(parseComments(headers[0]!, 8)!.vendor)
    }
    const [exact, encoded] = [await resultOf(bytes, 'opus', 'high'), await resultOf(bytes, 'opus')]
    expect([await vendorOf(exact.bytes), await vendorOf(encoded.bytes)]).toEqual(['vendor', 'libopus 1.5.2'])
    const old = encoded.bytes.slice()
    old.set(latin1Bytes('libopus 9.9.9'), Buffer.from(old).indexOf('libopus 1.5.2'))
    repairChecksums(old)
    const verdict = await opus.verify(memorySource(bytes, 'a'), memorySource(old, 'b'), encoded.outcome, optionsFor('medium', 'opus'))
    expect(verdict).toMatchObject({ equal: false, difference: 'header packets changed' })
  })

  it('keeps a longer pre-skip, and the mapping of six channels', async () => {
    expect((await resultOf(opusSound({ preSkip: 3840 }), 'opus')).outcome).toMatchObject({ loss: { sound: {} } })
    expect((await resultOf(opusSound({ channels: 6, bitsPerSecond: 900_000 }), 'opus', 'low')).outcome).toMatchObject({
      loss: { sound: {} },
    })
  })

  it('is not done if a packet is damaged, and pages are still repacked', async () => {
    const heads = [{ flags: 2, packets: [opusHead()] }, { packets: [opusTags([], new Uint8Array(300))] }]
    // Code 3 packets whose number of frames fits, but whose padding is longer than the packet (RFC 6716, section 3.2.5).
    const packets = Array.from({ length: 100 }, (_, i) => concat([Uint8Array.of(0xff, 0x41, 0xff, 0xff, 0xff), randomBytes(900, i)]))
    const pages = packets.map((packet, i) => ({ packets: [packet], granule: (i + 1) * 960, flags: i === 99 ? 4 : 0 }))
    const { outcome } = await resultOf(oggPages([...heads, ...pages]), 'opus')
    expect(outcome.kind).toBe('compressed')
    expect(outcome).not.toHaveProperty('loss')
  })

  it.each([
    ['its rate is low', opusSound({ bitsPerSecond: 96_000 })],
    ['the pre-skip is shorter than the delay of the encoder', opusSound({ preSkip: 120 })],
    ['it is shorter than half a second', opusSound({ seconds: 0.4 })],
  ])('is not done if %s', async (_, bytes) => {
    for (const quality of ['medium', 'low'] as const) expect((await resultOf(bytes, 'opus', quality)).outcome).not.toHaveProperty('loss')
  })
})

describe('Opus made from lossless sound', () => {
  /** Six tones in the order of WAVE, so that each channel can be told from the others. */
  const sixTones = Array.from({ length: 48_000 * 6 }, (_, i) =>
    Math.round(9000 * Math.sin((2 * Math.PI * [200, 350, 500, 60, 800, 950][i % 6]! * Math.floor(i / 6)) / 48_000)),
  )

  it.each([
    ['FLAC', flac, () => flacFile(Int32Array.from(sixTones), { channels: 6, hertz: 48_000 })],
    ['WAVE', wav, () => wave(Int32Array.from(sixTones), 16, 6, 48_000)],
  ] as const)('has the channels and the length of %s', async (_, codec, make) => {
    const bytes = make()
    const { outcome, bytes: result } = await press(codec, bytes, 'medium', 'opus')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { durations: 1, sound_format: 1 } })
    const { channels } = await played(result)
    expect(channels.map((samples) => Math.round(frequencyOf(samples, 48_000) / 10) * 10)).toEqual([200, 350, 500, 60, 800, 950])
    expect(channels[0]).toHaveLength(48_000)
    const cut = memorySource(result.subarray(0, result.length - 1), 'b')
    expect(await codec.verify(memorySource(bytes, 'a'), cut, outcome, optionsFor('medium', 'opus'))).toMatchObject({ equal: false })
  })

  it('names the chunks of WAVE that it cannot store', async () => {
    const samples = Int32Array.from(tones(24_000, 2, 48_000), (value) => Math.round(value * 32_000))
    const { outcome } = await press(wav, wave(samples, 16, 2, 48_000, [['ABCD', Uint8Array.of(1, 2, 3, 4)]]), 'low', 'opus')
    expect(outcome).toMatchObject({ kind: 'compressed', removed: [{ kind: 'chunks', count: 1, why: 'output_cannot_store' }] })
    expect(outcome.kind === 'compressed' && outcome.steps.map((step) => inEnglish(step)).join()).toContain('ABCD')
  })
})

describe('Ogg files that are not converted', () => {
  const withHead = (change: (head: Uint8Array) => void) => {
    const head = opusHead()
    change(head)
    return oggPages([
      { flags: 2, packets: [head] },
      { packets: [opusTags(['TITLE=Song'])] },
      { flags: 4, granule: 960, packets: [opusPacket(200, 1)] },
    ])
  }
  const page = (granule: number, flags = 0) => ({ granule, flags, packets: [opusPacket(100, granule)] })
  const heads = [{ flags: 2, packets: [opusHead()] }, { packets: [opusTags([])] }]
  const vorbisAt = (hertz: number) => {
    const [first, comment, setup] = vorbisHeaders()
    new DataView(first.buffer, first.byteOffset).setUint32(12, hertz, true)
    return oggPages([
      { flags: 2, packets: [first] },
      { packets: [comment, setup] },
      { flags: 4, granule: 0, packets: [randomBytes(50, 1)] },
    ])
  }

  it.each([
    ['255 channels', withHead((head) => head.set([255], 9)), 'channels'],
    ['a mapping without positions', withHead((head) => head.set([255], 18)), 'channels'],
    ['chapters with links', opusSound({ seconds: 0.2, entries: ['CHAPTER001=00:00:01.000', 'CHAPTER001URL=a'] }), 'chapters'],
    ['gaps', oggPages([...heads, page(960), page(960 * 9), page(960 * 10, 4)]), 'gaps'],
    ['positions that do not begin at zero', oggPages([...heads, page(96_000), page(96_960, 4)]), 'position zero'],
    ['a position at the end of 64 bits', oggPages([...heads, { ...page(960), granule: 2n ** 63n - 1n }]), 'position zero'],
    ['two streams', oggPages([{ serial: 8, flags: 2, packets: [randomBytes(40, 1)] }, ...heads, page(960, 4)]), 'several streams'],
    ['Speex', speexFile(40), 'Speex'],
    ['two files in one', concat([opusFile(3), opusFile(3)]), 'several streams'],
    ['a rate of 1 Hz', vorbisAt(1), '1 Hz'],
    ['a rate of 4 GHz', vorbisAt(4_000_000_000), '4000000000 Hz'],
  ])('%s', async (_, bytes, text) => {
    for (const output of ['mp3', 'm4a', 'flac'] as const) {
      const pressed = await resultOf(bytes, output)
      expect(pressed.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
      expect(detail(pressed.outcome)).toContain(text)
      expect(pressed).not.toHaveProperty('defect')
    }
  })

  it('damaged packets', async () => {
    const bytes = opusSound({ seconds: 0.3 })
    const pages = []
    for await (const { flags, granule, serial, lacing, body } of pagesOf(memorySource(bytes, 'a'), signal))
      pages.push({ flags, granule, serial, lacing: [...lacing], body: body.slice() })
    // A code 3 packet whose number of frames is zero (RFC 6716, section 3.2.5).
    pages.at(-1)!.body.set([0xff, 0])
    expect((await resultOf(oggPages(pages), 'mp3')).outcome).toMatchObject({ kind: 'unchanged' })
  })

  it('has a header packet of any content', () => {
    const random = noise(5)
    for (let round = 0; round < 200; round++) {
      const first = concat([opusHead().subarray(0, 8), Uint8Array.from({ length: 30 }, () => random() * 256)])
      try {
        factsOf({ stream: { first, sound: { codec: 'opus' } } as never })
      } catch (error) {
        expect(error).toBeInstanceOf(CodecError)
      }
    }
  })
})

describe('damaged sound of Ogg', () => {
  it.each([
    ['Vorbis', vorbisFixture('chord.ogg')],
    ['Opus', opusSound({ seconds: 0.6 })],
  ])('never ends in a defect or another error (%s)', async (_, bytes) => {
    const random = noise(11)
    for (let round = 0; round < roundsOf(12); round++) {
      const damaged = bytes.slice()
      for (let flips = 0; flips < 3; flips++) damaged[Math.floor(random() * damaged.length)]! ^= 1 + Math.floor(random() * 255)
      repairChecksums(damaged)
      const pressed = await resultOf(damaged, round % 2 === 0 ? 'mp3' : 'm4a', 'low').catch((error: unknown) => {
        expect(error instanceof CodecError || isEngineError(error)).toBe(true)
        return {}
      })
      expect(pressed).not.toHaveProperty('defect')
    }
  })
})

/** Writes the right checksum into each page, as far as pages follow each other. */
function repairChecksums(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer)
  for (let at = 0; at + 27 < bytes.length; ) {
    const segments = bytes[at + 26]!
    const end = bytes.subarray(at + 27, at + 27 + segments).reduce((sum, length) => sum + length, at + 27 + segments)
    if (end > bytes.length) return
    view.setUint32(at + 22, 0, true)
    view.setUint32(at + 22, oggCrc(bytes.subarray(at, end)), true)
    at = end
  }
}
