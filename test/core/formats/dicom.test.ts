import { deflateRawSync, inflateRawSync } from 'node:zlib'
import createCharLs from '@cornerstonejs/codec-charls/wasmjs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dicom } from '../../../src/core/formats/dicom/dicom.ts'
import { implicitVr } from '../../../src/core/formats/dicom/vr.ts'
import { JpegLs } from '../../../wasm/jpegls/jpegls.ts'
import { dicomFile, type Element, type Encoding, imageElements, type Picture, writeElements } from '../../support/dicom-file.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { heldBytes } from '../../support/held-memory.ts'
import { inEnglish } from '../../support/in-english.ts'
import { encodeLosslessJpeg, type LosslessJpeg } from '../../support/lossless-jpeg.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { damagePositions, IS_THOROUGH, roundsOf } from '../../support/thorough.ts'

const charLs = createCharLs()
const press = (bytes: Uint8Array) => pressFile(dicom, bytes, 'a.dcm')

/** Decodes a stream with CharLS, which shares no code with Whittle's coder. */
async function decodeWithCharLs(code: Uint8Array): Promise<Uint8Array> {
  const engine = await charLs
  const decoder = new engine.JpegLSDecoder()
  decoder.getEncodedBuffer(code.length).set(code)
  decoder.decode()
  const pixels = new Uint8Array(decoder.getDecodedBuffer())
  decoder.delete()
  return pixels
}

