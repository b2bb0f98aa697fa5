/** Pictures that no level may change: HDR, and data that is stored as a picture. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { GATHER_BYTES, pngRows, rowBytesOf } from '../../../../wasm/png/png.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type DataPicture, dataPicture, exactDataStep } from '../../images/data-pictures/data-picture.ts'
import type { SampleRow } from '../../images/data-pictures/data-statistics.ts'
import type { PngFile } from './file.ts'
import { hdrOf, isLinearLight } from './signalling.ts'

export interface Exactness {
  /** For the receipt. */
  readonly step: Message
  /** Colour type, bit depth and palette stay, too. */
  readonly keepsForm: boolean
}

/** Why the samples stay exact at every level; undefined: they need not. */
export async function exactnessOf(file: PngFile): Promise<Exactness | undefined> {
  const { bitDepth } = file.header
  const hdr = hdrOf(file)
  if (hdr) return { step: message('hdr_kept_exact', { hdr, bitDepth }), keepsForm: bitDepth === 16 }
  if (bitDepth === 16 && isLinearLight(file)) return { step: message('linear_light_kept_exact'), keepsForm: true }
  const data = await dataOf(file)
  return data && { step: exactDataStep(data), keepsForm: data.keepsForm }
}

/** Animations are exact already. Interlaced pictures above the memory limit come out of order and are not examined. */
export async function dataOf(file: PngFile): Promise<DataPicture | undefined> {
  const { header, animated } = file
  if (animated || header.bitDepth === 1) return undefined
  if (header.interlaced && (rowBytesOf(header, header.width) + 1) * header.height > GATHER_BYTES) return undefined
  const { width, height, colourType } = header
  const isIndexed = colourType === 3
  if (isIndexed && isLabelPalette(header.palette)) return { what: message('label_mask_with_voc_palette'), keepsForm: true }
  const isDeep = header.bitDepth === 16
  const rows = async function* (): AsyncGenerator<SampleRow> {
    for await (const { rows: strip } of pngRows(file.bytes(), isDeep ? 'rgba16' : 'rgba8')) {
      yield isDeep ? new Uint16Array(strip.buffer, strip.byteOffset, strip.byteLength / 2) : strip
      discard(strip)
    }
  }
  const found = await dataPicture({ width, height, channels: 4, most: isDeep ? 65535 : 255, rows })
  // A palette index is what programs read of a mask; grey that is stored as RGB may become grey.
  return found && { ...found, keepsForm: isIndexed || (found.keepsForm && (isDeep || colourType !== 2)) }
}

/** Colours that tell the palette of PASCAL VOC from others: the first, black, is in most palettes. */
const LEAST_LABEL_COLOURS = 4

/** True for the palette of PASCAL VOC, DAVIS and others: the bits of an index are the high bits of its colour in turn. */
function isLabelPalette(palette: Uint8Array | undefined): boolean {
  const count = (palette?.length ?? 0) / 3
  if (!palette || count < LEAST_LABEL_COLOURS) return false
  const checked = Math.min(count, 21)
  for (let index = 0; index < checked; index++)
    for (let c = 0; c < 3; c++) if (palette[index * 3 + c] !== labelSample(index, c)) return false
  return true
}

function labelSample(index: number, channel: number): number {
  let sample = 0
  for (let bit = 0; bit < 8; bit++) sample |= ((index >> (3 * bit + channel)) & 1) << (7 - bit)
  return sample & 255
}
