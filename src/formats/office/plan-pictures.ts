/** Pictures that are made ready before anything is written: cut to what is shown of them, or PNG that is better as JPEG. */

import { FLOOR_PSNR_DB, FLOOR_SSIM, type Options } from '../../codec/codec.ts'
import { NO_STILL_PICTURE, ofPixels, scored } from '../../codec/loss.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { IN_MEMORY_BYTES } from '../../containers/zip/limits.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { cropped, surrounded } from '../../embedded/crop.ts'
import { pictureFacts } from '../../embedded/facts.ts'
import { pictureAsJpeg, type Recompressed, recompressPicture } from '../../embedded/recompress.ts'
import { similarity } from '../../embedded/similarity.ts'
import type { Crop, Crops } from './crops.ts'
import { isImage, type OoxmlDocument } from './document.ts'
import type { Shown } from './usage.ts'

/** Results kept between the plan and the writing; beyond this, pictures stay PNG. */
const HELD_BYTES = 16 * 1024 * 1024
/** What is smaller gains less than it costs. */
const SMALLEST_PICTURE_BYTES = 600
/** A crop is worth it from this share of the upload's bytes down. */
const CROP_SHARE = 0.9

/** `cut`: the picture became smaller; otherwise what is not shown was blanked. */
type CroppedPicture = Recompressed & { readonly cut: boolean }

export class PlannedPictures {
  /** Results, by part; `undefined` when nothing was gained. */
  readonly ready = new Map<string, Recompressed | undefined>()
  readonly renamed = new Map<string, { readonly name: string; readonly type: string }>()
  /** Pictures of a new size, and of the old one with less in it. */
  readonly cut = new Set<string>()
  readonly blanked = new Set<string>()
  readonly #document: OoxmlDocument
  readonly #shown: ReadonlyMap<string, Shown>
  readonly #options: Options
  /** Names of parts, in lower case, the new ones among them. */
  readonly #taken: Set<string>
  #heldBytes = 0

  constructor(document: OoxmlDocument, shown: ReadonlyMap<string, Shown>, options: Options) {
    this.#document = document
    this.#shown = shown
    this.#options = options
    this.#taken = new Set(document.parts.keys())
  }

  async crop(crops: Crops): Promise<void> {
    for (const [part, crop] of crops.crops) {
      if (this.#heldBytes > HELD_BYTES) break
      this.#options.signal.throwIfAborted()
      const entry = this.#document.parts.get(part)!
      const fresh = isPngPart(this.#document, part, entry) ? freeJpegName(entry.name, this.#taken) : undefined
      const result = await this.#cropped(entry, crop, this.#shown.get(part), fresh !== undefined)
      if (!result) continue
      const kind = result.cut ? this.cut : this.blanked
      kind.add(part)
      this.#keep(part, result, fresh)
    }
  }

  /** Those of `parts` that are PNG, and were not cropped before. */
  async recompressPngs(parts: readonly string[]): Promise<void> {
    for (const part of parts) {
      const entry = this.#document.parts.get(part)!
      if (this.cut.has(part) || this.blanked.has(part) || this.#heldBytes > HELD_BYTES || !isPngPart(this.#document, part, entry)) continue
      this.#options.signal.throwIfAborted()
      const fresh = freeJpegName(entry.name, this.#taken)
      const bytes = await readEntry(this.#document.archive, entry)
      if (pictureFacts(bytes)?.kind !== 'png' || !fresh) continue
      const wanted = { shown: this.#shown.get(part), mayBecomeJpeg: true }
      this.#keep(part, await recompressPicture(bytes, entry.name, this.#options, wanted), fresh)
    }
  }

  #keep(part: string, result: Recompressed | undefined, jpegName: string | undefined): void {
    this.#heldBytes += result?.bytes.length ?? 0
    this.ready.set(part, result)
    if (jpegName === undefined || result?.output !== 'jpg') return
    this.#taken.add(jpegName.toLowerCase())
    this.renamed.set(part, { name: jpegName, type: 'image/jpeg' })
  }

  /**
   * What is shown of a picture, recompressed; undefined where that gains nothing. A PNG that stays one, in its size, has sharp
   * edges: it keeps its place in a picture of the old size (`cut` is false), because a crop may shift it by part of a pixel.
   */
  async #cropped(
    entry: ZipEntry,
    { rect, facts }: Crop,
    shown: Shown | undefined,
    mayBecomeJpeg: boolean,
  ): Promise<CroppedPicture | undefined> {
    const options = this.#options
    const bytes = await readEntry(this.#document.archive, entry)
    const part = await cropped(bytes, facts, rect, IN_MEMORY_BYTES)
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
    if (!made || made.bytes.length > bytes.length * CROP_SHARE) return undefined
    const measured = await similarity(bytes, made.bytes, rect)
    if (!measured || measured.ssim < FLOOR_SSIM || measured.psnrDb < FLOOR_PSNR_DB) return undefined
    const loss = scored(ofPixels(measured), made.loss ? made.loss.ssimulacra2 : NO_STILL_PICTURE)
    const small = pictureFacts(made.bytes)
    if (made.output !== 'png' || made.downsampled || !small) return { ...made, loss, cut: true }
    const whole = await surrounded(made.bytes, small, rect, facts, IN_MEMORY_BYTES)
    if (!whole) return undefined
    const packed = await options.inner.compress(whole, stem, { lossless: true })
    const best = packed.kind === 'compressed' ? packed.bytes : whole
    return best.length <= bytes.length * CROP_SHARE ? { bytes: best, output: 'png', downsampled: false, loss, cut: false } : undefined
  }
}

/** A PNG that only image relationships lead to, under a name that needs no escapes. */
function isPngPart(document: OoxmlDocument, part: string, entry: ZipEntry): boolean {
  if (entry.opaque || entry.size < SMALLEST_PICTURE_BYTES || !/\.png$/i.test(part) || !/^[\w./ -]+$/.test(entry.name)) return false
  if (document.typeOf(part) !== 'image/png') return false
  return document.rels.every(({ relationships }) => relationships.every((each) => each.part !== part || isImage(each)))
}

/** The same folder and stem with a JPEG's extension, if no part has it. */
function freeJpegName(name: string, taken: ReadonlySet<string>): string | undefined {
  const stem = name.slice(0, name.lastIndexOf('.'))
  return [`${stem}.jpeg`, `${stem}.jpg`].find((candidate) => !taken.has(candidate.toLowerCase()))
}
