/**
 * Measures the pictures of a PDF pair by pair, in two ways: as stored samples (a downsampled picture against the original at the same
 * size), and as the pages show them at 144 dpi. A receipt may claim the worse of both at most.
 */

import { openDocument } from '../formats/pdf/document.ts'
import { type Duplicates, findDuplicates } from '../formats/pdf/duplicates.ts'
import { findPdfEnd } from '../formats/pdf/end.ts'
import { isBilevel } from '../formats/pdf/images/bilevel.ts'
import { canDecodeExactRows, decodeExactRows } from '../formats/pdf/images/exact-rows.ts'
import { type ImageFacts, imageFacts } from '../formats/pdf/images/facts.ts'
import { comparisonSizes, scoresAtPlacement } from '../formats/pdf/images/grids.ts'
import { imageVerifier } from '../formats/pdf/images/judge.ts'
import { type Mask, openMask } from '../formats/pdf/images/mask.ts'
import { type DecodedPicture, measurePicture } from '../formats/pdf/images/measure.ts'
import { toRgbPicture } from '../formats/pdf/images/result.ts'
import { hasRows, openRows } from '../formats/pdf/images/rows.ts'
import { openForComparison } from '../formats/pdf/metadata.ts'
import { type Dict, PdfSyntax, type Stream } from '../formats/pdf/objects.ts'
import { worstPageLoss } from '../formats/pdf/page-render-sizes.ts'
import { Reader } from '../formats/pdf/reader.ts'
import { type DocumentUsage, UsageScan } from '../formats/pdf/usage.ts'
import { mayDropUsageRights } from '../formats/pdf/usage-rights.ts'
import { type StreamPair, verifyGraphs } from '../formats/pdf/verify.ts'
import { message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'
import { lossWithScore, type PictureLoss, pixelLoss, worseLoss } from '../model/loss.ts'
import { stripEqualTrailingData } from '../model/trailing-data.ts'

/** Loss of all pictures (`undefined`: none), and the number of pictures that could not be measured. */
export interface PagePictures {
  readonly loss: PictureLoss | undefined
  readonly unmeasured: number
}

export async function pagePictures(upload: Source, made: Source, options: Options): Promise<PagePictures> {
  const parted = await stripEqualTrailingData(upload, await findPdfEnd(upload), made)
  if ('difference' in parted) throw unsupported(message('files_differ', { difference: parted.difference }))
  const pictures = new Pictures(
    await openForComparison(parted.original, options),
    await Reader.open(parted.result, ''),
    await pagesOf(parted.original, options),
  )
  const image = async (pair: StreamPair) => {
    await pictures.add(pair)
    return undefined
  }
  const allowed = async () => undefined
  const { before, after } = pictures
  const rightsDropped = await mayDropUsageRights(before, options)
  const metadataRemoved = options.metadata !== undefined
  const exceptions = { image, font: allowed, toUnicode: allowed, glyphMap: allowed, rightsDropped, metadataRemoved }
  await verifyGraphs(before, after, exceptions, options.signal)
  return pictures.found()
}

/** Places where the pages of the original draw each picture. */
interface Pages {
  readonly usage: DocumentUsage
  readonly duplicates: Duplicates
}

async function pagesOf(original: Source, options: Options): Promise<Pages> {
  const document = await openDocument(original, options)
  if ('kind' in document) throw unsupported('document_may_not_be_rewritten')
  const { reader, root, pages, reachable: reach } = document
  const duplicates = await findDuplicates(reader, reach.streams, options.signal)
  return { usage: await new UsageScan(reader, duplicates, options.signal).run(root, pages, reach.objects), duplicates }
}

class Pictures {
  readonly before: Reader
  readonly after: Reader
  private readonly pages: Pages
  private readonly measured = new Set<number>()
  private stored: PictureLoss | undefined
  private unmeasured = 0

  constructor(before: Reader, after: Reader, pages: Pages) {
    this.before = before
    this.after = after
    this.pages = pages
  }

  async add(pair: StreamPair): Promise<void> {
    const { usage, duplicates } = this.pages
    const number = duplicates.originalOf(pair.number)
    // Duplicate pictures count as one picture, measured at the places of all duplicates.
    if (this.measured.has(number)) return
    if (number > 0) this.measured.add(number)
    const places = usage.images.get(number)?.placements ?? []
    const grids = comparisonSizes(places)
    const rows = await this.rowsOf(pair)
    if (rows === 'exact') return
    if (rows === 'unknown') {
      this.unmeasured++
      return
    }
    const mask = grids.length > 0 ? await maskOf(this.before, pair.original.dict) : undefined
    const { stored, drawn, ssimulacra2 } = await measurePicture({ ...rows, mask }, grids)
    // The means of a downsampled picture can be equal although pages show a difference, so both measurements must be equal.
    if ([stored, ...drawn].every(isSame)) return
    this.stored = worseLoss(this.stored, lossWithScore(pixelLoss(stored), ssimulacra2))
    for (const place of places) place.page.addLoss(scoresAtPlacement(place, grids, drawn), place.areaShare)
  }

  /** Returns both pictures as rows of rendered samples. Bilevel pictures are compared bit by bit instead: `exact` if equal. */
  private async rowsOf(pair: StreamPair): Promise<{ original: DecodedPicture; result: DecodedPicture } | 'exact' | 'unknown'> {
    const [before, after] = [await factsOf(this.before, pair.original), await factsOf(this.after, pair.result)]
    if (!before || !after) return 'unknown'
    if (isBilevel(before)) return (await imageVerifier(this.before, this.after)(pair)) === undefined ? 'exact' : 'unknown'
    if (!(hasRows(before) || canDecodeExactRows(before)) || !(hasRows(after) || canDecodeExactRows(after))) return 'unknown'
    const original = toRgbPicture(await opened(this.before, pair.original, before), before)
    const result = toRgbPicture(await opened(this.after, pair.result, after), after)
    return original.channels === result.channels ? { original, result } : 'unknown'
  }

  found(): PagePictures {
    const pages = worstPageLoss(this.pages.usage.pages)
    return { loss: pages ? worseLoss(this.stored, pages) : this.stored, unmeasured: this.unmeasured }
  }
}

const opened = (reader: Reader, stream: Stream, facts: ImageFacts) =>
  hasRows(facts) ? openRows(reader, stream, facts) : decodeExactRows(reader, stream, facts)

const isSame = ({ psnrRgbDb }: Similarity) => psnrRgbDb === Number.POSITIVE_INFINITY

const factsOf = async (reader: Reader, stream: Stream): Promise<ImageFacts | undefined> =>
  imageFacts(reader, stream, await reader.filters(stream))

/**
 * Opens the original's mask, which is used for both pictures; the codec verifies that the result's mask is equal. `undefined`: there is
 * no mask, or it cannot be read, so no pixel counts as hidden.
 */
async function maskOf(reader: Reader, dict: Dict): Promise<Mask | undefined> {
  try {
    return await openMask(reader, dict)
  } catch (error) {
    if (error instanceof PdfSyntax) return undefined
    throw error
  }
}
