import { randomNumbers } from './random-numbers.ts'

const SYNTAX = { explicit: '1.2.840.10008.1.2.1', implicit: '1.2.840.10008.1.2', big: '1.2.840.10008.1.2.2' }
const LONG = ['OB', 'OW', 'OF', 'SQ', 'UN', 'UT']
export type Encoding = keyof typeof SYNTAX

/** Value of an element: bytes in the file's byte order, a text, or items. */
type Value = number[] | string | Uint8Array | Element[][]
export type Element = readonly [tag: number, vr: string, value: Value, undefinedLength?: boolean]

export interface Picture {
  readonly width: number
  readonly height: number
  readonly samples?: 1 | 3
  readonly allocated?: 1 | 8 | 16 | 32
  readonly stored?: number
  /** Most significant bit of a sample. Default: `stored - 1`. */
  readonly highBit?: number
  /** Content of the bits above a sample of 16 allocated bits. Default: zeros, or the sign of a signed sample. */
  readonly unused?: 'noise' | 'overlay' | 'zeros'
  /** True: samples use only the lower half of the range of `stored` bits, so a signed picture has no negative samples. Default: false. */
  readonly positive?: boolean
  readonly signed?: boolean
  readonly planar?: boolean
  readonly frames?: number
  readonly photometric?: string
  readonly noise?: number
}

