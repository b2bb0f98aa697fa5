/**
 * Compares a result with independent readers. They must decode the same as Whittle's decoders, and be as close to the original as the
 * receipt claims. Each result is read once per run.
 */
import { createHash } from 'node:crypto'
import { decodedRows } from '../../../src/core/images/convert/decoders.ts'
import type { Outcome } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { pngRows } from '../../../wasm/png/png.ts'
import { type Difference, differenceOf } from './figures.ts'
import { gunzip, isZip, unzip } from './packed.ts'
import { qpdfCheck, renderPages } from './pdf.ts'
import { isReadable, type Picture, type Readable, readPicture, recompressPng } from './pictures.ts'

export interface Result {
  /** Format of the original. `output`: format of the result. */
  readonly format: string
  readonly output: string
  readonly upload: Uint8Array
  readonly bytes: Uint8Array
  readonly outcome: Outcome
}

interface Claim {
  readonly ssim: number
  readonly psnrDb: number
}

/** Largest rounding difference of an independent decoder in any pixel, of 255. The JPEG standard leaves the inverse DCT open. */
const ROUNDING: Readonly<Record<Readable, number>> = { png: 0, jpg: 2, webp: 2, avif: 2 }
/** How far a claim may exceed the measurement of pictures. Pages have a larger slack, because two renderers draw edges differently. */
const PICTURE_SLACK = { ssim: 0.005, psnrDb: 0.5 }
/** Largest difference of PDFium's edges, of 255, if the same outlines come from another font program. */
const PAGE_ROUNDING = 4
const PAGE_SLACK = { ssim: 0.02, psnrDb: 1.5 }
const FLOORS: Claim = { ssim: 0.9, psnrDb: 30 }
/** Scale of rendered pages: 144 dpi, as receipts measure them. */
const PAGE_SCALE = 2

const read = new Set<string>()

/**
 * Checks a result with all readers of its format.
 * @throws Error with the reader and the difference
 */
export async function expectReadersAgree(result: Result): Promise<void> {
  const { format, output, upload, bytes, outcome } = result
  if (outcome.kind !== 'compressed') return
  const key = createHash('sha256')
    .update(upload)
    .update(bytes)
    .update(JSON.stringify([format, output, claimOf(outcome)]))
    .digest('hex')
  if (read.has(key)) return
  // jSquash reads still pictures only.
  if (output === 'webp' && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('ANMF')) return
  if (isReadable(output)) await pictureAgrees(result, output)
  else if (output === 'pdf') await pagesAgree(result)
  else if (output === 'gz' || output === 'nii.gz') expectSame('fflate', format === 'gz' ? gunzip(upload) : upload, gunzip(bytes))
  else if (isZip(bytes) && isZip(upload)) await membersAgree(result)
  read.add(key)
}

async function pictureAgrees({ format, upload, bytes, outcome }: Result, output: Readable): Promise<void> {
  const foreign = await readPicture(output, bytes)
  await ownAgrees(output, bytes, foreign)
  if (output === 'png') await rewrittenAgrees(bytes, foreign)
  if (!isReadable(format)) return
  const difference = differenceOf(await readPicture(format, upload), foreign)
  checkDifference(`the ${output}`, difference, claimOf(outcome), { ...PICTURE_SLACK, largest: 0 })
}

async function ownAgrees(output: Readable, bytes: Uint8Array, foreign: Picture): Promise<void> {
  const { largest } = differenceOf(await ownPicture(output, bytes, foreign), foreign)
  if (largest > ROUNDING[output]) throw new Error(`our ${output} decoder and another differ by ${largest} of 255`)
}

/** Checks that OxiPNG, which parses chunks, filters and checksums itself, reads the same picture. */
async function rewrittenAgrees(bytes: Uint8Array, foreign: Picture): Promise<void> {
  const { largest } = differenceOf(await readPicture('png', await recompressPng(bytes)), foreign)
  if (largest > 0) throw new Error(`OxiPNG reads another picture: ${largest} of 255`)
}

async function pagesAgree({ upload, bytes, outcome }: Result): Promise<void> {
  const { severity, lines } = await qpdfCheck(bytes)
  if (severity > (await qpdfCheck(upload)).severity) throw new Error(`qpdf --check: ${lines.join('; ')}`)
  // A PDF that needs a password cannot be rendered and is skipped.
  const before = await renderPages(upload, PAGE_SCALE).catch(() => undefined)
  if (!before) return
  const after = await renderPages(bytes, PAGE_SCALE)
  if (after.count !== before.count) throw new Error(`PDFium finds ${after.count} pages, and ${before.count} in the upload`)
  for (const [i, page] of after.drawn.entries()) {
    checkDifference(`page ${i + 1}, drawn by PDFium`, differenceOf(before.drawn[i]!, page), claimOf(outcome), {
      ...PAGE_SLACK,
      largest: PAGE_ROUNDING,
    })
  }
}