/** Fragments of the last element, PixelData of undefined length. The first is the offset table. */
function fragmentsOf(file: Uint8Array): Uint8Array[] {
  const start = Buffer.from(file).indexOf(Buffer.from('e07f10004f420000ffffffff', 'hex')) + 12
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const fragments: Uint8Array[] = []
  for (let at = start; view.getUint32(at, true) === 0xe000fffe; ) {
    const length = view.getUint32(at + 4, true)
    fragments.push(file.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return fragments
}

/** Elements before and after the pixels of an explicit little-endian file. */
const around = (elements: Element[]) => {
  const at = elements.findIndex(([tag]) => tag === 0x7fe00010)
  return [writeElements(elements.slice(0, at), 'explicit'), writeElements(elements.slice(at + 1), 'explicit')] as const
}

const PICTURES: [string, Picture][] = [
  ['12 bits in 16', { width: 90, height: 70, stored: 12 }],
  ['signed', { width: 90, height: 70, stored: 12, signed: true }],
  ['16 bits', { width: 61, height: 50, stored: 16 }],
  ['8 bits, odd size', { width: 91, height: 71, allocated: 8 }],
  ['6 bits in 8', { width: 80, height: 60, allocated: 8, stored: 6 }],
  ['RGB', { width: 60, height: 50, samples: 3, allocated: 8 }],
  ['RGB by planes', { width: 60, height: 50, samples: 3, allocated: 8, planar: true, frames: 2 }],
  ['RGB of 16 bits', { width: 40, height: 30, samples: 3 }],
  ['five frames', { width: 64, height: 48, stored: 10, frames: 5 }],
]

describe('dicom', () => {
  describe.each(['explicit', 'implicit', 'big'] as Encoding[])('%s', (encoding) => {
    it.each(PICTURES)('%s', async (_, picture) => {
      const file = dicomFile(imageElements(picture, encoding), encoding)
      const { outcome, bytes, defect } = await press(file)
      expect(defect).toBeUndefined()
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(bytes.length).toBeLessThan(file.length)

      const [table, ...frames] = fragmentsOf(bytes)
      const count = picture.frames ?? 1
      expect(frames.length).toBe(count)
      expect(table!.length).toBe(count > 1 ? 4 * count : 0)
      // Expected frames: the same picture in explicit little endian, interleaved by pixel.
      const wanted = imageElements({ ...picture, planar: false }, 'explicit').find(([tag]) => tag === 0x7fe00010)![2] as Uint8Array
      const decoded = Buffer.concat(await Promise.all(frames.map(decodeWithCharLs)))
      // For planar pictures the fixture draws its noise in another order, so only the codec's own verification applies.
      if (!picture.planar) expect(Buffer.compare(decoded, wanted.subarray(0, decoded.length))).toBe(0)

      if (encoding === 'explicit') {
        const [before, after] = around(imageElements({ ...picture, planar: false }, 'explicit'))
        expect(Buffer.from(bytes).includes(before)).toBe(true)
        expect(Buffer.from(bytes.subarray(-after.length)).equals(after)).toBe(true)
      }
    })
  })

  describe('RLE', () => {
    const RLE = '1.2.840.10008.1.2.5'
    /** Encodes runs of equal bytes and of different bytes (PS3.5, G.3). */
    const packBits = (plane: Uint8Array) => {
      const out: number[] = []
      for (let at = 0; at < plane.length; ) {
        let run = 1
        while (run < 128 && at + run < plane.length && plane[at + run] === plane[at]) run++
        if (run > 1) out.push(257 - run, plane[at]!)
        else out.push(0, plane[at]!)
        at += run
      }
      return out.length % 2 ? [...out, 128] : out
    }
    const rleFile = (picture: Picture, change = (fragments: Uint8Array[]) => fragments) => {
      const { width, height, samples = 1, allocated = 16, frames = 1, planar = false } = picture
      const elements = imageElements(picture, 'explicit')
      const at = elements.findIndex(([tag]) => tag === 0x7fe00010)
      const pixels = elements[at]![2] as Uint8Array
      const [count, sampleBytes] = [width * height, allocated / 8]
      const items = [new Uint8Array(0)]
      for (let frame = 0; frame < frames; frame++) {
        const header = new Uint8Array(64)
        const view = new DataView(header.buffer)
        view.setUint32(0, samples * sampleBytes, true)
        const segments: Uint8Array[] = [header]
        for (let segment = 0; segment < samples * sampleBytes; segment++) {
          const [sample, byte] = [Math.floor(segment / sampleBytes), sampleBytes - 1 - (segment % sampleBytes)]
          const plane = new Uint8Array(count).map((_, i) => {
            const position = planar ? sample * count + i : i * samples + sample
            return pixels[(frame * samples * count + position) * sampleBytes + byte]!
          })
          view.setUint32(4 + 4 * segment, Buffer.concat(segments).length, true)
          segments.push(Uint8Array.from(packBits(plane)))
        }
        items.push(Buffer.concat(segments))
      }
      return rleOf(elements, change(items))
    }
    const rleOf = (elements: ReturnType<typeof imageElements>, items: readonly Uint8Array[]) => {
      const at = elements.findIndex(([tag]) => tag === 0x7fe00010)
      const sequence = Buffer.concat(
        items.flatMap((item) => {
          const head = new Uint8Array(8)
          new DataView(head.buffer).setUint32(0, 0xe000fffe, true)
          new DataView(head.buffer).setUint32(4, item.length, true)
          return [head, item]
        }),
      )
      const end = Uint8Array.of(0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0)
      const before = dicomFile(elements.slice(0, at), 'explicit', RLE)
      const opening = Uint8Array.of(0xe0, 0x7f, 0x10, 0, 0x4f, 0x42, 0, 0, 0xff, 0xff, 0xff, 0xff)
      return Buffer.concat([before, opening, sequence, end, writeElements(elements.slice(at + 1), 'explicit')])
    }

    it.each(PICTURES)('%s becomes JPEG-LS', async (_, picture) => {
      const file = rleFile(picture)
      const { outcome, bytes, defect } = await press(file)
      if (picture.samples === 3 && picture.allocated !== 8) return expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
      expect(defect).toBeUndefined()
      expect(inEnglish(withFidelity(outcome))).toMatchObject({
        kind: 'compressed',
        fidelity: 'lossless',
        steps: ['RLE pixel data decoded', expect.stringContaining('JPEG-LS')],
      })
      const elements = imageElements(picture, 'explicit')
      const decoded = Buffer.concat(await Promise.all(fragmentsOf(bytes).slice(1).map(decodeWithCharLs)))
      const wanted = elements.find(([tag]) => tag === 0x7fe00010)![2] as Uint8Array
      if (!picture.planar) expect(Buffer.compare(decoded, wanted.subarray(0, decoded.length))).toBe(0)
      else expect(decoded.toSorted()).toEqual(Buffer.from(wanted).toSorted())
      expect(Buffer.from(bytes.subarray(-around(elements)[1].length)).equals(around(elements)[1])).toBe(true)
    })

    it.each([
      ['one frame', 1, 'compressed'],
      ['more, by the offset table', 3, 'compressed'],
      ['more, without an offset table', 3, 'unchanged'],
    ] as const)('joins fragments: %s', async (name, frames, kind) => {
      const cut = ([, ...whole]: Uint8Array[]) => {
        const table = new Uint32Array(name.endsWith('without an offset table') ? 0 : frames)
        // Each frame is split into two fragments, which adds an item header.
        for (let i = 1; i < table.length; i++) table[i] = table[i - 1]! + 16 + whole[i - 1]!.length
        return [new Uint8Array(table.buffer), ...whole.flatMap((one) => [one.subarray(0, 100), one.subarray(100)])]
      }
      const picture: Picture = { width: 60, height: 40, allocated: 8, frames }
      const { outcome, bytes, defect } = await press(rleFile(picture, cut))
      expect([outcome.kind, defect]).toEqual([kind, undefined])
      if (outcome.kind !== 'compressed') return
      const decoded = Buffer.concat(await Promise.all(fragmentsOf(bytes).slice(1).map(decodeWithCharLs)))
      const wanted = imageElements(picture, 'explicit').find(([tag]) => tag === 0x7fe00010)![2] as Uint8Array
      expect(Buffer.compare(decoded, wanted.subarray(0, decoded.length))).toBe(0)
    })

    it.runIf(IS_THOROUGH)('keeps one decoded frame in memory', async () => {
      const [side, frames] = [1100, 4]
      const uint16 = Uint8Array.of(side & 255, side >> 8)
      const elements = imageElements({ width: 4, height: 4, frames }, 'explicit').map((element) =>
        element[0] === 0x00280010 || element[0] === 0x00280011 ? ([element[0], element[1], uint16] as typeof element) : element,
      )
      const runs = Uint8Array.from({ length: Math.ceil(side ** 2 / 128) * 2 }, (_, i) => (i % 2 ? (i >> 6) & 63 : 129))
      const header = new Uint8Array(64)
      new Uint32Array(header.buffer).set([2, 64, 64 + runs.length])
      const file = rleOf(elements, [new Uint8Array(0), ...Array.from({ length: frames }, () => Buffer.concat([header, runs, runs]))])
      const before = heldBytes()
      let [peak, calls] = [0, 0]
      const progress = () => {
        if (calls++ % 8 === 0) peak = Math.max(peak, heldBytes() - before)
      }
      const { outcome, defect } = await pressFile(dicom, file, 'large.dcm', { progress })
      expect(defect).toBeUndefined()
      expect(inEnglish(withFidelity(outcome))).toMatchObject({
        kind: 'compressed',
        fidelity: 'lossless',
        steps: ['RLE pixel data decoded', expect.anything()],
      })
      const frameBytes = 2 * side ** 2
      expect(peak).toBeGreaterThan(frameBytes)
      // With the code of all frames.
      expect(peak).toBeLessThan(2 * frameBytes)
    })

    it('returns a truncated or altered RLE file, or one with missing frames, unchanged', async () => {
      const picture: Picture = { width: 60, height: 40, allocated: 8, frames: 3 }
      const sound = rleFile(picture)
      const missing = rleFile({ ...picture, frames: 2 })
      missing.set(sound.subarray(0, missing.indexOf('e07f1000', 0, 'hex')))
      expect((await press(missing)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
      for (let at = sound.length - 500; at > 700; at -= 997) {
        expect((await press(sound.subarray(0, at))).outcome.kind).toBe('unchanged')
        const flipped = Buffer.from(sound)
        flipped[at]! ^= 0x80
        expect((await press(flipped)).defect).toBeUndefined()
      }
    })
  })

  describe('lossless JPEG', () => {
    const jpegFile = (picture: Picture, jpeg: Partial<LosslessJpeg>, change = (fragments: Uint8Array[]) => fragments) => {
      const { width, height, allocated = 16, stored = allocated, frames = 1, samples: components = 1 } = picture
      const elements = imageElements(picture, 'explicit')
      const at = elements.findIndex(([tag]) => tag === 0x7fe00010)
      const bytes = (elements[at]![2] as Uint8Array).slice()
      const samples = allocated === 8 ? bytes : new Uint16Array(bytes.buffer)
      const { shift = 0 } = jpeg
      for (let i = 0; i < samples.length; i++) samples[i]! &= -1 << shift
      const count = width * height * components
      const fragments = Array.from({ length: frames }, (_, i) =>
        encodeLosslessJpeg(samples.subarray(i * count, (i + 1) * count), {
          width,
          height,
          bits: stored,
          components,
          predictor: 1,
          ...jpeg,
        }),
      )
      const items = [new Uint8Array(0), ...change(fragments)].flatMap((item) => {
        const head = new Uint8Array(8)
        new DataView(head.buffer).setUint32(0, 0xe000fffe, true)
        new DataView(head.buffer).setUint32(4, item.length + (item.length % 2), true)
        return [head, item, new Uint8Array(item.length % 2)]
      })
      const before = dicomFile(elements.slice(0, at), 'explicit', '1.2.840.10008.1.2.4.70')
      const opening = Uint8Array.of(0xe0, 0x7f, 0x10, 0, 0x4f, 0x42, 0, 0, 0xff, 0xff, 0xff, 0xff)
      const end = Uint8Array.of(0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0)
      return { file: Buffer.concat([before, opening, ...items, end, writeElements(elements.slice(at + 1), 'explicit')]), pixels: bytes }
    }
    const GREY: Picture = { width: 90, height: 70, stored: 12 }

    it.each([
      ...[1, 2, 3, 4, 5, 6, 7].map((predictor) => [`predictor ${predictor}`, GREY, { predictor }] as const),
      ['8 bits', { width: 91, height: 71, allocated: 8 }, { predictor: 4 }],
      ['16 bits, with differences of any size', { width: 61, height: 50, noise: 0.3 }, { predictor: 7 }],
      ['16 bits, signed', { width: 61, height: 50, signed: true }, {}],
      ['restarts', { ...GREY, frames: 2 }, { predictor: 5, restartLines: 7 }],
      ['a point transform', GREY, { shift: 2, predictor: 2 }],
      ['colour', { width: 60, height: 50, allocated: 8, samples: 3 }, { predictor: 6, restartLines: 9 }],
      ['colour that is decoded to planes', { width: 60, height: 50, allocated: 8, samples: 3, planar: true }, {}],
    ] as const)('converts lossless JPEG to JPEG-LS: %s', async (_, picture: Picture, jpeg: Partial<LosslessJpeg>) => {
      const { file, pixels } = jpegFile(picture, jpeg)
      // The codes of this encoder are long, so that even noise shrinks.
      const { outcome, bytes, defect } = await press(file)
      expect(defect).toBeUndefined()
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: ['lossless JPEG pixel data decoded', expect.stringContaining('JPEG-LS')],
      })
      const decoded = Buffer.concat(await Promise.all(fragmentsOf(bytes).slice(1).map(decodeWithCharLs)))
      expect(Buffer.compare(decoded, pixels.subarray(0, decoded.length))).toBe(0)
    })

    it('decodes frames in several fragments', async () => {
      const cut = (fragments: Uint8Array[]) =>
        fragments.flatMap((one) => [one.subarray(0, 400), one.subarray(400, 1000), one.subarray(1000)])
      const { file, pixels } = jpegFile({ ...GREY, frames: 3 }, {}, cut)
      const { outcome, bytes } = await press(file)
      expect(outcome.kind).toBe('compressed')
      const decoded = Buffer.concat(await Promise.all(fragmentsOf(bytes).slice(1).map(decodeWithCharLs)))
      expect(Buffer.compare(decoded, pixels.subarray(0, decoded.length))).toBe(0)
    })

    it.each([
      ['predictor 6 of 16 bits', { width: 61, height: 50 }, { predictor: 6 }, 'no_gain'],
      ['signed samples without all of their bits', { ...GREY, signed: true }, {}, 'no_gain'],
      ['another width', GREY, { width: 60 }, 'no_gain'],
    ] as const)('leaves unsupported lossless JPEG unchanged: %s', async (_, picture: Picture, jpeg: Partial<LosslessJpeg>, reason) => {
      expect((await press(jpegFile(picture, jpeg).file)).outcome).toMatchObject({ kind: 'unchanged', reason })
    })

    it('reports a truncated lossless JPEG as malformed', async () => {
      const { file } = jpegFile(GREY, {}, ([frame]) => [frame!.subarray(0, frame!.length - 300)])
      expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
      const { file: sound } = jpegFile(GREY, { restartLines: 10 })
      for (let at = sound.length - 300; at > 700; at -= 311) {
        const flipped = Buffer.from(sound)
        flipped[at]! ^= 0x41
        const { outcome, defect } = await press(flipped)
        expect([outcome.kind, defect]).toEqual([expect.stringMatching(/compressed|unchanged/), undefined])
      }
    })
  })

  it('inflates a deflated data set and encodes it as JPEG-LS', async () => {
    const elements = imageElements({ width: 90, height: 70, stored: 12 }, 'explicit')
    const whole = dicomFile(elements, 'explicit', '1.2.840.10008.1.2.1.99')
    const dataSet = writeElements(elements, 'explicit')
    const file = Buffer.concat([whole.subarray(0, whole.length - dataSet.length), deflateRawSync(dataSet, { level: 1 })])
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: ['Deflate pixel data decoded', 'encoded as lossless JPEG-LS, 12 bits per sample, 1 frame'],
    })
    const wanted = elements.find(([tag]) => tag === 0x7fe00010)![2] as Uint8Array
    expect(Buffer.compare(await decodeWithCharLs(fragmentsOf(bytes)[1]!), wanted)).toBe(0)
    expect((await press(file.subarray(0, file.length - 900))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('deflates pixels of one bit', async () => {
    const elements = imageElements({ width: 64, height: 64, allocated: 1, stored: 1, frames: 3 }, 'explicit')
    const { outcome, bytes } = await press(dicomFile(elements, 'explicit'))
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['compressed with Deflate, level 12'] })
    const start = Buffer.from(bytes).indexOf('1.2.840.10008.1.2.1.99') + 22
    expect(inflateRawSync(bytes.subarray(start)).equals(Buffer.from(writeElements(elements, 'explicit')))).toBe(true)
    expect((bytes.length - start) % 2).toBe(0)
  })

  it.runIf(IS_THOROUGH)('encodes a frame too large for memory twice', async () => {
    const file = dicomFile(imageElements({ width: 2300, height: 2000, stored: 12 }, 'explicit'), 'explicit')
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['encoded as lossless JPEG-LS, 12 bits per sample, 1 frame'] })
    const pixels = imageElements({ width: 2300, height: 2000, stored: 12 }, 'explicit').find(
      ([tag]) => tag === 0x7fe00010,
    )![2] as Uint8Array
    expect(Buffer.compare(await decodeWithCharLs(fragmentsOf(bytes)[1]!), pixels)).toBe(0)
  })

  it('deflates a data set without pixels', async () => {
    const elements: Element[] = [
      [0x00080016, 'UI', '1.2.3.4'],
      [0x0040a160, 'UT', 'a long report '.repeat(200)],
    ]
    const { outcome } = await press(dicomFile(elements, 'implicit'))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: ['converted from implicit VR to explicit VR', 'compressed with Deflate, level 12'],
    })
  })

  it('uses Deflate level 12 only where values repeat', async () => {
    const random = randomNumbers(5)
    const written = async (text: string) => {
      const { outcome, defect } = await press(dicomFile([[0x0040a160, 'UT', text]], 'explicit'))
      expect(defect).toBeUndefined()
      return inEnglish(outcome)
    }
    const letters = (count: number) => Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('')
    expect(await written(letters(40_000))).toMatchObject({ steps: ['compressed with Deflate, level 10'] })
    expect(await written(letters(200).repeat(200))).toMatchObject({ steps: ['compressed with Deflate, level 12'] })
  })

  it('streams elements that are too large for memory', async () => {
    const document = new Uint8Array(17 << 20)
    for (let i = 0; i < document.length; i++) document[i] = i % 65_536 === 0 ? i >> 16 : 0
    const elements: Element[] = [
      [0x00081110, 'SQ', [[[0x00080100, 'SH', 'DEEP']]], true],
      [0x00420011, 'OB', document],
      [0xfffcfffc, 'OB', new Uint8Array(4)],
    ]
    const file = dicomFile(elements, 'explicit')
    const { outcome, bytes, defect } = await pressFile(dicom, file, 'a.dcm')
    expect(defect).toBeUndefined()
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThan(file.length / 20)
    const short = await pressFile(dicom, file.slice(0, -9), 'a.dcm')
    expect(short.outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    const signed = dicomFile([...elements, [0xfffafffa, 'SQ', [[[0x00080100, 'SH', 'A']]]]], 'explicit')
    expect((await pressFile(dicom, signed, 'a.dcm')).outcome).toMatchObject({ kind: 'unchanged', reason: 'signed' })
    const implicit = await pressFile(dicom, dicomFile(elements, 'implicit'), 'a.dcm')
    expect(implicit.outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('gives implicit elements the VR of the standard', () => {
    expect(implicitVr(0x00100010, false)).toBe('PN')
    expect(implicitVr(0x00280106, false)).toBe('US')
    expect(implicitVr(0x00280106, true)).toBe('SS')
    expect(implicitVr(0x60123000, false)).toBe('OW')
    expect(implicitVr(0x00090010, false)).toBe('LO')
    expect(implicitVr(0x00091001, false)).toBe('UN')
    expect(implicitVr(0x300a00b0, false)).toBe('SQ')
  })

  it('detects altered bytes of a stored result', async () => {
    const file = dicomFile(imageElements({ width: 50, height: 40, stored: 12, frames: 3 }, 'implicit'), 'implicit')
    const { bytes, outcome } = await press(file)
    const random = randomNumbers(8)
    const source = {
      name: 'a',
      size: file.length,
      read: async (o: number, l: number) => file.subarray(o, o + l),
      stream: () => new Blob([file as Uint8Array<ArrayBuffer>]).stream(),
    }
    const options = {
      quality: 'medium',
      output: 'dicom',
      memoryBudget: 96 << 20,
      signal: new AbortController().signal,
      progress: () => undefined,
      inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) as const },
    } as const
    let seen = 0
    for (let i = 0; i < 40; i++) {
      const altered = bytes.slice()
      altered[Math.floor(random() * altered.length)]! ^= 0x20
      const result = { ...source, size: altered.length, read: async (o: number, l: number) => altered.subarray(o, o + l) }
      const verdict = await dicom.verify(source, result, outcome, options)
      if (!verdict.equal) seen++
    }
    expect(seen).toBeGreaterThan(37) // padding bits at the end of a frame do not change the pixels
  })

  describe('bad input is returned unchanged', () => {
    const elements = imageElements({ width: 60, height: 40, stored: 12, frames: 2 }, 'explicit')
    const sound = dicomFile(elements, 'explicit')

    it.each([
      ['signed', [...elements.slice(0, 3), [0x04000561, 'SQ', []] as Element, ...elements.slice(3)], 'signed'],
      ['with a digital signature', [...elements, [0xfffafffa, 'SQ', [[[0x04000005, 'US', [1]]]]] as Element], 'signed'],
      ['a directory', [[0x00041130, 'CS', 'SET'] as Element, ...elements], 'unsupported_feature'],
    ])('returns a file unchanged: %s', async (_, list, reason) => {
      const { outcome } = await press(dicomFile(list, 'explicit'))
      expect(outcome).toMatchObject({ kind: 'unchanged', reason })
    })

    it('returns big-endian samples of 32 bits unchanged, because readers disagree', async () => {
      const elements: Element[] = [
        [0x00280010, 'US', [64]],
        [0x00280011, 'US', [64]],
        [0x00280100, 'US', [32]],
        [0x7fe00010, 'OW', new Uint8Array(64 * 64 * 4)],
      ]
      const { outcome } = await pressFile(dicom, dicomFile(elements, 'big'), 'a.dcm')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    })

    it('returns a compressed file unchanged', async () => {
      const file = dicomFile(elements, 'explicit', '1.2.840.10008.1.2.4.90')
      expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    })

    it('adds a missing preamble', async () => {
      const { outcome } = await press(sound.slice(132))
      expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['DICOM preamble added', expect.anything()] })
    })

    it('survives truncation at any byte', async () => {
      for (const length of damagePositions(140, sound.length - 1, 97)) {
        const { outcome, defect } = await press(sound.slice(0, length))
        expect(defect).toBeUndefined()
        // A file that ends between two elements looks complete.
        if (outcome.kind === 'unchanged') expect(['malformed', 'no_gain']).toContain(outcome.reason)
        else expect(length).toBeLessThan(700)
      }
    })

    it('rejects ten thousand nested sequences', async () => {
      let nested = writeElements([[0x00080100, 'SH', 'X']], 'implicit')
      const header = (tag: number, length: number) => {
        const bytes = Buffer.alloc(8)
        bytes.writeUInt16LE(tag >>> 16)
        bytes.writeUInt16LE(tag & 0xffff, 2)
        bytes.writeUInt32LE(length, 4)
        return bytes
      }
      for (let i = 0; i < 10_000; i++)
        nested = Buffer.concat([header(0x0040a730, nested.length + 8), header(0xfffee000, nested.length), nested])
      const file = Buffer.concat([dicomFile([], 'implicit'), nested])
      expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
      const open = Buffer.concat([header(0x0040a730, 0xffffffff), header(0xfffee000, 0xffffffff)])
      const opened = Buffer.concat([dicomFile([], 'implicit'), ...Array.from({ length: 10_000 }, () => open)])
      expect((await press(opened)).outcome).toMatchObject({ kind: 'unchanged' })
    })

    it('survives flipped bits', async () => {
      const random = randomNumbers(2)
      for (const encoding of ['explicit', 'implicit', 'big'] as const) {
        const file = dicomFile(imageElements({ width: 30, height: 20, stored: 12, frames: 2 }, encoding), encoding)
        for (let i = 0; i < roundsOf(120); i++) {
          const damaged = file.slice()
          damaged[132 + Math.floor(random() * 700)]! ^= 1 << (random() * 8)
          expect((await press(damaged)).defect).toBeUndefined()
        }
      }
    })
  })
})

