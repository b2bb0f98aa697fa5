/** Recompresses the JPEG and PNG pictures of an RTF file. Memory holds one picture and its result. */
import { suggestedZst } from '../../containers/wrapper/suggestion.ts'
import { RemovedData, recompressedStep } from '../../embedded/gone.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { recompressPicture } from '../../embedded/recompress.ts'
import { MAX_PICTURE_BYTES, MIN_PICTURE_BYTES } from '../../embedded/tuning.ts'
import { VerifiedFiles } from '../../embedded/verification-cache.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { lossOf, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { type NewPicture, partsOf, textOf } from './edits.ts'
import { hexLength, layoutOf } from './hex.ts'
import type { RtfPicture } from './picture.ts'
import { copy, dataOf } from './ranges.ts'
import { scanRtf } from './scan.ts'
import { LAYOUT_BYTES } from './tuning.ts'

/** True for pictures that are worth the work. */
export const isCandidate = ({ bytes }: RtfPicture): boolean => bytes >= MIN_PICTURE_BYTES && bytes <= MAX_PICTURE_BYTES

export async function compressRtf(source: Source, sink: Sink, options: Options): Promise<Outcome & { readonly evidence?: VerifiedFiles }> {
  const found = (await scanRtf(source, options.signal)).filter(isCandidate)
  const evidence = new VerifiedFiles()
  const gone = new RemovedData()
  let [at, recompressed, downsampled, jpegs] = [0, 0, 0, 0]
  let loss: PictureLoss | undefined
  for (const picture of found) {
    options.signal.throwIfAborted()
    const made = await smallerPicture(source, picture, options)
    options.progress(picture.data.end / source.size)
    if (!made) continue
    recompressed++
    if (made.result.downsampled) downsampled++
    if (made.fresh.kind !== picture.kind) jpegs++
    if (made.result.loss) loss = worseLoss(loss, made.result.loss)
    evidence.add(made.fresh.bytes)
    gone.add(made.result.removed)
    at = await writePicture(source, picture, made.fresh, { sink, at })
  }
  if (recompressed === 0) return { kind: 'unchanged', reason: 'no_gain', ...(await nothingFound(source, found.length, options)) }
  await copy(source, { start: at, end: source.size }, sink)
  const details = [
    ...(downsampled > 0 ? [message('pictures_downsampled_to_shown', { pictures: downsampled })] : []),
    ...(jpegs > 0 ? [message('pngs_to_jpeg', { pictures: jpegs })] : []),
  ]
  const steps = [recompressedStep(recompressed, found.length, details), ...gone.steps(), ...(options.inner.time?.steps() ?? [])]
  return { kind: 'compressed', ...lossOf(loss), steps, ...gone.field(), evidence }
}

async function nothingFound(source: Source, pictures: number, options: Options) {
  const suggestion = await suggestedZst(source, options.signal)
  return {
    ...(pictures === 0 && { detail: message('rtf_has_no_pictures') }),
    ...(suggestion && { suggestion }),
  }
}

async function smallerPicture(source: Source, picture: RtfPicture, options: Options) {
  const bytes = await dataOf(source, picture)
  if (readPictureHeader(bytes)?.kind !== picture.kind) return undefined
  const layout = picture.length ? undefined : layoutOf(await source.read(picture.data.start, LAYOUT_BYTES))
  const sizeOf = ({ length }: Uint8Array) => (layout ? hexLength(length, layout) : length)
  const { shown } = picture
  const request = { shown, sizeOf, mayBecomeJpeg: true, ...(options.lossless && { lossless: true }) }
  const result = await recompressPicture(bytes, `picture.${picture.kind}`, options, request)
  if (!result || (result.output !== 'jpg' && result.output !== 'png')) return undefined
  const { start, end } = picture.data
  if (result.bytes.length >= bytes.length || sizeOf(result.bytes) >= end - start) return undefined
  return { result, fresh: { kind: result.output, bytes: result.bytes, layout } satisfies NewPicture }
}

/** Writes the file from `at` to the end of the picture. Returns the offset behind it. */
async function writePicture(
  source: Source,
  picture: RtfPicture,
  fresh: NewPicture,
  { sink, at }: { readonly sink: Sink; readonly at: number },
): Promise<number> {
  let from = at
  for (const { role, range } of partsOf(picture)) {
    await copy(source, { start: from, end: range.start }, sink)
    for (const text of textOf(role, fresh)) await sink.write(text)
    from = range.end
  }
  return from
}
