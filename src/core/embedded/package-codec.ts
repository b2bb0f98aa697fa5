/**
 * Codec for packages whose pictures are recompressed in place: EPUB, KMZ, OFD. Pictures keep their names, except PNG photographs that may
 * become JPEG.
 */

import { discard } from '../../../wasm/memories/discard.ts'
import { equalBytes } from '../bytes/equal.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { encodeXml } from '../containers/xml/scan.ts'
import { archiveDataDifference, changedMetadata, contentDifference } from '../containers/zip/compare.ts'
import type { ZipEntry } from '../containers/zip/entry.ts'
import { openZip, readEntry, type ZipArchive } from '../containers/zip/read.ts'
import { type ReorderEntries, repack, repackSteps, verifyRepacked } from '../containers/zip/repack.ts'
import { type EntryAction, KEEP, rewriteZip } from '../containers/zip/rewrite.ts'
import { type Message, message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Codec, Options, Outcome, Sink, Verdict } from '../model/codec.ts'
import { lossOf, type PictureLoss, worseLoss } from '../model/loss.ts'
import type { Rect } from './crop.ts'
import { RemovedData, recompressedStep } from './gone.ts'
import { readPictureHeader } from './image-header.ts'
import { KeptMetadata, keptMetadataSteps, mayHaveMetadata } from './kept-metadata.ts'
import { type RecompressedPicture, recompressPicture } from './recompress.ts'
import { jpegName, type PictureReferences, rewriteReferences } from './renaming.ts'
import { decodesCompletely, partSimilarity, similarity } from './similarity.ts'
import { ASPECT_TOLERANCE, MAX_PICTURE_BYTES, MAX_READY_BYTES, MIN_PICTURE_BYTES } from './tuning.ts'
import { VerifiedFiles } from './verification-cache.ts'

/** Facts about one package that its format's rules provide. */
export interface PackageFacts {
  /** Reason why the bytes of every file must stay (signature, encryption). The package is then only deflated again. `undefined`: none. */
  readonly signed?: Message
  /** Files that must stay byte for byte although they have the name of a picture. */
  readonly untouchable?: ReadonlySet<ZipEntry>
  /** `merged`: files to drop, each with the equal file that replaces it. `texts`: new texts that refer to the replacement. */
  readonly duplicates?: { readonly merged: ReadonlyMap<ZipEntry, ZipEntry>; readonly texts: ReadonlyMap<ZipEntry, string> }
  /** PNGs that may become JPEG, with all references to them. `undefined`: no PNG may. */
  readonly references?: PictureReferences
  /** Displayed size of each picture. Pictures of unknown size are absent. */
  readonly shown?: ReadonlyMap<ZipEntry, { readonly widthInches: number; readonly heightInches: number }>
}

export interface PackageRules {
  survey(archive: ZipArchive, options: Pick<Options, 'signal' | 'quality'>): Promise<PackageFacts>
  readonly reorder?: ReorderEntries
  /** True for files that must be stored without compression. */
  readonly isStored?: (entry: ZipEntry) => boolean
}

export function packageCodec(format: Codec['format'], rules: PackageRules): Codec {
  const arrange = rules.reorder ?? ((same: ZipArchive) => same)
  const chooseAction = (entry: ZipEntry): EntryAction => (rules.isStored?.(entry) ? { kind: 'store' } : KEEP)
  return {
    format,
    async compress(source, sink, options) {
      const archive = arrange(await openZip(source, format.id))
      const survey = await rules.survey(archive, options)
      if (survey.signed !== undefined || options.lossless) {
        const notes = survey.signed === undefined ? [] : [survey.signed]
        return repack(archive, sink, options, { chooseAction: chooseAction }, [...notes, ...keptMetadataSteps(archive.entries, options)])
      }
      return compressPictures(archive, survey, sink, options, chooseAction)
    },
    async verify(original, result, _outcome, options, evidence): Promise<Verdict> {
      const before = arrange(await openZip(original, format.id))
      const survey = await rules.survey(before, options)
      if (survey.signed !== undefined || options.lossless) return verifyRepacked(before, result, options)
      const verified = evidence instanceof VerifiedFiles ? evidence : undefined
      return verifyPictures({ original: before, result: await openZip(result, format.id), survey, verified }, options.signal)
    },
  }
}

