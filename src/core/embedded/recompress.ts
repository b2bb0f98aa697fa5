/**
 * A picture inside a document: recompressed by its own codec, downsampled to what is shown of it, and measured against the
 * old one at the old size, because the floors hold for what was uploaded. A level takes the smallest of what it and the gentler
 * levels make, so that a stronger level is never larger.
 */
import { zlibCompress } from '../bytes/deflate.ts'
import { GENTLER, gentlerTargets } from '../catalog/level-order.ts'
import type { InnerRequest } from '../model/codec.ts'
import {
  attempted,
  type Lending,
  laddered,
  type PictureRequest,
  type Recompressed,
  reducedAt,
  reducedSizes,
  type Work,
  workOf,
} from './attempts.ts'
import { exactSecondsOf, secondsOf } from './cpu-estimate.ts'
import { pictureFacts } from './image-header.ts'
import { examined } from './photograph.ts'

export type { PictureRequest, Recompressed } from './attempts.ts'

/** Another name takes up to this many bytes of the texts that mention a picture; what saves less keeps its name. */
const RENAMING_BYTES = 192
/** Drawings and screenshots become JPEG only below this share of the bytes that they came in. */
const DRAWN_JPEG_SHARE = 0.2
/** Up to here, headers and tables make a picture's size as much as its pixels. */
const SMALL_BYTES = 64 * 1024
/** A reduced picture below this share of the whole one's bytes is smaller than anything that keeps more pixels. */
const DOUBTFUL_SHARE = { jpg: 0.5, png: 0.25 }

/** Undefined when nothing is gained, or there is no time for it. */
export async function recompressPicture(
  bytes: Uint8Array,
  name: string,
  options: Lending,
  request: PictureRequest = {},
): Promise<Recompressed | undefined> {
  const facts = pictureFacts(bytes)
  if (!facts) return undefined
  const { time } = options.inner
  if (time?.take(secondsOf(facts, bytes.length)) === false) {
    const seconds = exactSecondsOf(facts, bytes.length)
    if (seconds === undefined || !time.takeExact(seconds)) return undefined
    return sameKind(workOf(bytes, name, facts, options, { ...request, lossless: true }))
  }
  const work = workOf(bytes, name, facts, options, request)
  const kept = await sameKind(work)
  const mayBecomeJpeg = request.mayBecomeJpeg && !request.lossless && facts.kind === 'png' && facts.comparable && options.quality !== 'high'
  return mayBecomeJpeg ? orJpeg(work, kept) : kept
}

/** A PNG as a JPEG, however much larger or smaller; undefined when it has transparent pixels, or the level cannot be kept. */
export async function pictureAsJpeg(
  png: Uint8Array,
  name: string,
  options: Lending,
  request: PictureRequest,
): Promise<Recompressed | undefined> {
  const facts = pictureFacts(png)
  if (facts?.kind !== 'png' || !facts.comparable) return undefined
  const work = workOf(png, name, facts, options, request)
  const { opaque } = await look(work)
  return opaque ? asJpeg(work) : undefined
}

/**
 * The JPEG of a PNG where that is smaller, else `kept`. What may become JPEG depends on the picture and its old size alone: a limit
 * that moves with what a level makes of the PNG would let a stronger level keep a larger PNG.
 */
async function orJpeg(work: Work, kept: Recompressed | undefined): Promise<Recompressed | undefined> {
  const { opaque, photograph } = await look(work)
  if (!opaque) return kept
  const jpeg = await asJpeg(work)
  if (!jpeg || (!photograph && jpeg.bytes.length > work.bytes.length * DRAWN_JPEG_SHARE)) return kept
  const size = kept ? placedBytes(work, kept) : oldBytes(work)
  return jpeg.bytes.length + RENAMING_BYTES < size ? jpeg : kept
}

/** A damaged picture counts as one that must not become JPEG. */
const look = ({ bytes, facts }: Work) => examined(bytes, facts).catch(() => ({ opaque: false, photograph: false }))

