/** Reads the channels of sound from its sample entry (ISO/IEC 14496-12, 12.2.3; QuickTime File Format, "Sound Sample Descriptions"). */
import type { FileView } from '../file-view.ts'
import { be16, be32 } from '../media/numbers.ts'
import { type Box, bodyOf, boxesIn } from './boxes.ts'

export interface SoundFacts {
  readonly channels: number
  /** Positions of the speakers, for more than two channels. `undefined`: the file does not tell them. */
  readonly speakers: string | undefined
}

/** Bytes of fields before the child boxes, by version of the sound description. */
const FIELDS = [28, 44, 64]
const CONFIG_BYTES = 4096

export async function soundFacts(view: FileView, entry: Box): Promise<SoundFacts> {
  const fields = await bodyOf(view, entry, 64)
  const version = be16(fields, 8)
  let channels = version === 2 ? be32(fields, 40) : be16(fields, 16)
  let speakers: string | undefined
  const read = async (box: Box): Promise<void> => {
    if (box.type === 'esds') {
      const config = aacConfig(await bodyOf(view, box, CONFIG_BYTES))
      channels = config?.channels || channels
      speakers ??= config?.speakers
    } else if (box.type === 'chan') speakers = layoutOf(await bodyOf(view, box, CONFIG_BYTES))
  }
  for await (const box of boxesIn(view, { body: entry.body + (FIELDS[version] ?? 28), end: entry.end }, 'loose')) {
    if (box.type === 'wave') for await (const inner of boxesIn(view, box, 'loose')) await read(inner)
    else await read(box)
  }
  return { channels, speakers: channels > 2 ? speakers : undefined }
}

/** Channels and speakers by channelConfiguration (ISO/IEC 14496-3, table 1.19). */
const AAC_CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 0, 8]
const AAC_SPEAKERS = ['', '', '', '3.0', '4.0', '5.0', '5.1', '7.1 wide', '', '', '', '6.1', '7.1']
const PARAMETRIC_STEREO = 29

/** Finds the AudioSpecificConfig in an `esds` box (ISO/IEC 14496-1, 7.2.6). */
function aacConfig(esds: Uint8Array): { channels: number; speakers: string | undefined } | undefined {
  let at = 4
  for (let tags = 0; tags < 8 && at + 2 < esds.length; tags++) {
    const tag = esds[at++]
    for (let i = 0; i < 4 && (esds[at]! & 0x80) !== 0; i++) at++
    at++
    if (tag === 3) {
      const flags = esds[at + 2] ?? 0
      at += 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (esds[at + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0)
    } else if (tag === 4) at += 13
    else if (tag === 5) return specificConfig(esds.subarray(at))
    else return undefined
  }
  return undefined
}

/** Reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). Channels are 0 if it does not tell them. */
export function specificConfig(bytes: Uint8Array): { channels: number; speakers: string | undefined } {
  let at = 0
  const bits = (count: number) => {
    let value = 0
    for (; count > 0; count--, at++) value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return value
  }
  let type = bits(5)
  if (type === 31) type = 32 + bits(6)
  if (bits(4) === 15) bits(24)
  const configuration = bits(4)
  const channels = type === PARAMETRIC_STEREO && configuration === 1 ? 2 : (AAC_CHANNELS[configuration] ?? 0)
  return { channels, speakers: AAC_SPEAKERS[configuration] || undefined }
}

/** Layout tags of Core Audio (CoreAudioTypes) whose speakers are those of a usual layout. Their order may differ. */
const TAGS: { readonly [tag: number]: string | undefined } = {
  108: 'quad',
  113: '3.0',
  114: '3.0',
  115: '4.0',
  116: '4.0',
  117: '5.0',
  118: '5.0',
  119: '5.0',
  120: '5.0',
  121: '5.1',
  122: '5.1',
  123: '5.1',
  124: '5.1',
  126: '7.1 wide',
  127: '7.1 wide',
  128: '7.1',
}
const BITMAPS: { readonly [bits: number]: string | undefined } = {
  7: '3.0',
  51: 'quad',
  55: '5.0',
  63: '5.1',
  255: '7.1 wide',
  263: '4.0',
  1539: 'quad',
  1543: '5.0',
  1551: '5.1',
  1599: '7.1',
}
const BY_BITMAP = 0x10000
/** Layouts in any order, and unknown ones, name no speakers. */
const UNNAMED = [147, 0xffff]

/** `chan` atom: layout tag, bitmap, number of descriptions, and the descriptions of 20 bytes, which begin with a label. */
function layoutOf(body: Uint8Array): string | undefined {
  const tag = be32(body, 4)
  if (tag === BY_BITMAP) return bitmapName(be32(body, 8))
  if (tag !== 0) return UNNAMED.includes(tag >>> 16) ? undefined : (TAGS[tag >>> 16] ?? `tag ${tag >>> 16}`)
  const labels = Array.from({ length: Math.min(64, be32(body, 12)) }, (_, i) => be32(body, 16 + 20 * i))
  if (labels.length === 0 || labels.some((label) => label < 1 || label > 18)) return undefined
  return bitmapName(labels.reduce((bits, label) => bits | (1 << (label - 1)), 0))
}

/** Name of a speaker layout by its bitmap, which Core Audio and WAVEFORMATEXTENSIBLE number equally. */
export const bitmapName = (bits: number): string => BITMAPS[bits] ?? `speakers 0x${bits.toString(16)}`
