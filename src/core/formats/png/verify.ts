/** Verifies PNG results: decodes the stored file and compares samples or figures, frames and chunks with the upload. */

import { sha256HexOf } from '../../bytes/digest.ts'
import { scoreOfResult } from '../../images/convert/result-score.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import type { PictureLoss } from '../../model/loss.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { transferredChunk } from './chunks.ts'
import { pngForConversion } from './convert.ts'
import { openPngFile, type PngFile, streamPng } from './file.ts'
import { sampleDigest, similarityOfPngs } from './similarity.ts'
import { CLAIM_TOLERANCE } from './tuning.ts'

const differ = (difference: string): Verdict => ({ equal: false, difference })

export async function verifyPng(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const before = await openPngFile(original, options)
  const after = await openPngFile(result, options)
  const structureDifference = chunkDifference(before, after)
  const difference = structureDifference ?? (await trailingDataDifference(original, before.end, result, after.end))
  if (difference) return differ(difference)
  if (outcome.kind === 'compressed' && outcome.loss) {
    const { pictures } = outcome.loss
    if (!pictures) return differ('the outcome has a loss without quality figures')
    // An infinite PSNR means equal samples without a chunk of the upload, or equal luma with different colours.
    if (pictures.psnrDb === Number.POSITIVE_INFINITY && (await isSame(before, after))) return { equal: true }
    const wrong = await pictureDifference(original, result, before, pictures, options)
    if (wrong) return differ(wrong)
    return { equal: true, ...(await scoreOfResult(await pngForConversion(original, options), result, outcome, options)) }
  }
  return (await isSame(before, after)) ? { equal: true } : differ('samples differ')
}

const isSame = async (before: PngFile, after: PngFile) => (await sampleDigest(before)) === (await sampleDigest(after))

/** Compares size, frames and chunks. Returns the difference; `undefined`: none. */
function chunkDifference(before: PngFile, after: PngFile): string | undefined {
  const [a, b] = [before.header, after.header]
  if (a.width !== b.width || a.height !== b.height) return `${a.width} x ${a.height} became ${b.width} x ${b.height}`
  if (before.frames !== after.frames) return `${before.frames} frames became ${after.frames}`
  const left = new Map<string, { type: string; times: number }>()
  for (const item of after.items) {
    if (!('type' in item)) continue
    const known = left.get(nameOf(item))
    if (known) known.times++
    else left.set(nameOf(item), { type: item.type, times: 1 })
  }
  for (const item of before.items) {
    if (!('type' in item)) continue
    const data = transferredChunk(item, before.header, after.header)
    if (!data) continue
    const name = nameOf({ type: item.type, data })
    const found = left.get(name)
    if (!found) return `${item.type} of byte ${item.offset} is lost or changed`
    if (--found.times === 0) left.delete(name)
  }
  for (const { type } of left.values()) return `${type} was not in the upload`
  return undefined
}

/** Key of a chunk's content. A map of keys avoids comparing every chunk with every other. */
function nameOf({ type, data }: { readonly type: string; readonly data: Uint8Array }): string {
  // Skip the first four bytes of fcTL: a sequence number, which may change.
  const content = type === 'fcTL' ? data.subarray(4) : data
  return `${type} ${sha256HexOf(content)}`
}

/** Decodes both files row by row at the upload's bit depth. Claimed figures must not be better than the measured ones. */
async function pictureDifference(
  original: Source,
  result: Source,
  { header, work }: PngFile,
  claim: PictureLoss,
  options: Options,
): Promise<string | undefined> {
  const found = await similarityOfPngs(streamPng(original, options, work), streamPng(result, options, work), header)
  if (typeof found === 'string') return found
  if (claim.ssim > found.ssim + CLAIM_TOLERANCE.ssim || claim.psnrDb > found.psnrDb + CLAIM_TOLERANCE.psnrDb) {
    return `claimed ${claim.ssim} and ${claim.psnrDb} dB, found ${found.ssim} and ${found.psnrDb} dB`
  }
  return undefined
}
