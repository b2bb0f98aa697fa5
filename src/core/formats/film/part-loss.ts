/** Converts the quality loss of a film's parts into the figures of the receipt. */

import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../catalog/floors.ts'
import { type Message, message } from '../../i18n/message.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { PictureLoss } from '../../model/loss.ts'
import type { PartReceipt } from '../../model/segmented.ts'
import type { EncodedPart } from './part-encoder.ts'
import type { PartFile, PartWriter, PicturesHead, SoundHead } from './part-file.ts'
import type { PictureTrack } from './picture-track.ts'
import { QualityBySecond, SECOND_COLUMNS } from './seconds.ts'

/** Writes tables and JSON header after the packets of an encoded part. */
export async function finishPart(writer: PartWriter, done: EncodedPart): Promise<PartReceipt> {
  const { headers, pts, keys, quality, crf, delay, memoryBytes } = done
  const seconds = quality.seconds.table()
  const rows = seconds.length / SECOND_COLUMNS
  const head: PicturesHead = { kind: 'pictures', headers: [...headers], count: quality.frames, seconds: rows, crf, delay }
  const bytes = await writer.finish(head, { pts, keys, seconds })
  const { mean } = quality.seconds.figures(1)!
  return { bytes, facts: { frames: quality.frames, ssim: mean.ssim, psnrDb: mean.psnrDb, memoryBytes } }
}

/** Quality figures of all picture parts of a film together. */
export function lossOfParts(files: readonly PartFile<PicturesHead>[], { num, den }: PictureTrack['rate']): PictureLoss {
  const all = new QualityBySecond()
  for (const { seconds } of files) all.addTable(seconds)
  const { worst, mean } = all.figures(den / num)!
  return { ...worst, measuredAt: 'second', mean }
}

export const isAboveFloors = ({ ssim, psnrDb }: PictureLoss): boolean => ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB

export const describeBelowFloors = ({ ssim, psnrDb }: PictureLoss): Message =>
  message('worst_second', { ssim: ssim.toFixed(4), psnr: psnrDb.toFixed(2) })

/** Signal-to-noise ratio of all parts of a sound track together, in dB. */
export function snrOf(heads: readonly SoundHead[]): number {
  const all = new SnrMeter()
  for (const { signal, noise } of heads) {
    all.signal += signal
    all.noise += noise
  }
  return all.decibels
}
