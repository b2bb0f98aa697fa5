/** Compresses pictures whose name or size changes, before anything is written: crops, PNG to JPEG, and BMP and TIFF to PNG or JPEG. */

import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../catalog/floors.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { IN_MEMORY_BYTES } from '../../containers/zip/limits.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { cropToPng, padToPng } from '../../embedded/crop.ts'
import { removedFrom } from '../../embedded/gone.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { recompressAsPng } from '../../embedded/lossless-replacement.ts'
import { pictureAsJpeg, type RecompressedPicture, recompressPicture } from '../../embedded/recompress.ts'
import { similarity } from '../../embedded/similarity.ts'
import type { Options } from '../../model/codec.ts'
import { lossWithScore, NO_STILL_PICTURE, pixelLoss } from '../../model/loss.ts'
import type { Crop, Crops } from './crops.ts'
import { isImage, type OoxmlDocument } from './document.ts'
import { CROP_EDIT_BYTES, MAX_CROP_BYTES_SHARE, MAX_PICTURE_BYTES, MAX_READY_BYTES, MIN_RENAMED_BYTES } from './tuning.ts'
import type { DisplayedSize } from './usage.ts'

/** `cut`: true if the picture has fewer pixels; false if hidden parts were blanked. */
type CroppedPicture = RecompressedPicture & { readonly cut: boolean }

export class PlannedPictures {
  /** Results by part. `undefined`: nothing was saved. */
  readonly ready = new Map<string, RecompressedPicture | undefined>()
  readonly renamed = new Map<string, { readonly name: string; readonly type: string }>()
  /** `cut`: parts with fewer pixels. `blanked`: parts of the old size whose hidden areas are white. */
  readonly cut = new Set<string>()
  readonly blanked = new Set<string>()
  readonly #document: OoxmlDocument
  readonly #shown: ReadonlyMap<string, DisplayedSize>
  readonly #options: Options
  /** Lower-case names of all parts, including the new names. */
  readonly #usedNames: Set<string>
  #readyBytes = 0

  constructor(document: OoxmlDocument, shown: ReadonlyMap<string, DisplayedSize>, options: Options) {
    this.#document = document
    this.#shown = shown
    this.#options = options
    this.#usedNames = new Set(document.parts.keys())
  }

