import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dicom } from '../../../src/core/formats/dicom/dicom.ts'
import { dicomFile, type Element, type Encoding, imageElements, type Picture, writeElements } from '../../support/dicom-file.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { damagePositions, IS_THOROUGH, roundsOf } from '../../support/thorough.ts'
import { countsOf, damaging, inventoryOf, itemsOf, readOrReason, verdictOf } from './damage.ts'

const PICTURE: Picture = { width: 60, height: 50, stored: 12 }
const DEFLATED = '1.2.840.10008.1.2.1.99'
const deflatedFile = (elements: readonly Element[]) =>
  Buffer.concat([dicomFile([], 'explicit', DEFLATED), deflateRawSync(writeElements(elements, 'explicit'))])
const press = (file: Uint8Array) => pressFile(dicom, file, 'a.dcm')

const numbers = randomNumbers(1)
const random = () => numbers() * 256

/** Elements of every shape: group length, text, number, long value, empty value, items of both kinds of length. */
const ELEMENTS: Element[] = [
  [0x00080000, 'UL', [0]],
  ...imageElements(PICTURE, 'explicit').slice(0, -2),
  [0x60020000, 'UL', [0]],
  [0x60023000, 'OW', Uint8Array.from({ length: 9000 }, random)],
]
const WITH_PIXELS = [...ELEMENTS, ...imageElements(PICTURE, 'explicit').slice(-2)]

