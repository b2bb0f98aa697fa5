/**
 * Recompresses a picture inside a document with its own codec, and downsamples it to its displayed size. The result is measured against the
 * old picture at the old size, because quality floors apply to the upload.
 * Each level takes the smallest of its own result and those of gentler levels, so a stronger level is never larger.
 */
import { zlibCompress } from '../bytes/deflate.ts'
import { FALLBACK_LEVELS, gentlerLevelsOf } from '../catalog/level-order.ts'
import type { InnerRequest } from '../model/codec.ts'
import {
  type EmbeddingOptions,
  type PictureJob,
  type PictureRequest,
  pictureJob,
  type RecompressedPicture,
  reducedSizes,
  tryEncoding,
  tryReducedSizes,
  tryReducedSizesOf,
} from './attempts.ts'
import { estimateLosslessSeconds, estimatePictureSeconds } from './cpu-estimate.ts'
import { readPictureHeader } from './image-header.ts'
import { testForPhotograph } from './photograph.ts'
import {
  DEFLATES_AGAIN_SHARE,
  DRAWN_JPEG_SHARE,
  GENTLER_TRIAL_SHARE,
  PACKAGE_DEFLATE_LEVEL,
  RENAMING_BYTES,
  SMALL_PICTURE_BYTES,
} from './tuning.ts'

export type { PictureRequest, RecompressedPicture } from './attempts.ts'

/**
 * Recompresses a picture. If nothing is saved, the caller's request to remove metadata still applies. `undefined`: nothing is saved and
 * nothing is removed, or the CPU budget is used up.
 */
export async function recompressPicture(
  bytes: Uint8Array,
  name: string,
  options: EmbeddingOptions,
  request: PictureRequest = {},
): Promise<RecompressedPicture | undefined> {
  return (await recompressed(bytes, name, options, request)) ?? (await withoutMetadata(bytes, name, options))
}

/** Returns the picture with its old samples and without its metadata. `undefined`: it has none, or the caller keeps metadata. */
async function withoutMetadata(bytes: Uint8Array, name: string, { inner }: EmbeddingOptions): Promise<RecompressedPicture | undefined> {
  const output = readPictureHeader(bytes)?.kind
  const reduced = output === undefined ? undefined : await inner.withoutMetadata?.(bytes, name)
  if (output === undefined || reduced?.kind !== 'reduced') return undefined
  return { bytes: reduced.bytes, output, downsampled: false, removed: { steps: [], items: reduced.removed } }
}

async function recompressed(
  bytes: Uint8Array,
  name: string,
  options: EmbeddingOptions,
  request: PictureRequest,
): Promise<RecompressedPicture | undefined> {
  const facts = readPictureHeader(bytes)
  if (!facts) return undefined
  const { time } = options.inner
  if (time?.take(estimatePictureSeconds(facts, bytes.length)) === false) {
    const seconds = estimateLosslessSeconds(facts, bytes.length)
    if (seconds === undefined || !time.takeExact(seconds)) return undefined
    return recompressSameKind(pictureJob(bytes, name, facts, options, { ...request, lossless: true }))
  }
  const work = pictureJob(bytes, name, facts, options, request)
  const kept = await recompressSameKind(work)
  const mayBecomeJpeg = request.mayBecomeJpeg && !request.lossless && facts.kind === 'png' && facts.comparable && options.quality !== 'high'
  return mayBecomeJpeg ? orSmallerJpeg(work, kept) : kept
}

/** Converts a PNG to a JPEG of any size in bytes. `undefined`: it has transparent pixels, or the level cannot be reached. */
export async function pictureAsJpeg(
  png: Uint8Array,
  name: string,
  options: EmbeddingOptions,
  request: PictureRequest,
): Promise<RecompressedPicture | undefined> {
  const facts = readPictureHeader(png)
  if (facts?.kind !== 'png' || !facts.comparable) return undefined
  const work = pictureJob(png, name, facts, options, request)
  const { opaque } = await examine(work)
  return opaque ? asJpeg(work) : undefined
}

/**
 * Returns the JPEG of a PNG if it is smaller, otherwise `kept`. Only the picture and its old size decide what may become JPEG. A limit that
 * depends on the level's PNG could make a stronger level keep a larger PNG.
 */
async function orSmallerJpeg(work: PictureJob, kept: RecompressedPicture | undefined): Promise<RecompressedPicture | undefined> {
  const { opaque, photograph } = await examine(work)
  if (!opaque) return kept
  const jpeg = await asJpeg(work)
  if (!jpeg || (!photograph && jpeg.bytes.length > work.bytes.length * DRAWN_JPEG_SHARE)) return kept
  const size = kept ? bytesInContainer(work, kept) : oldBytes(work)
  if (jpeg.bytes.length >= size) return kept
  return jpeg.bytes.length + RENAMING_BYTES < size || (await gentlerBecomesJpeg(work)) ? jpeg : kept
}