  async crop(crops: Crops): Promise<void> {
    for (const [part, crop] of crops.crops) {
      if (this.#readyBytes > MAX_READY_BYTES) break
      this.#options.signal.throwIfAborted()
      const entry = this.#document.parts.get(part)!
      const fresh = isPngPart(this.#document, part, entry) ? freeJpegName(entry.name, this.#usedNames) : undefined
      const result = await this.#cropped(entry, crop, this.#shown.get(part), fresh !== undefined)
      if (!result) continue
      const kind = result.cut ? this.cut : this.blanked
      kind.add(part)
      this.#store(part, result, fresh)
    }
  }

  /** Compresses those of `parts` that may be renamed and were not cropped: PNG below level `high`, BMP and TIFF at all levels. */
  async recompressRenamed(parts: readonly string[]): Promise<void> {
    for (const part of parts) {
      const entry = this.#document.parts.get(part)!
      if (this.cut.has(part) || this.blanked.has(part) || this.#readyBytes > MAX_READY_BYTES) continue
      this.#options.signal.throwIfAborted()
      if (mayBecomePng(this.#document, part, entry)) await this.#replacement(part, entry)
      else if (this.#options.quality !== 'high' && isPngPart(this.#document, part, entry)) await this.#png(part, entry)
    }
  }

  async #png(part: string, entry: ZipEntry): Promise<void> {
    const fresh = freeJpegName(entry.name, this.#usedNames)
    const bytes = await readEntry(this.#document.archive, entry)
    if (readPictureHeader(bytes)?.kind !== 'png' || !fresh) return
    const wanted = { shown: this.#shown.get(part), mayBecomeJpeg: true }
    this.#store(part, await recompressPicture(bytes, entry.name, this.#options, wanted), fresh)
  }

  /** Converts a BMP or TIFF. If that saves nothing, the picture is later compressed under its old name. */
  async #replacement(part: string, entry: ZipEntry): Promise<void> {
    const names = { png: freeName(entry.name, ['png'], this.#usedNames), jpg: freeJpegName(entry.name, this.#usedNames) }
    if (!names.png) return
    const wanted = { shown: this.#shown.get(part), mayBecomeJpeg: names.jpg !== undefined }
    const bytes = await readEntry(this.#document.archive, entry)
    const result = await recompressAsPng(bytes, entry.name.split('/').at(-1)!, this.#options, wanted)
    if (result) this.#store(part, result, names.jpg, names.png)
  }

  #store(part: string, result: RecompressedPicture | undefined, jpegName: string | undefined, pngName?: string): void {
    this.#readyBytes += result?.bytes.length ?? 0
    this.ready.set(part, result)
    const name = result?.output === 'jpg' ? jpegName : pngName
    if (name === undefined) return
    this.#usedNames.add(name.toLowerCase())
    this.renamed.set(part, { name, type: result?.output === 'jpg' ? 'image/jpeg' : 'image/png' })
  }

  /**
   * Returns the shown part of a picture, recompressed. `undefined`: nothing is saved.
   * A PNG that keeps its size has sharp edges, and a crop may shift them by part of a pixel. It therefore keeps its position in a picture
   * of the old size (`cut` is false).
   */
  async #cropped(
    entry: ZipEntry,
    { rect, facts }: Crop,
    shown: DisplayedSize | undefined,
    mayBecomeJpeg: boolean,
  ): Promise<CroppedPicture | undefined> {
    const options = this.#options
    const bytes = await readEntry(this.#document.archive, entry)
    const part = await cropToPng(bytes, facts, rect, IN_MEMORY_BYTES)
    if (!part) return undefined
    const size = shown && {
      widthInches: (shown.widthInches * rect.width) / facts.width,
      heightInches: (shown.heightInches * rect.height) / facts.height,
    }
    const stem = entry.name.split('/').at(-1)!
    const made =
      facts.kind === 'jpg'
        ? await pictureAsJpeg(part, stem, options, { shown: size })
        : ((await recompressPicture(part, stem, options, { shown: size, mayBecomeJpeg })) ?? {
            bytes: part,
            output: 'png',
            downsampled: false,
          })
    if (!made || made.bytes.length > bytes.length * MAX_CROP_BYTES_SHARE) return undefined
    const whole = await recompressPicture(bytes, stem, options, { shown, mayBecomeJpeg })
    if (whole && whole.bytes.length <= made.bytes.length + CROP_EDIT_BYTES) return undefined
    const measured = await similarity(bytes, made.bytes, rect)
    if (!measured || measured.ssim < FLOOR_SSIM || measured.psnrDb < FLOOR_PSNR_DB) return undefined
    const loss = lossWithScore(pixelLoss(measured), made.loss ? made.loss.ssimulacra2 : NO_STILL_PICTURE)
    const small = readPictureHeader(made.bytes)
    if (made.output !== 'png' || made.downsampled || !small) return { ...made, loss, cut: true }
    const blanked = await padToPng(made.bytes, small, rect, facts, IN_MEMORY_BYTES)
    if (!blanked) return undefined
    const packed = await options.inner.compress(blanked, stem, { lossless: true })
    const best = packed.kind === 'compressed' ? packed.bytes : blanked
    const removed = packed.kind === 'compressed' ? removedFrom(packed.outcome) : undefined
    const most = Math.min(bytes.length * MAX_CROP_BYTES_SHARE, whole ? whole.bytes.length : bytes.length)
    return best.length <= most
      ? { bytes: best, output: 'png', downsampled: false, loss, cut: false, ...(removed && { removed }) }
      : undefined
  }
}

const isPngPart = (document: OoxmlDocument, part: string, entry: ZipEntry): boolean =>
  /\.png$/i.test(part) && document.typeOf(part) === 'image/png' && mayBeRenamed(document, part, entry)

/** True for BMP and TIFF parts that a PNG or JPEG may replace. */
const mayBecomePng = (document: OoxmlDocument, part: string, entry: ZipEntry): boolean =>
  ((/\.(bmp|dib)$/i.test(part) && /^image\/(x-|x-ms-|x-windows-)?bmp$/.test(document.typeOf(part) ?? '')) ||
    (/\.tiff?$/i.test(part) && /^image\/(x-)?tiff?$/.test(document.typeOf(part) ?? ''))) &&
  mayBeRenamed(document, part, entry)

/** True if only image relationships refer to the picture and its name needs no escaping. */
function mayBeRenamed(document: OoxmlDocument, part: string, entry: ZipEntry): boolean {
  if (entry.opaque || entry.size < MIN_RENAMED_BYTES || entry.size > MAX_PICTURE_BYTES || !/^[\w./ -]+$/.test(entry.name)) return false
  return document.rels.every(({ relationships }) => relationships.every((each) => each.part !== part || isImage(each)))
}

const freeJpegName = (name: string, taken: ReadonlySet<string>) => freeName(name, ['jpeg', 'jpg'], taken)

/** Returns the name with the first of these extensions that no part has. `undefined`: all are taken. */
function freeName(name: string, extensions: readonly string[], taken: ReadonlySet<string>): string | undefined {
  const stem = name.slice(0, name.lastIndexOf('.'))
  return extensions.map((extension) => `${stem}.${extension}`).find((candidate) => !taken.has(candidate.toLowerCase()))
}