describe('inventory of DICOM', () => {
  it('names elements of all depths, group lengths, preamble and writer', async () => {
    const inventory = await inventoryOf('dicom', dicomFile(WITH_PIXELS, 'explicit'))
    expect(countsOf(inventory)).toEqual({ elements: 29, group_lengths: 2, header: 1, preamble: 1 })
    expect(itemsOf(inventory, 'elements')).toEqual(
      expect.arrayContaining([
        '(0002,0002) = 1.2.840.10008.5.1.4.1.1.7\\0',
        '(0008,1032) = sequence of 2',
        '(0008,1032)[0].(0040,a168)[0].(0008,0100) = DEEP',
        '(0008,1032)[1].(0008,0100) = B',
        '(0008,1110)[0].(0008,0104) = a meaning',
        '(0010,0010) = Test^Patient',
        '(0011,1001) = 0x01020304',
        '(0028,0010) = 0x3200',
        expect.stringMatching(/^\(6002,3000\) = 9000 bytes #[0-9a-f]{16}$/),
      ]),
    )
    expect(itemsOf(inventory, 'group_lengths')).toEqual(['(0008,0000)', '(6002,0000)'])
  })

  it('tells texts apart that differ only in white space', async () => {
    const items = async (text: string) => itemsOf(await inventoryOf('dicom', dicomFile([[0x00084000, 'LT', text]], 'explicit')), 'elements')
    expect(await items('a  b ')).not.toEqual(await items('a b   '))
  })

  it.each(['explicit', 'implicit', 'big'] as Encoding[])('reads the same elements from a file in %s encoding', async (encoding) => {
    const elements = (of: Encoding) => imageElements({ width: 40, height: 30 }, of)
    const inventory = await inventoryOf('dicom', dicomFile(elements(encoding), encoding))
    const explicit = await inventoryOf('dicom', dicomFile(elements('explicit'), 'explicit'))
    // The overlay's words are swapped in the big-endian fixture only.
    const comparable = (items: string[]) => items.filter((item) => !item.startsWith('(6000,3000)') && !item.startsWith('(0028,0106)'))
    expect(comparable(itemsOf(inventory, 'elements'))).toEqual(comparable(itemsOf(explicit, 'elements')))
  })

  it('reads deflated files', async () => {
    const deflated = await inventoryOf('dicom', deflatedFile(WITH_PIXELS))
    expect(deflated).toEqual(await inventoryOf('dicom', dicomFile(WITH_PIXELS, 'explicit')))
  })

  it.each([0, 3])('reads a file without preamble after %i bytes', async (leading) => {
    const bare = Buffer.concat([Buffer.alloc(leading, 9), writeElements(WITH_PIXELS, 'explicit')])
    const inventory = await inventoryOf('dicom', bare)
    expect(countsOf(inventory)).toEqual({ elements: 27, group_lengths: 2, header: 1, ...(leading > 0 && { preamble: 1 }) })
    expect(await verdictOf('dicom', bare, (await press(bare)).bytes)).toMatchObject({ kind: 'kept' })
  })

  it.runIf(IS_THOROUGH)('counts 50,000 elements in bounded memory and finds a change in the last one', async () => {
    const items = (last: string): Element[] => [
      [0x52009230, 'SQ', Array.from({ length: 50_000 }, (_, i): Element[] => [[0x00189074, 'DT', i === 49_999 ? last : String(i)]])],
    ]
    const [file, other] = [dicomFile(items('a'), 'explicit'), dicomFile(items('b'), 'explicit')]
    expect(countsOf(await inventoryOf('dicom', file))['elements']).toBe(50_003)
    expect(await verdictOf('dicom', file, other)).toMatchObject({ kind: 'lost', loss: { kind: 'elements' } })
  })

  it.each([
    ['JPEG-LS', PICTURE],
    ['planar colours', { width: 60, height: 50, samples: 3, allocated: 8, planar: true }],
    ['Deflate', { width: 60, height: 50, allocated: 32, noise: 0 }],
  ] as [string, Picture][])('finds the elements of a result: %s', async (name, picture) => {
    const file = dicomFile(imageElements(picture, 'explicit'), 'explicit')
    const { outcome, defect } = await press(file)
    expect(defect).toBeUndefined()
    const planar = name === 'planar colours'
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { elements: 28 } })
    expect('removed' in outcome ? outcome.removed : undefined).toEqual(planar ? [{ kind: 'elements', count: 1, why: 'stale' }] : undefined)
  })

  it('property: an element that a result lacks or changes makes the original the result', async () => {
    const file = dicomFile(WITH_PIXELS, 'explicit')
    const { bytes } = await press(file)
    // All but the pixel data. Their bytes are the same in the result.
    const flat = WITH_PIXELS.filter(([tag]) => tag !== 0x7fe00010)
    const inner = (flat.find(([tag]) => tag === 0x00081032)![2] as Element[][])[0]!
    const choices = [...flat, ...inner.slice(0, 2)].map((element) => ({ element, bytes: writeElements([element], 'explicit') }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...choices), fc.boolean(), fc.nat(), async ({ element, bytes: stored }, cut, place) => {
        const at = Buffer.from(bytes).indexOf(stored)
        expect(at).toBeGreaterThan(0)
        const isGroupLength = (element[0] & 0xffff) === 0
        const isItems = element[1] === 'SQ'
        const damage = (result: Uint8Array) => {
          const isInner = inner.includes(element)
          if (cut && !isInner) return Buffer.concat([result.subarray(0, at), result.subarray(at + stored.length)])
          const valueAt = ['OB', 'OW', 'UN', 'SQ'].includes(element[1]) ? 12 : 8
          const last = isItems || isGroupLength || stored.length === valueAt ? 2 : valueAt + (place % (stored.length - valueAt))
          const changed = Buffer.from(result)
          changed[at + last]! ^= 1
          return changed
        }
        expect((await verdictOf('dicom', file, damage(bytes))).kind).not.toBe('kept')
      }),
      { numRuns: roundsOf(120) },
    )
  })

  it('returns the original if the codec loses an element', async () => {
    const file = dicomFile(WITH_PIXELS, 'explicit')
    const name = writeElements([[0x00100010, 'PN', 'Test^Patient']], 'explicit')
    const lossy = damaging(dicom, (result) => {
      const at = Buffer.from(result).indexOf(name)
      return Buffer.concat([result.subarray(0, at), result.subarray(at + name.length)])
    })
    const { outcome, bytes } = await pressFile(lossy, file, 'a.dcm')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: { code: 'inventory_lost' } })
    expect(bytes).toBe(file)
  })

  it('wraps a damaged file, although it has no inventory', async () => {
    const file = dicomFile(WITH_PIXELS, 'explicit').subarray(0, -500)
    expect(await readOrReason('dicom', file)).toBe('malformed')
    const { outcome, defect } = await pressFile(dicom, file, 'a.dcm', { output: 'zst' })
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(outcome).not.toHaveProperty('inventory')
  })

  it('finds a value representation that changes', async () => {
    const file = dicomFile(ELEMENTS, 'explicit')
    const changed = Buffer.from(file)
    changed.write('LO', changed.indexOf('PN'))
    expect(await verdictOf('dicom', file, changed)).toMatchObject({ kind: 'lost', loss: { kind: 'header' } })
  })

  describe('hostile files', () => {
    const files: [string, Uint8Array][] = [
      ['explicit', dicomFile(WITH_PIXELS, 'explicit')],
      ['implicit', dicomFile(WITH_PIXELS, 'implicit')],
      ['big endian', dicomFile(WITH_PIXELS, 'big')],
      ['deflated', deflatedFile(WITH_PIXELS)],
    ]
    it.each(files)('cut off: %s', async (_, file) => {
      for (const at of damagePositions(0, file.length, 13)) {
        const read = await readOrReason('dicom', file.subarray(0, at))
        expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
      }
    })

    it.each(files)('with other bytes: %s', async (_, file) => {
      for (const at of damagePositions(0, Math.min(file.length, 1200), 3))
        for (const value of [0, 0xff]) {
          const damaged = Uint8Array.from(file)
          damaged[at] = value
          const read = await readOrReason('dicom', damaged)
          expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
        }
    })

    it('limits nested sequences', async () => {
      let elements: Element[] = [[0x00080100, 'SH', 'X ']]
      for (let depth = 0; depth < 70; depth++) elements = [[0x00081110, 'SQ', [elements], depth % 2 === 0]]
      expect(await readOrReason('dicom', dicomFile(elements, 'explicit'))).toBe('malformed')
    })

    it('refuses a length beyond the end of the file', async () => {
      const file = dicomFile([[0x00080008, 'UT', 'abcd']], 'explicit')
      file.set([0xfe, 0xff, 0xff, 0xff], file.length - 8)
      expect(await readOrReason('dicom', file)).toBe('malformed')
    })
  })
})