/** True if the next gentler level makes a JPEG. Then this level does so as well, although it saves less; otherwise it could be larger. */
async function gentlerBecomesJpeg({ bytes, name, facts, options, request }: PictureJob): Promise<boolean> {
  const quality = options.targetScore === undefined ? FALLBACK_LEVELS[options.quality][0] : undefined
  if (quality === undefined || quality === 'high') return false
  const work = pictureJob(bytes, name, facts, { ...options, quality }, request)
  return (await orSmallerJpeg(work, await recompressSameKind(work)))?.output === 'jpg'
}

/** Damaged pictures count as transparent, so they do not become JPEG. */
const examine = ({ bytes, facts }: PictureJob) => testForPhotograph(bytes, facts).catch(() => ({ opaque: false, photograph: false }))

async function asJpeg(work: PictureJob): Promise<RecompressedPicture | undefined> {
  const asked: InnerRequest = { output: 'jpg', onlyReached: true }
  const found = await tryReducedSizes(work, asked)
  return smallest(work, [...found, ...(await gentlerSizes(work, smallest(work, found), asked))])
}

async function recompressSameKind(work: PictureJob): Promise<RecompressedPicture | undefined> {
  const asked: InnerRequest = work.request.lossless ? { lossless: true } : {}
  const found = await tryReducedSizes(work, asked)
  const first = smallest(work, found)
  const others = [...(await gentlerSizes(work, first, asked)), ...(await gentlerForms(work, first, asked))]
  const best = smallest(work, [...found, ...others])
  return best && bytesInContainer(work, best) < oldBytes(work) ? best : undefined
}

const deflatedBytes = (bytes: Uint8Array) => Math.min(bytes.length, zlibCompress(bytes, PACKAGE_DEFLATE_LEVEL).length)

/** Bytes of a result in its container. In packages, all kinds except JPEG may be deflated again. */
const bytesInContainer = ({ request: { sizeOf } }: PictureJob, { bytes, output }: Pick<RecompressedPicture, 'bytes' | 'output'>): number =>
  sizeOf ? sizeOf(bytes) : output === 'jpg' ? bytes.length : deflatedBytes(bytes)

const oldBytes = ({ request: { sizeOf }, bytes }: PictureJob): number => (sizeOf ? sizeOf(bytes) : deflatedBytes(bytes))

const smallest = (work: PictureJob, results: readonly (RecompressedPicture | undefined)[]): RecompressedPicture | undefined =>
  results
    .filter((each) => each !== undefined)
    .reduce<RecompressedPicture | undefined>(
      (best, each) => (best && bytesInContainer(work, best) <= bytesInContainer(work, each) ? best : each),
      undefined,
    )

/**
 * Tries results that keep more pixels and may still be smaller: the whole picture at this level or lossless, and the reduced sizes of
 * gentler levels.
 * Only if `made`, the level's own result, could be beaten, and while CPU budget remains.
 */
async function gentlerSizes(
  work: PictureJob,
  made: RecompressedPicture | undefined,
  asked: InnerRequest,
): Promise<(RecompressedPicture | undefined)[]> {
  const { facts, bytes, options } = work
  const { time } = options.inner
  // Results with more pixels do not have the resolution that the caller asked for.
  if (made?.downsampled && options.dotsPerInch !== undefined) return []
  if (!made?.downsampled && reducedSizes(work, options.quality).length === 0) return []
  const share = facts.kind === 'jpg' ? GENTLER_TRIAL_SHARE.jpg : GENTLER_TRIAL_SHARE.png
  const isDoubtful = !made || bytes.length <= SMALL_PICTURE_BYTES || made.bytes.length > bytes.length * share
  if (!isDoubtful) return []
  const seconds = estimatePictureSeconds(facts, bytes.length)
  const results: (RecompressedPicture | undefined)[] = []
  if (made?.downsampled) {
    if (facts.kind === 'jpg') results.push((await tryEncoding(work, { ...asked, lossless: true })).accepted)
    if (time?.takeGentler(seconds) === false) return results
    results.push((await tryEncoding(work, asked)).accepted)
  }
  for (const quality of options.targetScore === undefined ? FALLBACK_LEVELS[options.quality] : []) {
    if (reducedSizes(work, quality).length === 0) continue
    if (time?.takeGentler(seconds) === false) return results
    results.push(await tryReducedSizesOf(work, quality, asked))
  }
  return results
}

/** Tries gentler levels for a picture that Deflate compresses again. The smaller file is not always smaller inside its package. */
async function gentlerForms(
  work: PictureJob,
  made: RecompressedPicture | undefined,
  asked: InnerRequest,
): Promise<(RecompressedPicture | undefined)[]> {
  if (!made || made.downsampled || made.output === 'jpg' || bytesInContainer(work, made) > made.bytes.length * (1 - DEFLATES_AGAIN_SHARE))
    return []
  const results: (RecompressedPicture | undefined)[] = []
  for (const quality of gentlerLevelsOf(work.options)) results.push((await tryEncoding(work, { ...asked, quality })).accepted)
  return results
}