describe('JPEG-LS', () => {
  const encode = async (coder: JpegLs, frame: Parameters<JpegLs['encode']>[0], pixels: Uint8Array) => {
    const pieces: Uint8Array[] = []
    for await (const piece of coder.encode(frame, async (offset, length) => pixels.subarray(offset, offset + length))) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  it('encodes random pictures that CharLS and Whittle decode to the same samples', async () => {
    using coder = new JpegLs()
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(1, 3),
        fc.integer({ min: 2, max: 16 }),
        fc.constantFrom('noise', 'ramp', 'flat', 'wave'),
        fc.integer(),
        async (width, height, components, bits, content, seed) => {
          const sampleBytes = bits > 8 ? 2 : 1
          const random = randomNumbers(seed)
          const max = 2 ** bits - 1
          const pixels = new Uint8Array(width * height * components * sampleBytes)
          for (let i = 0; i < width * height * components; i++) {
            const x = Math.floor(i / components) % width
            const share = {
              noise: random(),
              ramp: x / width,
              flat: random() < 0.03 ? random() : 0.5,
              wave: 0.5 + 0.4 * Math.sin(x / 5 + seed),
            }[content]
            const value = Math.floor(share * max)
            pixels[i * sampleBytes] = value
            if (sampleBytes === 2) pixels[i * 2 + 1] = value >> 8
          }
          const frame = { width, height, components, bits, sampleBytes } as const
          const code = await encode(coder, frame, pixels)
          expect(Buffer.compare(await decodeWithCharLs(code), pixels)).toBe(0)
          const rows: Uint8Array[] = []
          for await (const some of coder.decode(frame, code.length, async (offset, length) => code.subarray(offset, offset + length)))
            rows.push(some)
          expect(Buffer.compare(Buffer.concat(rows), pixels)).toBe(0)
        },
      ),
      { numRuns: roundsOf(120) },
    )
  })

  it('encodes a frame of 24 megapixels in the same memory', async () => {
    using coder = new JpegLs()
    const frame = { width: 6000, height: 4000, components: 1, bits: 12, sampleBytes: 2 } as const
    const row = new Uint8Array(12_000).map((_, i) => (i % 2 ? (i >> 9) & 15 : (i * 7) & 255))
    let bytes = 0
    for await (const piece of coder.encode(frame, async (_, length) => Buffer.concat(Array.from({ length: length / 12_000 }, () => row))))
      bytes += piece.length
    expect(bytes).toBeLessThan(24e6 * 2)
    expect(coder.memoryBytes).toBeLessThan(6e6)
  })

  it('rejects samples with more bits than the precision', async () => {
    const frame = { width: 4, height: 1, components: 1, bits: 12, sampleBytes: 2 } as const
    await expect(encode(new JpegLs(), frame, Uint8Array.of(0, 0, 0, 0x10, 0, 0, 0, 0))).rejects.toThrow('more than 12 bits')
  })

  it('ends damaged code with an error or other rows, and decodes the next frame correctly', async () => {
    using coder = new JpegLs()
    const frame = { width: 40, height: 30, components: 1, bits: 8, sampleBytes: 1 } as const
    const pixels = new Uint8Array(1200).map((_, i) => (i * i) >> 5)
    const code = await encode(coder, frame, pixels)
    const random = randomNumbers(1)
    for (let i = 0; i < roundsOf(200); i++) {
      const damaged = Buffer.from(code.subarray(0, random() < 0.3 ? 30 + random() * code.length : undefined))
      damaged[25 + Math.floor(random() * (damaged.length - 25))]! ^= 1 << (random() * 8)
      try {
        for await (const _ of coder.decode(frame, damaged.length, async (offset, length) => damaged.subarray(offset, offset + length)));
      } catch (error) {
        expect(error).toMatchObject({ name: 'EngineError', engine: 'jpegls' })
      }
    }
    expect(Buffer.compare(await encode(coder, frame, pixels), code)).toBe(0)
  })
})