async function compressPictures(
  archive: ZipArchive,
  survey: PackageFacts,
  sink: Sink,
  options: Options,
  chooseAction: (entry: ZipEntry) => EntryAction,
): Promise<Outcome & { readonly evidence: VerifiedFiles }> {
  const evidence = new VerifiedFiles()
  const gone = new RemovedData()
  const kept = new KeptMetadata(options.inner)
  const ready = await readyPictures(archive, survey, options)
  const renamed = new Set([...ready].filter(([, made]) => made?.output === 'jpg').map(([entry]) => entry))
  const texts = survey.references ? rewriteReferences(survey.references, renamed) : new Map<ZipEntry, Uint8Array>()
  let [pictures, recompressed, downsampled] = [0, 0, 0]
  let loss: PictureLoss | undefined
  const counts = await rewriteZip(archive, sink, options, async (entry, load) => {
    if (survey.duplicates?.merged.has(entry)) return { kind: 'drop' }
    const named = texts.get(entry)
    if (named) return { kind: 'replace', bytes: named }
    const text = survey.duplicates?.texts.get(entry)
    if (text !== undefined) return { kind: 'replace', bytes: encodeXml(text) }
    if (!isCandidate(entry, survey, options)) {
      if (mayHaveMetadata(entry.name)) await kept.addUnchanged(entry.name, undefined)
      return chooseAction(entry)
    }
    pictures++
    const result = ready.has(entry)
      ? ready.get(entry)
      : await recompressPicture(await load(), entry.name.split('/').at(-1)!, options, { shown: survey.shown?.get(entry) })
    if (!result) {
      await kept.addUnchanged(entry.name, load)
      return KEEP
    }
    recompressed++
    evidence.add(result.bytes)
    gone.add(result.removed)
    if (result.downsampled) downsampled++
    if (result.loss) loss = worseLoss(loss, result.loss)
    const name = renamed.has(entry) ? jpegName(entry, archive.entries) : undefined
    return { kind: 'replace', bytes: result.bytes, ...(name === undefined ? {} : { name }) }
  })
  const details = [
    ...(downsampled > 0 ? [message('pictures_downsampled_to_shown', { pictures: downsampled })] : []),
    ...(renamed.size > 0 ? [message('pngs_to_jpeg', { pictures: renamed.size })] : []),
  ]
  const done = recompressed > 0 ? [recompressedStep(recompressed, pictures, details)] : []
  const steps = [...done, ...gone.steps(), ...kept.steps(), ...repackSteps(counts), ...(options.inner.time?.steps() ?? [])]
  const merged = [...(survey.duplicates?.merged.keys() ?? [])]
  const fonts = merged.filter(({ name }) => !PICTURE.test(name)).length
  if (merged.length > 0)
    steps.push(message('parts_merged_with_equal_files', { files: merged.length, pictures: merged.length - fonts, fonts }))
  return { kind: 'compressed', ...lossOf(loss), steps, ...gone.field(), evidence }
}

/** Compresses pictures that may be renamed before anything is written, because texts that refer to them may come first in the package. */
async function readyPictures(
  archive: ZipArchive,
  survey: PackageFacts,
  options: Options,
): Promise<Map<ZipEntry, RecompressedPicture | undefined>> {
  const ready = new Map<ZipEntry, RecompressedPicture | undefined>()
  let readyBytes = 0
  if (options.quality === 'high') return ready
  for (const entry of survey.references?.mentions.keys() ?? []) {
    if (!isCandidate(entry, survey, options) || survey.duplicates?.merged.has(entry) || readyBytes > MAX_READY_BYTES) continue
    options.signal.throwIfAborted()
    const wanted = { shown: survey.shown?.get(entry), mayBecomeJpeg: true }
    const made = await recompressPicture(await readEntry(archive, entry), entry.name.split('/').at(-1)!, options, wanted)
    readyBytes += made?.bytes.length ?? 0
    ready.set(entry, made)
  }
  return ready
}

/** True for pictures that are worth the work. If metadata is removed, small pictures count, too. */
const isCandidate = (entry: ZipEntry, survey: PackageFacts, { metadata }: Pick<Options, 'metadata'>) =>
  mayChange(entry, survey) && (metadata !== undefined || entry.size >= MIN_PICTURE_BYTES) && entry.size <= MAX_PICTURE_BYTES

const PICTURE = /\.(jpe?g|jpe|png|gif|bmp)$/i
const mayChange = (entry: ZipEntry, survey: PackageFacts) =>
  !entry.opaque && !entry.isDirectory && PICTURE.test(entry.name) && !survey.untouchable?.has(entry)

interface Packages {
  readonly original: ZipArchive
  readonly result: ZipArchive
  readonly survey: PackageFacts
  readonly verified: VerifiedFiles | undefined
}

/**
 * Verifies the result: every file is in its place with its metadata and bytes, and changed pictures decode with the same kind and aspect
 * ratio.
 */