async function asJpeg(work: Work): Promise<Recompressed | undefined> {
  const asked: InnerRequest = { output: 'jpg', onlyReached: true }
  const found = await laddered(work, asked)
  return smallest(work, [...found, ...(await gentlerSizes(work, smallest(work, found), asked))])
}

async function sameKind(work: Work): Promise<Recompressed | undefined> {
  const asked: InnerRequest = work.request.lossless ? { lossless: true } : {}
  const found = await laddered(work, asked)
  const first = smallest(work, found)
  const others = [...(await gentlerSizes(work, first, asked)), ...(await gentlerForms(work, first, asked))]
  const best = smallest(work, [...found, ...others])
  return best && placedBytes(work, best) < oldBytes(work) ? best : undefined
}

/** Deflate, which packages put around a file of large flat areas whose bytes repeat themselves, saves more than this of it. */
const DEFLATES_AGAIN = 0.03
const DEFLATE_LEVEL = 6

const deflatedBytes = (bytes: Uint8Array) => Math.min(bytes.length, zlibCompress(bytes, DEFLATE_LEVEL).length)

/** What the place of a picture needs for it: in packages, all but JPEGs may deflate again. */
const placedBytes = ({ request: { sizeOf } }: Work, { bytes, output }: Pick<Recompressed, 'bytes' | 'output'>): number =>
  sizeOf ? sizeOf(bytes) : output === 'jpg' ? bytes.length : deflatedBytes(bytes)

const oldBytes = ({ request: { sizeOf }, bytes }: Work): number => (sizeOf ? sizeOf(bytes) : deflatedBytes(bytes))

const smallest = (work: Work, results: readonly (Recompressed | undefined)[]): Recompressed | undefined =>
  results
    .filter((each) => each !== undefined)
    .reduce<Recompressed | undefined>((best, each) => (best && placedBytes(work, best) <= placedBytes(work, each) ? best : each), undefined)

/**
 * What keeps more pixels and may still be smaller: the whole picture, coded at this level or exactly, and what gentler levels reduce
 * it to. Only where `made`, the level's own result, leaves that in doubt, and while there is time.
 */
async function gentlerSizes(work: Work, made: Recompressed | undefined, asked: InnerRequest): Promise<(Recompressed | undefined)[]> {
  const { facts, bytes, options } = work
  const { time } = options.inner
  if (!made?.downsampled && reducedSizes(work, options.quality).length === 0) return []
  const share = facts.kind === 'jpg' ? DOUBTFUL_SHARE.jpg : DOUBTFUL_SHARE.png
  const isDoubtful = !made || bytes.length <= SMALL_BYTES || made.bytes.length > bytes.length * share
  if (!isDoubtful) return []
  const seconds = secondsOf(facts, bytes.length)
  const results: (Recompressed | undefined)[] = []
  if (made?.downsampled) {
    if (facts.kind === 'jpg') results.push((await attempted(work, { ...asked, lossless: true })).judged)
    if (time?.takeGentler(seconds) === false) return results
    results.push((await attempted(work, asked)).judged)
  }
  for (const quality of GENTLER[options.quality]) {
    if (reducedSizes(work, quality).length === 0) continue
    if (time?.takeGentler(seconds) === false) return results
    results.push(await reducedAt(work, quality, asked))
  }
  return results
}

/** What gentler levels make of a picture that deflates again: the smaller file need not be the smaller one in its package. */
async function gentlerForms(work: Work, made: Recompressed | undefined, asked: InnerRequest): Promise<(Recompressed | undefined)[]> {
  if (!made || made.downsampled || made.output === 'jpg' || placedBytes(work, made) > made.bytes.length * (1 - DEFLATES_AGAIN)) return []
  const results: (Recompressed | undefined)[] = []
  for (const quality of gentlerTargets(work.options.quality)) results.push((await attempted(work, { ...asked, quality })).judged)
  return results
}
