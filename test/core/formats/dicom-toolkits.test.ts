import { describe, expect, it } from 'vitest'
import { dicom } from '../../../src/core/formats/dicom/dicom.ts'
import { ElementReader, EXPLICIT_LITTLE } from '../../../src/core/formats/dicom/elements.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { dicomFile, type Element, type Encoding, imageElements, type Picture, writeElements } from '../../support/dicom-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const press = (bytes: Uint8Array) => pressFile(dicom, bytes, 'a.dcm')
const file = (picture: Picture, encoding: Encoding = 'explicit') => dicomFile(imageElements(picture, encoding), encoding)
const SIZE = { width: 64, height: 50, noise: 0.1 }

/** Precision of the first JPEG-LS frame (ISO/IEC 14495-1, C.2.2): SOI, then SOF55 with its length, P, rows, columns. */
function precisionOf(bytes: Uint8Array): number | undefined {
  const code = Buffer.from(bytes).indexOf(Buffer.from('ffd8fff7', 'hex'))
  return code < 0 ? undefined : bytes[code + 6]
}

describe('JPEG-LS precision fits Bits Allocated, as toolkits expect', () => {
  it.each([
    [8, 2, 8],
    [8, 6, 8],
    [8, 7, 8],
    [8, 8, 8],
    [16, 2, 9],
    [16, 7, 9],
    [16, 8, 9],
    [16, 10, 10],
    [16, 12, 12],
    [16, 16, 16],
  ] as const)('%i bits allocated, %i stored: %i', async (allocated, stored, wanted) => {
    const { outcome, bytes, defect } = await press(file({ ...SIZE, allocated, stored }))
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    const precision = precisionOf(bytes)
    if (precision === undefined) expect(inEnglish(outcome)).toMatchObject({ steps: [expect.stringContaining('Deflate')] })
    else expect(precision).toBe(wanted)
    if (allocated === 8 || stored > 2) expect(precision).toBe(wanted)
  })

  it('uses all allocated bits for negative samples', async () => {
    expect(precisionOf((await press(file({ ...SIZE, stored: 12, signed: true }))).bytes)).toBe(16)
    expect(precisionOf((await press(file({ ...SIZE, stored: 12, signed: true, positive: true }))).bytes)).toBe(12)
    expect(precisionOf((await press(file({ ...SIZE, allocated: 8, stored: 7, signed: true }))).bytes)).toBe(8)
  })
})

