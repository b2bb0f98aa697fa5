/** What the first bytes of a stream tell: channels of sound, colours and pixel shape of pictures. */
import type { InventoryBuilder } from '../inventory.ts'
import { be16 } from '../media/numbers.ts'
import { type Colours, colourItems, combined } from '../mp4/colours.ts'
import { h264Facts, hevcFacts } from '../mp4/parameter-sets.ts'
import type { Coding } from './kinds.ts'

/** Channels of the first frame. `undefined`: no frame was found. */
export function channelsIn(bytes: Uint8Array, coding: Coding): number | undefined {
  for (let at = 0; at + 8 <= bytes.length; at++) {
    const word = be16(bytes, at)
    if (coding === 'adts' && (word & 0xfff6) === 0xfff0) return [0, 1, 2, 3, 4, 5, 6, 8][(be16(bytes, at + 2) >> 6) & 7]
    if (coding === 'mpeg audio' && (word & 0xffe0) === 0xffe0 && (word & 6) !== 0) return bytes[at + 3]! >> 6 === 3 ? 1 : 2
    if (coding === 'ac3' && word === 0x0b77) return ac3Channels(bytes.subarray(at))
  }
  return undefined
}

const FULL = [2, 1, 2, 3, 3, 4, 4, 5]

function ac3Channels(frame: Uint8Array): number {
  if (frame[5]! >> 3 > 10) return FULL[(frame[4]! >> 1) & 7]! + (frame[4]! & 1)
  const mode = frame[6]! >> 5
  const levels = (mode & 1 && mode !== 1 ? 2 : 0) + (mode & 4 ? 2 : 0) + (mode === 2 ? 2 : 0)
  return FULL[mode]! + ((be16(frame, 6) >> (12 - levels)) & 1)
}

/** Adds what the first parameter set of the pictures tells. */
export function describePictures(items: InventoryBuilder, name: string, bytes: Uint8Array, coding: Coding): void {
  for (let at = 0; at + 4 < bytes.length; at++) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1) continue
    const first = bytes[at + 3]!
    const isSet = coding === 'h264' ? (first & 31) === 7 : coding === 'hevc' && ((first >> 1) & 63) === 33
    if (!isSet) continue
    const unit = bytes.subarray(at + 3, endOf(bytes, at + 4))
    const { colours, pixelShape } = coding === 'h264' ? h264Facts(unit) : hevcFacts(unit)
    addFacts(items, name, colours, pixelShape)
    return
  }
}

function endOf(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 2 < bytes.length; at++) if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2]! <= 1) return at
  return bytes.length
}

export function addFacts(items: InventoryBuilder, name: string, colours: Colours, shape: readonly [number, number] | undefined): void {
  for (const item of colourItems(combined(colours, {}))) items.add('colour', `${name} ${item}`)
  const [width, height] = shape ?? [1, 1]
  if (width === height || width === 0 || height === 0) return
  let [a, b] = [width, height]
  while (b > 0) [a, b] = [b, a % b]
  items.add('rotation', `${name} pixel shape = ${width / a}:${height / a}`)
}
