/** Pictures of PDF pages as they are stored, pair by pair; one that was reduced against the upload's, reduced to its size. */
import type { Options, Source } from '../codec/codec.ts'
import { unsupported } from '../codec/error.ts'
import { ofPixels, type PictureLoss, worseLoss } from '../codec/loss.ts'
import { type ImageFacts, imageFacts } from '../formats/pdf/images/facts.ts'
import { type Mask, MaskRows, openMask } from '../formats/pdf/images/mask.ts'
import { withOpacity } from '../formats/pdf/images/opacity.ts'
import { hasRows, openRows, type Rows } from '../formats/pdf/images/rows.ts'
import { RowScaler } from '../formats/pdf/images/scale.ts'
import { PdfSyntax, type Stream } from '../formats/pdf/objects.ts'
import { Reader } from '../formats/pdf/reader.ts'
import { type Pair, verifyGraphs } from '../formats/pdf/verify.ts'
import { type Similarity, SimilarityMeter } from '../quality/metrics.ts'

/** What was found, and how many pictures could not be measured. */
export interface PagePictures {
  readonly loss: PictureLoss | undefined
  readonly unmeasured: number
}

export async function pagePictures(original: Source, result: Source, options: Options): Promise<PagePictures> {
  const [a, b] = [await Reader.open(original, ''), await Reader.open(result, '')]
  let loss: PictureLoss | undefined
  let unmeasured = 0
  const image = async (pair: Pair) => {
    const found = await pairSimilarity(a, b, pair)
    if (found === 'unmeasured') unmeasured++
    else if (found.psnrRgbDb !== Number.POSITIVE_INFINITY) loss = worseLoss(loss, ofPixels(found))
    return undefined
  }
  const allowed = async () => undefined
  await verifyGraphs(a, b, { image, font: allowed, toUnicode: allowed, glyphMap: allowed }, options.signal)
  return { loss, unmeasured }
}

interface Stored {
  readonly reader: Reader
  readonly stream: Stream
  readonly facts: ImageFacts
}

async function storedOf(reader: Reader, stream: Stream): Promise<Stored | undefined> {
  const facts = await imageFacts(reader, stream, await reader.filters(stream))
  return facts && hasRows(facts) ? { reader, stream, facts } : undefined
}

async function pairSimilarity(a: Reader, b: Reader, { original, result }: Pair): Promise<Similarity | 'unmeasured'> {
  const [before, after] = [await storedOf(a, original), await storedOf(b, result)]
  if (!before || !after) return 'unmeasured'
  const [left, right] = [
    await openRows(before.reader, before.stream, before.facts),
    await openRows(after.reader, after.stream, after.facts),
  ]
  // Inks are no colours that SSIM is defined for.
  if (left.channels !== right.channels || left.channels === 4) return 'unmeasured'
  // The original's for both: whether the result's is the same is for the codec to say.
  const maskOf = () => openMask(a, original.dict)
  return measured(await belowMask(left, maskOf), await belowMask(right, maskOf))
}

/** As far as a mask shows it: what is hidden may have any colour. */
async function belowMask(rows: Rows, maskOf: () => Promise<Mask | undefined>): Promise<Rows> {
  const mask = await maskOf().catch(unread)
  if (!mask) return rows
  const { width, height, channels } = rows
  const masks = new MaskRows(mask, width, height)
  async function* strips() {
    for await (const strip of rows.strips) yield withOpacity(strip, channels, await masks.next(strip.length / (width * channels)))
  }
  return { width, height, channels: 4, strips: strips() }
}

/** Where a mask cannot be read, no colours below it were changed. */
function unread(error: unknown): undefined {
  if (!(error instanceof PdfSyntax)) throw error
}

async function measured(original: Rows, { strips, width, height, channels }: Rows): Promise<Similarity> {
  using meter = new SimilarityMeter(width, height, channels as 1 | 3 | 4)
  const before = scaled(original, { width, height })
  let rest: Uint8Array = new Uint8Array()
  for await (const strip of strips) {
    for (let at = 0; at < strip.length; ) {
      if (rest.length === 0) rest = (await before.next()).value ?? new Uint8Array()
      if (rest.length === 0) throw unsupported('a picture that ends early')
      const length = Math.min(rest.length, strip.length - at)
      meter.push(rest.subarray(0, length), strip.subarray(at, at + length))
      rest = rest.subarray(length)
      at += length
    }
  }
  return meter.finish()
}

async function* scaled(rows: Rows, size: { width: number; height: number }): AsyncGenerator<Uint8Array, undefined> {
  const scaler =
    rows.width === size.width && rows.height === size.height ? undefined : new RowScaler(rows, size, 'area', rows.channels === 4)
  for await (const strip of rows.strips) {
    if (scaler) yield* scaler.push(strip)
    else yield strip
  }
  return undefined
}