/** Names of members that codecs rewrite. All other members are copied unchanged. */
const REWRITTEN = /\.(xml|rels|svg|x?html?|css|opf|ncx|kml|ttf|otf|woff2?|odttf|bin|emf|wmf|bmp|gif|tiff?)$|^mimetype$/i
const PICTURE = /\.(?:(jpe?g)|png)$/i

/** Checks that all members are unchanged, except pictures, which are compared as pictures, and members that codecs rewrite. */
async function membersAgree({ upload, bytes }: Result): Promise<void> {
  const [before, after] = [unzip(upload), unzip(bytes)]
  for (const [name, content] of after) {
    const old = before.get(name)
    const kind = PICTURE.exec(name)
    if (old && Buffer.compare(old, content) === 0) continue
    if (kind) await memberAgrees(name, kind[1] ? 'jpg' : 'png', content, old)
    else if (!REWRITTEN.test(name)) throw new Error(`fflate reads another ${name}`)
  }
}

async function memberAgrees(name: string, format: Readable, content: Uint8Array, old: Uint8Array | undefined): Promise<void> {
  const foreign = await readPicture(format, content)
  await ownAgrees(format, content, foreign)
  const reference = old && (await readPicture(format, old))
  // A downsampled picture is compared by its codec, at its new size.
  if (reference?.width !== foreign.width || reference.height !== foreign.height) return
  checkDifference(name, differenceOf(reference, foreign), FLOORS, { ssim: 0, psnrDb: 0, largest: 0 })
}

const claimOf = (outcome: Outcome): Claim | undefined => (outcome.kind === 'compressed' ? outcome.loss?.pictures : undefined)

/** Checks a difference against a claim. Without a claim the result is lossless, so nothing may differ. */
function checkDifference(
  what: string,
  { ssim, psnrDb, largest }: Difference,
  claim: Claim | undefined,
  slack: Claim & { largest: number },
): void {
  const figures = `SSIM ${ssim.toFixed(4)}, ${psnrDb.toFixed(2)} dB`
  if (!claim && largest > slack.largest) throw new Error(`${what} is called lossless, and differs by ${largest} of 255 (${figures})`)
  if (!claim) return
  const least = Math.max(FLOORS.psnrDb, belowRounding(claim.psnrDb - slack.psnrDb))
  if (ssim < Math.max(FLOORS.ssim, claim.ssim - slack.ssim) || psnrDb < least)
    throw new Error(`${what} is worse than its receipt says: ${figures}, claimed ${JSON.stringify(claim)}`)
}

/** Mean squared error of luma if both pictures are rounded to 8 bits per channel: twice 1/12, weighted by the luma coefficients. */
const ROUNDING_ERROR = (2 / 12) * (0.299 ** 2 + 0.587 ** 2 + 0.114 ** 2)

/** Converts a PSNR measured before rounding to the PSNR after rounding. */
const belowRounding = (psnrDb: number) => -10 * Math.log10(10 ** (-psnrDb / 10) + ROUNDING_ERROR / (255 * 255))

function expectSame(reader: string, wanted: Uint8Array, found: Uint8Array): void {
  if (Buffer.compare(wanted, found) !== 0) throw new Error(`${reader} reads other bytes`)
}

/**
 * Decodes a result with Whittle's own decoder.
 * @throws Error if the size differs or the file is damaged
 */
async function ownPicture(output: Readable, bytes: Uint8Array, { width, height }: Picture): Promise<Picture> {
  const rgba = new Uint16Array(width * height * 4)
  const source = memorySource(bytes, `a.${output}`)
  let at = 0
  if (output === 'png') {
    for await (const { rows } of pngRows(source.stream(), 'rgba16')) {
      const samples = new DataView(rows.buffer, rows.byteOffset, rows.length)
      for (let i = 0; i < rows.length; i += 2) rgba[at++] = samples.getUint16(i, true)
    }
  } else {
    for await (const rows of decodedRows(output, source, { width, height })) for (const sample of rows) rgba[at++] = sample * 257
  }
  if (at !== rgba.length) throw new Error(`our ${output} decoder gives ${at} of ${rgba.length} samples`)
  return { width, height, rgba }
}