async function verifyPictures({ original, result, survey, verified }: Packages, signal: AbortSignal): Promise<Verdict> {
  const different = (difference: string): Verdict => ({ equal: false, difference })
  const expected = original.physical.filter((entry) => !survey.duplicates?.merged.has(entry))
  if (expected.length !== result.physical.length) return different(`${expected.length} files became ${result.physical.length}`)
  const outside = await archiveDataDifference(original, result)
  if (outside) return different(outside)
  const renamed = new Set(expected.filter((before, index) => isRenamed(before, result.physical[index]!, original, survey)))
  const texts = survey.references ? rewriteReferences(survey.references, renamed) : new Map<ZipEntry, Uint8Array>()
  for (const [index, before] of expected.entries()) {
    signal.throwIfAborted()
    const after = result.physical[index]!
    const fact = changedMetadata(before, renamed.has(before) ? { ...after, rawName: before.rawName } : after)
    if (fact) return different(`${before.name}: ${fact} changed`)
    const named = texts.get(before)
    if (named) {
      if (equalBytes(await readEntry(result, after), named)) continue
      return different(`${before.name}: text other than picture names changed`)
    }
    const text = survey.duplicates?.texts.get(before)
    if (text !== undefined) {
      if (equalBytes(await readEntry(result, after), encodeXml(text))) continue
      return different(`${before.name}: text other than names of merged files changed`)
    }
    const picture = mayChange(before, survey) && (before.size !== after.size || before.crc32 !== after.crc32)
    const problem = picture
      ? await entryPictureProblem(original, before, await readEntry(result, after), { verified, mayBecomeJpeg: renamed.has(before) })
      : await contentDifference(original, before, result, after)
    if (problem) return different(`${before.name}: ${problem}`)
  }
  return { equal: true }
}

/** True if a PNG whose references are all known was renamed to the only JPEG name it may get. */
const isRenamed = (before: ZipEntry, after: ZipEntry, original: ZipArchive, { references }: PackageFacts) =>
  before.name !== after.name && references?.mentions.has(before) === true && after.name === jpegName(before, original.entries)

interface PictureCheckOptions {
  /** True if a PNG may become a JPEG. Default: false. */
  readonly mayBecomeJpeg?: boolean
  /** Files that were already decoded and compared. `undefined`: none. */
  readonly verified?: VerifiedFiles | undefined
}

/** Returns why `after` must not replace the picture in `entry`; `undefined` if it may. Frees `after`. */
export async function entryPictureProblem(
  archive: ZipArchive,
  entry: ZipEntry,
  after: Uint8Array,
  known: PictureCheckOptions = {},
): Promise<string | undefined> {
  const before = await readEntry(archive, entry)
  const difference = await pictureProblem(before, after, known)
  discard(before)
  discard(after)
  return difference
}

/** Returns why one picture must not replace another (kind, aspect ratio, damage); `undefined` if it may. */
export async function pictureProblem(
  before: Uint8Array,
  after: Uint8Array,
  { mayBecomeJpeg = false, verified }: PictureCheckOptions = {},
): Promise<string | undefined> {
  const [old, fresh] = [readPictureHeader(before), readPictureHeader(after)]
  // SVG and TIFF have no header reader here. Their codec verified them, and the CRC proves that the bytes are the codec's.
  if (!old && !fresh) return undefined
  if (!old || !fresh || (old.kind !== fresh.kind && !(mayBecomeJpeg && old.kind === 'png' && fresh.kind === 'jpg')))
    return 'the picture has another format'
  const aspect = (fresh.width * old.height) / (fresh.height * old.width)
  if (fresh.width > old.width || Math.abs(aspect - 1) > ASPECT_TOLERANCE + 1 / Math.min(fresh.width, fresh.height)) {
    return `the picture of ${old.width}×${old.height} became ${fresh.width}×${fresh.height}`
  }
  return verified?.has(after) || (await decodesCompletely(after)) ? undefined : 'the picture does not decode'
}

/**
 * Returns why `after` must not replace the part `part` of `before` (kind, aspect ratio, similarity); `undefined` if it may.
 * `cut`: true if `after` is only the part; false if it has the whole size and only the part must be similar.
 */
export async function cropProblem(before: Uint8Array, after: Uint8Array, part: Rect, cut: boolean): Promise<string | undefined> {
  const isSimilar = (left: Similarity | undefined) => left !== undefined && left.ssim >= FLOOR_SSIM && left.psnrDb >= FLOOR_PSNR_DB
  if (!cut) {
    const problem = await pictureProblem(before, after, { mayBecomeJpeg: true })
    if (problem || isSimilar(await similarity(before, after))) return problem
    return isSimilar(await partSimilarity(before, after, part)) ? undefined : 'the shown part of the picture is not similar enough'
  }
  const [old, fresh] = [readPictureHeader(before), readPictureHeader(after)]
  if (!old || !fresh || (old.kind !== fresh.kind && !(old.kind === 'png' && fresh.kind === 'jpg'))) return 'the picture has another format'
  const aspect = (fresh.width * part.height) / (fresh.height * part.width)
  if (fresh.width > part.width || Math.abs(aspect - 1) > ASPECT_TOLERANCE + 1 / Math.min(fresh.width, fresh.height))
    return `a part of ${part.width}×${part.height} became ${fresh.width}×${fresh.height}`
  return isSimilar(await similarity(before, after, part)) ? undefined : 'the part of the picture is not similar enough'
}
