/** Packages whose pictures are recompressed in place: EPUB, KMZ, OFD. They keep their names, but for PNGs of photographs that may become JPEG. */

import { discard } from '../../../wasm/memories/discard.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { encodeXml } from '../containers/xml/scan.ts'
import { changedFact, differentBytes, differentShell } from '../containers/zip/compare.ts'
import type { ZipEntry } from '../containers/zip/entry.ts'
import { openZip, readEntry, type ZipArchive } from '../containers/zip/read.ts'
import { type Arrange, repack, repackSteps, verifyRepacked } from '../containers/zip/repack.ts'
import { type Fate, KEEP, rewriteZip } from '../containers/zip/rewrite.ts'
import { type Message, message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Codec, Options, Outcome, Sink, Verdict } from '../model/codec.ts'
import { lossOf, type PictureLoss, worseLoss } from '../model/loss.ts'
import type { Rect } from './crop.ts'
import { Gone, recompressedStep } from './gone.ts'
import { pictureFacts } from './image-header.ts'
import { type Recompressed, recompressPicture } from './recompress.ts'
import { jpegName, type References, renamedTexts } from './renaming.ts'
import { decodes, partSimilarity, similarity } from './similarity.ts'
import { VerifiedFiles } from './verification-cache.ts'

/** Larger pictures stay as they are: the codec holds one and its result. */
const LARGEST_PICTURE_BYTES = 24 * 1024 * 1024
const SMALLEST_PICTURE_BYTES = 600
/** Downsampling keeps the shape of a picture within this. */
const ASPECT_TOLERANCE = 0.02

/** What a codec knows about one package. */
export interface Survey {
  /** Why the bytes of every file must stay (a signature, encryption); nothing but re-deflating is done then. */
  readonly signed?: Message
  /** Files that must stay byte for byte although they look like pictures. */
  readonly untouchable?: ReadonlySet<ZipEntry>
  /** Files that go because another stands for them, and the texts that say so. */
  readonly duplicates?: { readonly merged: ReadonlyMap<ZipEntry, ZipEntry>; readonly texts: ReadonlyMap<ZipEntry, string> }
  /** PNGs that may become JPEG, by what names them. */
  readonly references?: References
  /** The size at which pictures are shown, where it is known for sure. */
  readonly shown?: ReadonlyMap<ZipEntry, { readonly widthInches: number; readonly heightInches: number }>
}

export interface PictureRules {
  survey(archive: ZipArchive, options: Pick<Options, 'signal' | 'quality'>): Promise<Survey>
  readonly arrange?: Arrange
  /** Files that are written stored. */
  readonly stores?: (entry: ZipEntry) => boolean
}