describe('pixels that toolkits decode differently are returned unchanged', () => {
  it.each<[string, Picture]>([
    ['an overlay in the unused bits', { ...SIZE, stored: 12, unused: 'overlay' }],
    ['an overlay above 8 bits', { ...SIZE, stored: 8, unused: 'overlay' }],
    ['anything else in the unused bits', { ...SIZE, stored: 12, unused: 'noise' }],
    ['signed samples without their sign', { ...SIZE, stored: 12, signed: true, unused: 'zeros' }],
    ['samples in the upper bits', { ...SIZE, stored: 12, highBit: 15 }],
    ['one bit in eight', { ...SIZE, allocated: 8, stored: 1 }],
  ])('returns a picture unchanged: %s', async (_, picture) => {
    for (const encoding of ['explicit', 'implicit', 'big'] as const) {
      const { outcome } = await press(file(picture, encoding))
      expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: expect.any(String) })
    }
  })

  it('returns subsampled colours, and more pixels than Number of Frames, unchanged', async () => {
    const half = file({ ...SIZE, samples: 3, allocated: 8, photometric: 'YBR_FULL_422' })
    expect((await press(half)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const elements = imageElements({ ...SIZE, frames: 3 }, 'explicit').filter(([tag]) => tag !== 0x00280008)
    expect((await press(dicomFile(elements, 'explicit'))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it.each(['0', ''])('treats Number of Frames %o as one frame', async (frames) => {
    const elements = imageElements({ ...SIZE, noise: 0 }, 'explicit')
    const at = elements.findIndex(([tag]) => tag === 0x00280010)
    const counted: Element[] = [...elements.slice(0, at), [0x00280008, 'IS', frames], ...elements.slice(at)]
    const { outcome, defect } = await press(dicomFile(counted, 'explicit'))
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
  })
})

describe('group lengths', () => {
  /** Returns a data set whose group lengths count the following bytes, as writers before 2008 wrote them. */
  const counted = (elements: readonly Element[], encoding: Encoding): Element[] => {
    const groups = [...new Set(elements.map(([tag]) => tag >>> 16))]
    return groups.flatMap((group) => {
      const own = elements.filter(([tag]) => tag >>> 16 === group)
      return [[(group << 16) >>> 0, 'UL', [writeElements(own, encoding).length]] as Element, ...own]
    })
  }
  /** Values of all top-level group lengths of an explicit little-endian data set, with the correct values. */
  const lengthsOf = (bytes: Uint8Array) => {
    const reader = new ElementReader(bytes, EXPLICIT_LITTLE)
    const found: { group: number; value: number; bytes: number }[] = []
    for (let at = 132; at < bytes.length; ) {
      const [group, element] = [reader.uint16(at), reader.uint16(at + 2)]
      // Encapsulated frames end with the last sequence delimiter.
      const isPixels = group === 0x7fe0 && element === 0x10
      const end = isPixels ? Buffer.from(bytes).lastIndexOf(Buffer.from('feffdde000000000', 'hex')) + 8 : reader.element(at, 1).end
      if (element === 0) found.push({ group, value: reader.uint32(at + 8), bytes: 0 })
      else if (found.at(-1)?.group === group) found.at(-1)!.bytes += end - at
      at = end
    }
    return found.filter(({ group }) => group !== 2)
  }

  it.each([
    'explicit',
    'implicit',
    'big',
  ] as const)('keeps group lengths of %s files and updates them to the new bytes', async (encoding) => {
    const elements = counted(imageElements({ ...SIZE, stored: 12, frames: 2 }, encoding), encoding)
    const { outcome, bytes, defect } = await press(dicomFile(elements, encoding))
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    const lengths = lengthsOf(bytes)
    expect(lengths.map(({ group }) => group)).toEqual([0x8, 0x10, 0x11, 0x28, 0x6000, 0x7fe0, 0xfffc])
    for (const { value, bytes } of lengths) expect(value).toBe(bytes)
  })
})

describe('DICOM without preamble', () => {
  const bare = (encoding: Encoding) => writeElements(imageElements({ ...SIZE, stored: 12 }, encoding), encoding)
  const idOf = async (bytes: Uint8Array, name = 'file') => (await identify(memorySource(bytes, name)))?.id

  it.each(['explicit', 'implicit', 'big'] as const)('recognises a data set in %s encoding and adds a preamble', async (encoding) => {
    const data = bare(encoding)
    expect(await idOf(data)).toBe('dicom')
    const { outcome, bytes, defect } = await press(data)
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: [
        'DICOM preamble and file meta information added',
        ...(encoding === 'explicit' ? [] : [expect.anything()]),
        expect.stringContaining('JPEG-LS'),
      ],
    })
    expect(Buffer.from(bytes.subarray(128, 132)).toString()).toBe('DICM')
    // Pixels and elements must equal those of the file with preamble.
    const whole = await press(file({ ...SIZE, stored: 12 }, encoding))
    const dataOf = (result: Uint8Array) => result.subarray(Buffer.from(result).indexOf(Buffer.from([8, 0, 0x16, 0])))
    expect(Buffer.compare(dataOf(bytes), dataOf(whole.bytes))).toBe(0)
  })

  it('adds only the preamble if file meta information exists', async () => {
    const data = file({ ...SIZE, stored: 12 }, 'implicit').subarray(132)
    expect(await idOf(data)).toBe('dicom')
    expect(inEnglish((await press(data)).outcome)).toMatchObject({
      kind: 'compressed',
      steps: ['DICOM preamble added', 'converted from implicit VR to explicit VR', expect.anything()],
    })
  })

  it('moves bytes before the first element into the preamble (a-space-before-the-first-element)', async () => {
    const data = Buffer.concat([Buffer.from(' '), bare('explicit')])
    expect(await idOf(data)).toBe('dicom')
    const { outcome, bytes } = await press(data)
    expect(outcome.kind).toBe('compressed')
    expect(bytes[127]).toBe(0x20)
  })

  it('does not recognise other files as DICOM', async () => {
    const random = randomNumbers(3)
    for (let i = 0; i < 3000; i++) {
      const noise = Uint8Array.from({ length: 512 }, () => random() * 256)
      // Text that starts like a DICOM element, in each encoding.
      if (i % 3)
        noise.set(
          [
            [8, 0, 5, 0, 0x43, 0x53, 10, 0],
            [8, 0, 5, 0, 10, 0, 0, 0],
            [0, 8, 0, 5, 0x43, 0x53, 0, 10],
            [2, 0, 0, 0, 0x55, 0x4c, 4, 0],
          ][i % 4]!,
        )
      expect(await idOf(noise)).not.toBe('dicom')
    }
    expect(await idOf(new Uint8Array(4096))).not.toBe('dicom')
    expect(await idOf(Uint8Array.from({ length: 4096 }, (_, i) => (i % 8 === 0 ? 8 : 0)))).not.toBe('dicom')
    expect(await idOf(new TextEncoder().encode('\b\0\x05\0CS is how this text begins, and so it goes on. '.repeat(20)))).not.toBe('dicom')
    expect(await idOf(bare('explicit').subarray(0, 20))).not.toBe('dicom')
  })
})
