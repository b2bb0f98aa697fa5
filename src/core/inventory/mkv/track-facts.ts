/** Items of the elements Video and Audio (RFC 9559, 5.1.4.1.28 and 5.1.4.1.29), in the words of MP4. */
import type { InventoryBuilder } from '../inventory.ts'
import { digestText } from '../media/digests.ts'
import { colourItems, combined } from '../mp4/colours.ts'
import type { Element, Elements } from './elements.ts'

/** Where items of a track belong. */
export interface TrackPlace {
  readonly elements: Elements
  readonly items: InventoryBuilder
  /** Name of the track, for example `video 0`. */
  readonly name: string
  /** Adds content that MP4 has no place for. */
  other(element: Element): Promise<void>
}

const [PIXEL_WIDTH, PIXEL_HEIGHT, DISPLAY_WIDTH, DISPLAY_HEIGHT, DISPLAY_UNIT, UNKNOWN_UNIT] = [0xb0, 0xba, 0x54b0, 0x54ba, 0x54b2, 4]
const [COLOUR, PROJECTION, ROLL, CHANNELS] = [0x55b0, 0x7670, 0x7675, 0x9f]
const [MATRIX, RANGE, TRANSFER, PRIMARIES, MAX_CLL, MAX_FALL, MASTERING] = [0x55b1, 0x55b9, 0x55ba, 0x55bb, 0x55bc, 0x55bd, 0x55d0]
/** Sizes, and properties whose other values have no MP4: stereo, transparency, crops. */
const SIZES = [PIXEL_WIDTH, PIXEL_HEIGHT, DISPLAY_WIDTH, DISPLAY_HEIGHT, DISPLAY_UNIT, 0x53b8, 0x53c0, 0x54aa, 0x54bb, 0x54cc, 0x54dd]
/** Children of Audio that the sample entry has: rates and bits. */
const RATES = [0xb5, 0x78b5, 0x6264]

export async function describePictures({ elements, items, name, other }: TrackPlace, video: Element): Promise<void> {
  const numbers = new Map<number, number>()
  for await (const child of elements.children(video)) {
    if (child.id === COLOUR) await describeColour({ elements, items, name, other }, child)
    else if (child.id === PROJECTION) {
      const turned = await rollOf(elements, child)
      if (turned !== 0) items.add('rotation', `${name} turned = ${turned}`)
    } else if (SIZES.includes(child.id)) numbers.set(child.id, await elements.number(child))
    else await other(child)
  }
  const of = (id: number) => numbers.get(id) ?? 0
  if (of(DISPLAY_UNIT) === UNKNOWN_UNIT) return
  const [width, height] = [
    (of(DISPLAY_WIDTH) || of(PIXEL_WIDTH)) * of(PIXEL_HEIGHT),
    (of(DISPLAY_HEIGHT) || of(PIXEL_HEIGHT)) * of(PIXEL_WIDTH),
  ]
  let [a, b] = [width, height]
  while (b > 0) [a, b] = [b, a % b]
  if (width !== height) items.add('rotation', `${name} pixel shape = ${width / a}:${height / a}`)
}

/** Rotation in degrees as FFmpeg counts it: from −180 to 180, counter-clockwise. */
async function rollOf(elements: Elements, projection: Element): Promise<number> {
  for await (const child of elements.children(projection)) {
    if (child.id !== ROLL) continue
    const roll = (((await elements.fraction(child)) % 360) + 360) % 360
    return roll > 180 ? roll - 360 : roll
  }
  return 0
}

async function describeColour({ elements, items, name, other }: TrackPlace, colour: Element): Promise<void> {
  const numbers = new Map<number, number>()
  for await (const child of elements.children(colour)) {
    if (child.id === MASTERING) items.add('side_data', `${name} mastering display = ${digestText(await masteringBody(elements, child))}`)
    else if ([MATRIX, RANGE, TRANSFER, PRIMARIES, MAX_CLL, MAX_FALL].includes(child.id)) numbers.set(child.id, await elements.number(child))
    else await other(child)
  }
  const range = numbers.get(RANGE)
  const codes = { primaries: numbers.get(PRIMARIES), transfer: numbers.get(TRANSFER), matrix: numbers.get(MATRIX) }
  const told = { ...codes, fullRange: range === 2 ? true : range === 1 ? false : undefined }
  for (const item of colourItems(combined(told, {}))) items.add('colour', `${name} ${item}`)
  if (!numbers.has(MAX_CLL) && !numbers.has(MAX_FALL)) return
  const light = new DataView(new ArrayBuffer(4))
  for (const [i, id] of [MAX_CLL, MAX_FALL].entries()) light.setUint16(2 * i, numbers.get(id) ?? 0)
  items.add('side_data', `${name} light level = ${digestText(new Uint8Array(light.buffer))}`)
}

/** Chromaticities in the order of the `mdcv` box: green, blue, red, white; then the luminances. */
const MASTERING_ORDER = [0x55d3, 0x55d4, 0x55d5, 0x55d6, 0x55d1, 0x55d2, 0x55d7, 0x55d8]
const LUMINANCES = [0x55d9, 0x55da]

async function masteringBody(elements: Elements, mastering: Element): Promise<Uint8Array> {
  const values = new Map<number, number>()
  for await (const child of elements.children(mastering)) values.set(child.id, await elements.fraction(child))
  const body = new DataView(new ArrayBuffer(24))
  for (const [i, id] of MASTERING_ORDER.entries()) body.setUint16(2 * i, Math.round((values.get(id) ?? 0) * 50_000))
  for (const [i, id] of LUMINANCES.entries()) body.setUint32(16 + 4 * i, Math.round((values.get(id) ?? 0) * 10_000))
  return new Uint8Array(body.buffer)
}

/** @param told channels that the configuration of the codec tells, which players follow; 0: it does not */
export async function describeSound({ elements, items, name, other }: TrackPlace, audio: Element, told: number): Promise<void> {
  let channels = 1
  for await (const child of elements.children(audio)) {
    if (child.id === CHANNELS) channels = await elements.number(child)
    else if (!RATES.includes(child.id)) await other(child)
  }
  items.add('sound_format', `${name} = ${told || channels} channels`)
}