export function packageCodec(format: Codec['format'], rules: PictureRules): Codec {
  const arrange = rules.arrange ?? ((same: ZipArchive) => same)
  const recipe = (entry: ZipEntry): Fate => (rules.stores?.(entry) ? { kind: 'store' } : KEEP)
  return {
    format,
    async compress(source, sink, options) {
      const archive = arrange(await openZip(source, format.id))
      const survey = await rules.survey(archive, options)
      if (survey.signed !== undefined || options.lossless) {
        return repack(archive, sink, options, { recipe }, survey.signed === undefined ? [] : [survey.signed])
      }
      return compressPictures(archive, survey, sink, options, recipe)
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
  survey: Survey,
  sink: Sink,
  options: Options,
  recipe: (entry: ZipEntry) => Fate,
): Promise<Outcome & { readonly evidence: VerifiedFiles }> {
  const evidence = new VerifiedFiles()
  const gone = new Gone()
  const ready = await readyPictures(archive, survey, options)
  const renamed = new Set([...ready].filter(([, made]) => made?.output === 'jpg').map(([entry]) => entry))
  const texts = survey.references ? renamedTexts(survey.references, renamed) : new Map<ZipEntry, Uint8Array>()
  let [pictures, recompressed, downsampled] = [0, 0, 0]
  let loss: PictureLoss | undefined
  const counts = await rewriteZip(archive, sink, options, async (entry, load) => {
    if (survey.duplicates?.merged.has(entry)) return { kind: 'drop' }
    const named = texts.get(entry)
    if (named) return { kind: 'replace', bytes: named }
    const text = survey.duplicates?.texts.get(entry)
    if (text !== undefined) return { kind: 'replace', bytes: encodeXml(text) }
    if (!isTried(entry, survey)) return recipe(entry)
    pictures++
    const result = ready.has(entry)
      ? ready.get(entry)
      : await recompressPicture(await load(), entry.name.split('/').at(-1)!, options, { shown: survey.shown?.get(entry) })
    if (!result) return KEEP
    recompressed++
    evidence.add(result.bytes)
    gone.add(result.gone)
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
  const steps = [...done, ...gone.steps(), ...repackSteps(counts), ...(options.inner.time?.steps() ?? [])]
  const merged = [...(survey.duplicates?.merged.keys() ?? [])]
  const fonts = merged.filter(({ name }) => !PICTURE.test(name)).length
  if (merged.length > 0)
    steps.push(message('parts_merged_with_equal_files', { files: merged.length, pictures: merged.length - fonts, fonts }))
  return { kind: 'compressed', ...lossOf(loss), steps, evidence }
}

/** Results kept between planning and writing; beyond this, PNGs keep their names. */
const HELD_BYTES = 16 * 1024 * 1024

/** Pictures that may get another name, made before anything is written: the texts that name them may come first. */
async function readyPictures(archive: ZipArchive, survey: Survey, options: Options): Promise<Map<ZipEntry, Recompressed | undefined>> {
  const ready = new Map<ZipEntry, Recompressed | undefined>()
  let heldBytes = 0
  if (options.quality === 'high') return ready
  for (const entry of survey.references?.mentions.keys() ?? []) {
    if (!isTried(entry, survey) || survey.duplicates?.merged.has(entry) || heldBytes > HELD_BYTES) continue
    options.signal.throwIfAborted()
    const wanted = { shown: survey.shown?.get(entry), mayBecomeJpeg: true }
    const made = await recompressPicture(await readEntry(archive, entry), entry.name.split('/').at(-1)!, options, wanted)
    heldBytes += made?.bytes.length ?? 0
    ready.set(entry, made)
  }
  return ready
}

const isTried = (entry: ZipEntry, survey: Survey) =>
  mayChange(entry, survey) && entry.size >= SMALLEST_PICTURE_BYTES && entry.size <= LARGEST_PICTURE_BYTES

const PICTURE = /\.(jpe?g|jpe|png|gif|bmp)$/i
const mayChange = (entry: ZipEntry, survey: Survey) =>
  !entry.opaque && !entry.isDirectory && PICTURE.test(entry.name) && !survey.untouchable?.has(entry)

interface Packages {
  readonly original: ZipArchive
  readonly result: ZipArchive
  readonly survey: Survey
  readonly verified: VerifiedFiles | undefined
}

/** Every file in its place with its facts and bytes; pictures decode, in the same kind and shape. */
async function verifyPictures({ original, result, survey, verified }: Packages, signal: AbortSignal): Promise<Verdict> {
  const different = (difference: string): Verdict => ({ equal: false, difference })
  const expected = original.physical.filter((entry) => !survey.duplicates?.merged.has(entry))
  if (expected.length !== result.physical.length) return different(`${expected.length} files became ${result.physical.length}`)
  const around = await differentShell(original, result)
  if (around) return different(around)
  const renamed = new Set(expected.filter((before, index) => isRenamed(before, result.physical[index]!, original, survey)))
  const texts = survey.references ? renamedTexts(survey.references, renamed) : new Map<ZipEntry, Uint8Array>()
  for (const [index, before] of expected.entries()) {
    signal.throwIfAborted()
    const after = result.physical[index]!
    const fact = changedFact(before, renamed.has(before) ? { ...after, rawName: before.rawName } : after)
    if (fact) return different(`${before.name}: ${fact} changed`)
    const named = texts.get(before)
    if (named) {
      if (Buffer.compare(await readEntry(result, after), named) === 0) continue
      return different(`${before.name}: more than the names of pictures changed`)
    }
    const text = survey.duplicates?.texts.get(before)
    if (text !== undefined) {
      if (Buffer.compare(await readEntry(result, after), encodeXml(text)) === 0) continue
      return different(`${before.name}: more than the names of equal files changed`)
    }
    const picture = mayChange(before, survey) && (before.size !== after.size || before.crc32 !== after.crc32)
    const problem = picture
      ? await unlikePicturesOf(original, before, await readEntry(result, after), { verified, mayBecomeJpeg: renamed.has(before) })
      : await differentBytes(original, before, result, after)
    if (problem) return different(`${before.name}: ${problem}`)
  }
  return { equal: true }
}

/** A PNG whose every mention is understood, under the one name that it may get. */
const isRenamed = (before: ZipEntry, after: ZipEntry, original: ZipArchive, { references }: Survey) =>
  before.name !== after.name && references?.mentions.has(before) === true && after.name === jpegName(before, original.entries)

interface Known {
  /** A PNG may become a JPEG. */
  readonly mayBecomeJpeg?: boolean
  /** Decoded and compared before. */
  readonly verified?: VerifiedFiles | undefined
}

/** Why a picture cannot stand for the one in an entry; `after` is freed. */
export async function unlikePicturesOf(
  archive: ZipArchive,
  entry: ZipEntry,
  after: Uint8Array,
  known: Known = {},
): Promise<string | undefined> {
  const before = await readEntry(archive, entry)
  const difference = await unlikePictures(before, after, known)
  discard(before)
  discard(after)
  return difference
}

/** Why one picture cannot stand for another: kind, shape, damage. */
export async function unlikePictures(
  before: Uint8Array,
  after: Uint8Array,
  { mayBecomeJpeg = false, verified }: Known = {},
): Promise<string | undefined> {
  const [old, fresh] = [pictureFacts(before), pictureFacts(after)]
  // Kinds without a header reader here (SVG, TIFF) were verified by their codec; the CRC says that these are its bytes.
  if (!old && !fresh) return undefined
  if (!old || !fresh || (old.kind !== fresh.kind && !(mayBecomeJpeg && old.kind === 'png' && fresh.kind === 'jpg')))
    return 'the picture changed its kind'
  const aspect = (fresh.width * old.height) / (fresh.height * old.width)
  if (fresh.width > old.width || Math.abs(aspect - 1) > ASPECT_TOLERANCE + 1 / Math.min(fresh.width, fresh.height)) {
    return `the picture of ${old.width}×${old.height} became one of ${fresh.width}×${fresh.height}`
  }
  return verified?.has(after) || (await decodes(after)) ? undefined : 'the picture does not decode'
}

/**
 * Why one picture cannot stand for a part of another: kind, shape, similarity. `cut`: it is the part alone; else it has the
 * whole size, and only the part must look the same.
 */
export async function unlikeCrop(before: Uint8Array, after: Uint8Array, part: Rect, cut: boolean): Promise<string | undefined> {
  const stands = (left: Similarity | undefined) => left !== undefined && left.ssim >= FLOOR_SSIM && left.psnrDb >= FLOOR_PSNR_DB
  if (!cut) {
    const problem = await unlikePictures(before, after, { mayBecomeJpeg: true })
    if (problem || stands(await similarity(before, after))) return problem
    return stands(await partSimilarity(before, after, part)) ? undefined : 'what is shown of the picture does not look the same'
  }
  const [old, fresh] = [pictureFacts(before), pictureFacts(after)]
  if (!old || !fresh || (old.kind !== fresh.kind && !(old.kind === 'png' && fresh.kind === 'jpg'))) return 'the picture changed its kind'
  const aspect = (fresh.width * part.height) / (fresh.height * part.width)
  if (fresh.width > part.width || Math.abs(aspect - 1) > ASPECT_TOLERANCE + 1 / Math.min(fresh.width, fresh.height))
    return `a part of ${part.width}×${part.height} became ${fresh.width}×${fresh.height}`
  return stands(await similarity(before, after, part)) ? undefined : 'the part of the picture does not look the same'
}
