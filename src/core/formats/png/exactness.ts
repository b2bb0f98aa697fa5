/** Decides which pictures stay lossless at every level: HDR pictures, and data stored as pictures. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { GATHER_BYTES, pngRows, rowBytesOf } from '../../../../wasm/png/png.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type DataPicture, detectDataPicture, exactDataStep } from '../../images/data-pictures/data-picture.ts'
import type { SampleRow } from '../../images/data-pictures/data-statistics.ts'
import type { PngFile } from './file.ts'
import { hdrOf, isLinearLight } from './signalling.ts'

export interface LosslessReason {
  /** Receipt step with the reason why the picture stays lossless. */
  readonly step: Message
  /** True if colour type, bit depth and palette must also stay. */
  readonly keepsForm: boolean
}

/** Reason why the samples stay lossless at every level. `undefined`: they may change. */
export async function losslessReason(file: PngFile): Promise<LosslessReason | undefined> {
  const { bitDepth } = file.header
  const hdr = hdrOf(file)
  if (hdr) return { step: message('hdr_kept_exact', { hdr, bitDepth }), keepsForm: bitDepth === 16 }
  if (bitDepth === 16 && isLinearLight(file)) return { step: message('linear_light_kept_exact'), keepsForm: true }
  const data = await pngDataPicture(file)
  return data && { step: exactDataStep(data), keepsForm: data.keepsForm }
}

/**
 * Kind of data in the picture, or `undefined`. Animations are always lossless and not examined. Neither are interlaced pictures above the
 * memory limit, whose rows come out of order.
 */
export async function pngDataPicture(file: PngFile): Promise<DataPicture | undefined> {
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
  const found = await detectDataPicture({ width, height, channels: 4, most: isDeep ? 65535 : 255, rows })
  // Programs read the palette indices of a mask, so an indexed picture keeps its form. Grey stored as RGB may become grey.
  return found && { ...found, keepsForm: isIndexed || (found.keepsForm && (isDeep || colourType !== 2)) }
}

/** Colours that identify the palette of PASCAL VOC. Fewer do not: black comes first in most palettes. */
const LEAST_LABEL_COLOURS = 4

/** True for the label palette of PASCAL VOC and DAVIS: the bits of an index, three at a time, are the high bits of its colour. */
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