/** Serialises elements in one of the native encodings (DICOM PS3.5, 7.1 and 7.5). */
export function writeElements(elements: readonly Element[], encoding: Encoding): Uint8Array {
  const little = encoding !== 'big'
  const chunks: Uint8Array[] = []
  const u16 = (value: number) => {
    const bytes = new Uint8Array(2)
    new DataView(bytes.buffer).setUint16(0, value, little)
    return bytes
  }
  const u32 = (value: number) => {
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setUint32(0, value, little)
    return bytes
  }
  const tag = (value: number) => [u16(value >>> 16), u16(value & 0xffff)]
  for (const [number, vr, value, undefinedLength] of elements) {
    let bytes: Uint8Array
    if (typeof value === 'string') bytes = new TextEncoder().encode(value.length % 2 ? `${value} ` : value)
    else if (value instanceof Uint8Array) bytes = value
    else if (Array.isArray(value[0])) {
      const items = (value as Element[][]).map((item) => writeElements(item, encoding))
      bytes = Buffer.concat(
        items.flatMap((item) =>
          undefinedLength
            ? [...tag(0xfffee000), u32(0xffffffff), item, ...tag(0xfffee00d), u32(0)]
            : [...tag(0xfffee000), u32(item.length), item],
        ),
      )
      if (undefinedLength) bytes = Buffer.concat([bytes, ...tag(0xfffee0dd), u32(0)])
    } else bytes = Buffer.concat((value as number[]).map((n) => (vr === 'UL' ? u32(n) : u16(n))))
    chunks.push(...tag(number))
    const length = undefinedLength ? 0xffffffff : bytes.length
    if (encoding === 'implicit') chunks.push(u32(length))
    else if (LONG.includes(vr)) chunks.push(new TextEncoder().encode(vr), new Uint8Array(2), u32(length))
    else chunks.push(new TextEncoder().encode(vr), u16(length))
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Serialises a Part 10 file with the data set. */
export function dicomFile(elements: readonly Element[], encoding: Encoding, syntax = SYNTAX[encoding]): Uint8Array {
  const meta = writeElements(
    [
      [0x00020001, 'OB', Uint8Array.of(0, 1)],
      [0x00020002, 'UI', '1.2.840.10008.5.1.4.1.1.7\0'],
      [0x00020010, 'UI', syntax.length % 2 ? `${syntax}\0` : syntax],
    ],
    'explicit',
  )
  const length = writeElements([[0x00020000, 'UL', [meta.length]]], 'explicit')
  return Buffer.concat([new Uint8Array(128).fill(7), new TextEncoder().encode('DICM'), length, meta, writeElements(elements, encoding)])
}

/** Returns the elements of an image, plus a nested sequence, private elements and an overlay. */
export function imageElements(picture: Picture, encoding: Encoding): Element[] {
  const { width, height, samples = 1, allocated = 16, stored = allocated, frames = 1, planar = false } = picture
  const pixels = pixelData(picture, encoding === 'big')
  const ow = allocated !== 8 || encoding === 'implicit'
  const inner: Element[] = [
    [0x00080100, 'SH', 'CODE'],
    [0x00080104, 'LO', 'a meaning'],
    [0x0040a168, 'SQ', [[[0x00080100, 'SH', 'DEEP']]]],
  ]
  return [
    [0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.7\0'],
    [0x00081032, 'SQ', [inner, [[0x00080100, 'SH', 'B']]]],
    [0x00081110, 'SQ', [inner], true],
    [0x00100010, 'PN', 'Test^Patient'],
    [0x00110010, 'LO', 'A PRIVATE CREATOR'],
    [0x00111001, 'UN', Uint8Array.of(1, 2, 3, 4)],
    [0x00280002, 'US', [samples]],
    [0x00280004, 'CS', picture.photometric ?? (samples === 3 ? 'RGB' : 'MONOCHROME2')],
    ...(samples === 3 ? [[0x00280006, 'US', [planar ? 1 : 0]] as Element] : []),
    ...(frames > 1 ? [[0x00280008, 'IS', String(frames)] as Element] : []),
    [0x00280010, 'US', [height]],
    [0x00280011, 'US', [width]],
    [0x00280100, 'US', [allocated]],
    [0x00280101, 'US', [stored]],
    [0x00280102, 'US', [picture.highBit ?? stored - 1]],
    [0x00280103, 'US', [picture.signed ? 1 : 0]],
    [0x00280106, picture.signed ? 'SS' : 'US', [3]],
    ...(picture.unused === 'overlay'
      ? overlayInPixels(picture)
      : [[0x60003000, 'OW', Uint8Array.from({ length: 32 }, (_, i) => i)] as Element]),
    [0x7fe00010, ow ? 'OW' : 'OB', pixels],
    [0xfffcfffc, 'OB', new Uint8Array(4)],
  ]
}

/** Returns the elements of an overlay plane that is stored in the upper bits of Pixel Data (retired; DICOM PS3.3-2003, C.9.2). */
function overlayInPixels({ width, height, stored = 12 }: Picture): Element[] {
  return [
    [0x60000010, 'US', [height]],
    [0x60000011, 'US', [width]],
    [0x60000040, 'CS', 'G'],
    [0x60000050, 'SS', [1, 1]],
    [0x60000100, 'US', [16]],
    [0x60000102, 'US', [stored]],
  ]
}

function pixelData(picture: Picture, big: boolean): Uint8Array {
  const { width, height, samples = 1, allocated = 16, stored = allocated, frames = 1, planar = false, noise = 0.01 } = picture
  const random = randomNumbers(width)
  if (allocated === 1) {
    const bytes = new Uint8Array(2 * Math.ceil((width * height * frames) / 16))
    for (let i = 0; i < bytes.length; i++) bytes[i] = i % 40 < 20 ? 0xff : i % 7 ? 0 : 0x3c
    return bytes
  }
  const count = width * height * samples * frames
  const bytes = new Uint8Array((count * allocated) / 8 + (((count * allocated) / 8) % 2))
  const view = new DataView(bytes.buffer)
  const max = 2 ** (picture.positive ? stored - 1 : stored) - 1
  const { shift, unusedBits } = placeOf(picture)
  for (let i = 0; i < count; i++) {
    const frame = Math.floor(i / (width * height * samples))
    const inFrame = i % (width * height * samples)
    const pixel = planar ? inFrame % (width * height) : Math.floor(inFrame / samples)
    const channel = planar ? Math.floor(inFrame / (width * height)) : inFrame % samples
    const wave = 0.5 + 0.4 * Math.sin((pixel % width) / 9 + channel) * Math.cos(Math.floor(pixel / width) / 7 + frame)
    let value = Math.round(Math.min(1, Math.max(0, wave + noise * (random() - 0.5))) * max)
    if (picture.signed && !picture.positive) value -= 2 ** (stored - 1)
    if (picture.unused) value = (value & max) | unusedBits(pixel, random)
    value *= 2 ** shift
    if (allocated === 8) view.setUint8(i, value)
    else if (allocated === 16) view.setUint16(2 * i, value & 0xffff, !big)
    else view.setUint32(4 * i, value, !big)
  }
  return bytes
}

/** Returns the bit position of samples, and a function for the bits above them. */
function placeOf({ stored = 16, highBit = stored - 1, unused, width }: Picture) {
  const above = 2 ** stored
  const unusedBits = (pixel: number, random: () => number) => {
    if (unused === 'noise') return Math.floor(random() * (0x10000 / above)) * above
    return unused === 'overlay' && pixel % width > width / 3 && pixel % width < width / 2 ? above : 0
  }
  return { shift: highBit + 1 - stored, unusedBits }
}
