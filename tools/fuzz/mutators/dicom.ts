/** Mutates DICOM files (explicit little endian): element order, tags, value representations, lengths and values. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { fromLatin1, latin1, withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

interface Element {
  readonly group: number
  readonly element: number
  /** Value representation of two letters. Empty for item delimiters. */
  readonly vr: string
  readonly value: Uint8Array
  /** Length field if it differs from the value's length; `0xffffffff` if a delimiter ends the value. */
  readonly length?: number
}

const PREAMBLE_BYTES = 132
const META = 0x0002
const ITEMS = 0xfffe
const UNDEFINED = 0xffff_ffff
const LONG = new Set(['OB', 'OD', 'OF', 'OL', 'OW', 'SQ', 'UC', 'UN', 'UR', 'UT'])
const REPRESENTATIONS = [...LONG, 'US', 'UL', 'LO', 'DS', 'IS', 'AT', 'FL', 'SS']
/** Elements of the Image Pixel module (PS3.3 C.7.6.3). */
const PIXEL_ELEMENTS = [0x0002, 0x0004, 0x0006, 0x0008, 0x0010, 0x0011, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106]

/** Parses a file into a flat list of elements. The items of a sequence follow its element in the same list. */
export function elementsOf(file: Uint8Array): Element[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const elements: Element[] = []
  for (let at = PREAMBLE_BYTES; at + 8 <= file.length; ) {
    const [group, element] = [view.getUint16(at, true), view.getUint16(at + 2, true)]
    const vr = group === ITEMS ? '' : latin1(file.subarray(at + 4, at + 6))
    const isLong = LONG.has(vr)
    if (isLong && at + 12 > file.length) break
    const length = vr === '' ? view.getUint32(at + 4, true) : isLong ? view.getUint32(at + 8, true) : view.getUint16(at + 6, true)
    at += isLong ? 12 : 8
    const valueBytes = length === UNDEFINED || vr === 'SQ' || (vr === '' && element === 0xe000 && length > file.length) ? 0 : length
    elements.push({ group, element, vr, value: file.slice(at, at + valueBytes), ...(length !== valueBytes && { length }) })
    at += valueBytes
  }
  return elements
}

function written({ group, element, vr, value, length = value.length }: Element): Uint8Array {
  const head = Buffer.alloc(LONG.has(vr) ? 12 : 8)
  head.writeUInt16LE(group, 0)
  head.writeUInt16LE(element, 2)
  head.set(fromLatin1(vr), 4)
  if (vr === '') head.writeUInt32LE(length, 4)
  else if (LONG.has(vr)) head.writeUInt32LE(length, 8)
  else head.writeUInt16LE(length & 0xffff, 6)
  return concat([head, value])
}

/** Serialises the elements and recomputes the group length of the file meta information (PS3.10 7.1). */
export function dicomOfElements(preamble: Uint8Array, elements: readonly Element[]): Uint8Array {
  const meta = elements.filter(({ group, element }) => group === META && element !== 0)
  const metaBytes = meta.reduce((sum, element) => sum + written(element).length, 0)
  const counted = Buffer.alloc(4)
  counted.writeUInt32LE(metaBytes)
  return concat([
    preamble,
    ...elements.map((element) => written(element.group === META && element.element === 0 ? { ...element, value: counted } : element)),
  ])
}

function changed(elements: readonly Element[], random: Random): Element[] {
  const isPixelFact = ({ group, element }: Element) => group === 0x0028 && PIXEL_ELEMENTS.includes(element)
  switch (random.below(6)) {
    case 0:
      return withRearrangedItems(elements, random)
    case 1:
    case 2: {
      const facts = elements.filter(isPixelFact)
      const chosen = facts[random.below(facts.length)]
      return elements.map((element) =>
        element === chosen ? { ...element, value: withNumber(element.value, 0, 2, true, random) } : element,
      )
    }
    case 3:
      return withOne(elements, random, (element) => ({ ...element, vr: random.pick(REPRESENTATIONS) }))
    case 4:
      return withOne(elements, random, (element) => ({
        ...element,
        length: random.chance(0.4) ? UNDEFINED : random.field(4, element.value.length),
      }))
    default:
      return withOne(elements, random, (element) => ({ ...element, value: withDamage(element.value, random) }))
  }
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  if (latin1(file.subarray(128, PREAMBLE_BYTES)) !== 'DICM') return withDamage(file, random)
  return dicomOfElements(file.slice(0, PREAMBLE_BYTES), changed(elementsOf(file), random))
}

export const DICOM_MUTATOR: Mutator = { container: 'DICOM', formats: ['dicom'], mutate }
