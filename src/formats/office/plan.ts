/** What will become of a document's parts, decided before anything is written: names change in parts that come first. */

import { FLOOR_PSNR_DB, FLOOR_SSIM, MOST_DB, type Options } from '../../codec/codec.ts'
import { isCodecError } from '../../codec/error.ts'
import { type Splice, spliced } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { IN_MEMORY_BYTES } from '../../containers/zip/limits.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { cropped, surrounded } from '../../embedded/crop.ts'
import { pictureFacts } from '../../embedded/facts.ts'
import { pictureAsJpeg, type Recompressed, recompressPicture } from '../../embedded/recompress.ts'
import { likeness } from '../../embedded/similarity.ts'
import { type Crop, type Crops, editsOf, possibleCrops } from './crops.ts'
import { isImage, type OoxmlDocument, showing } from './document.ts'
import { type EmbeddedFonts, embeddedFonts } from './fonts.ts'
import { type UnusedLayouts, unusedLayouts } from './layouts.ts'
import type { Shown } from './usage.ts'

/** Results kept between the plan and the writing; beyond this, pictures stay PNG. */
const HELD_BYTES = 16 * 1024 * 1024
/** What is smaller gains less than it costs. */
const SMALLEST_PICTURE_BYTES = 600

export interface Plan {
  /** Parts that are pictures, by key. */
  readonly pictures: ReadonlySet<string>
  readonly shown: ReadonlyMap<string, Shown>
  /** Pictures whose samples must not change. */
  readonly exact: ReadonlySet<string>
  /** Results that are ready, by part; `undefined` when nothing was gained. */
  readonly ready: ReadonlyMap<string, Recompressed | undefined>
  readonly renamed: ReadonlyMap<string, { readonly name: string; readonly type: string }>
  readonly dropped: ReadonlySet<string>
  /** Parts whose relationships lead to another part with the same bytes (`ultra`). */
  readonly merged: ReadonlyMap<string, string>
  /** Slide layouts that no slide has (`ultra`); `dropped` has their parts, too. */
  readonly layouts: UnusedLayouts
  /** Pictures cut to what is shown of them, and the texts that say so (`ultra`). */
  readonly cropped: ReadonlySet<string>
  readonly texts: ReadonlyMap<string, string>
  /** Embedded fonts that may lose glyphs (`ultra`). */
  readonly fonts: EmbeddedFonts | undefined
}

const NO_CROPS: Crops = { crops: new Map(), texts: new Map() }
const NO_LAYOUTS: UnusedLayouts = { parts: new Set(), masters: new Map() }

export async function planDocument(document: OoxmlDocument, options: Options): Promise<Plan> {
  const pictures = new Set<string>()
  for (const { relationships } of document.rels) {
    for (const relationship of relationships)
      if (isImage(relationship) && document.parts.has(relationship.part!)) pictures.add(relationship.part!)
  }
  const layouts = options.quality === 'ultra' ? await unusedLayouts(document) : NO_LAYOUTS
  const dropped = await unusedMedia(document)
  for (const part of layouts.parts) {
    dropped.add(part)
    pictures.delete(part)
  }
  const merged = options.quality === 'ultra' ? await duplicates(document, pictures) : new Map<string, string>()
  for (const part of merged.keys()) dropped.add(part)
  if (options.quality === 'ultra') for (const part of thumbnails(document)) dropped.add(part)
  const { shown, exact } = pictures.size > 0 ? await showing(document) : { shown: new Map<string, Shown>(), exact: new Set<string>() }
  for (const [part, twin] of merged) widen(shown, twin, part)

  const ready = new Map<string, Recompressed | undefined>()
  const renamed = new Map<string, { name: string; type: string }>()
  const taken = new Set(document.parts.keys())
  const rename = (part: string, name: string) => {
    taken.add(name.toLowerCase())
    renamed.set(part, { name, type: 'image/jpeg' })
  }
  let held = 0
  const crops =
    options.quality === 'ultra' ? await possibleCrops(document, layouts, new Set([...merged.keys(), ...merged.values()])) : NO_CROPS
  const [cut, blank] = [new Set<string>(), new Set<string>()]
  for (const [part, crop] of crops.crops) {
    if (held > HELD_BYTES) break
    options.signal.throwIfAborted()
    const entry = document.parts.get(part)!
    const fresh = isPngPart(document, part, entry) ? freeJpegName(entry.name, taken) : undefined
    const result = await croppedPicture(document, entry, crop, shown.get(part), fresh !== undefined, options)
    if (!result) continue
    if (result.cut) cut.add(part)
    else blank.add(part)
    held += result.bytes.length
    ready.set(part, result)
    if (fresh !== undefined && result.output === 'jpg') rename(part, fresh)
  }
  for (const part of options.quality === 'high' ? [] : pictures) {
    const entry = document.parts.get(part)!
    if (dropped.has(part) || exact.has(part) || cut.has(part) || blank.has(part) || held > HELD_BYTES || !isPngPart(document, part, entry))
      continue
    options.signal.throwIfAborted()
    const fresh = freeJpegName(entry.name, taken)
    const bytes = await readEntry(document.archive, entry)
    if (pictureFacts(bytes)?.kind !== 'png' || !fresh) continue
    const result = await recompressPicture(bytes, entry.name, options, { shown: shown.get(part), mayBecomeJpeg: true })
    held += result?.bytes.length ?? 0
    ready.set(part, result)
    if (result?.output !== 'jpg') continue
    rename(part, fresh)
  }
  const fonts = options.quality === 'ultra' ? await embeddedFonts(document, options.signal) : undefined
  const texts = new Map(
    [...crops.texts]
      .map(([owner, text]): [string, string, Splice[]] => [owner, text, editsOf(crops, owner, (part) => cut.has(part))])
      .filter(([, , splices]) => splices.length > 0)
      .map(([owner, text, splices]) => [owner, spliced(text, splices)]),
  )
  return { pictures, shown, exact, ready, renamed, dropped, merged, layouts, fonts, cropped: new Set([...cut, ...blank]), texts }
}

/** A crop is worth it from this share of the upload's bytes down. */
const CROP_SHARE = 0.9

/**
 * What is shown of a picture, recompressed; undefined where that gains nothing. A PNG that stays one, in its size, has sharp
 * edges: it keeps its place in a picture of the old size (`cut` is false), because a crop may shift it by part of a pixel.
 */
async function croppedPicture(
  document: OoxmlDocument,
  entry: ZipEntry,
  { rect, facts }: Crop,
  shown: Shown | undefined,
  mayBecomeJpeg: boolean,
  options: Options,
): Promise<(Recompressed & { readonly cut: boolean }) | undefined> {
  const bytes = await readEntry(document.archive, entry)
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
  const measured = await likeness(bytes, made.bytes, rect)
  if (!measured || measured.ssim < FLOOR_SSIM || measured.psnrDb < FLOOR_PSNR_DB) return undefined
  const loss = { ssim: measured.ssim, psnrDb: Math.min(measured.psnrDb, MOST_DB) }
  const small = pictureFacts(made.bytes)
  if (made.output !== 'png' || made.downsampled || !small) return { ...made, loss, cut: true }
  const whole = await surrounded(made.bytes, small, rect, facts, IN_MEMORY_BYTES)
  if (!whole) return undefined
  const packed = await options.inner.compress(whole, stem, { lossless: true })
  const best = packed.kind === 'compressed' ? packed.bytes : whole
  return best.length <= bytes.length * CROP_SHARE ? { bytes: best, output: 'png', downsampled: false, loss, cut: false } : undefined
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

/** Files in a media folder that no relationship leads to and no text names. */
async function unusedMedia(document: OoxmlDocument): Promise<Set<string>> {
  const targets = new Set(document.rels.flatMap(({ relationships }) => relationships.map(({ part }) => part)))
  const unused = new Map<string, string>()
  for (const [part, entry] of document.parts) {
    if (/(^|\/)media\/[^/]+$/.test(part) && !targets.has(part)) unused.set(part, entry.name.split(/[/\\]/).at(-1)!)
  }
  if (unused.size === 0) return new Set()
  for (const [part, entry] of document.parts) {
    if (!/\.(xml|rels|vml)$/.test(part) || unused.size === 0) continue
    let text: string
    try {
      text = new TextDecoder('latin1').decode(await readEntry(document.archive, entry))
    } catch (error) {
      if (isCodecError(error, 'over_budget')) return new Set()
      throw error
    }
    for (const [name, leaf] of unused) if (text.includes(leaf)) unused.delete(name)
  }
  return new Set(unused.keys())
}

/** Pictures with the same bytes as an earlier one. */
async function duplicates(document: OoxmlDocument, pictures: ReadonlySet<string>): Promise<Map<string, string>> {
  const merged = new Map<string, string>()
  const firsts = new Map<string, string[]>()
  for (const part of pictures) {
    const entry = document.parts.get(part)!
    if (entry.opaque || document.typeOf(part) === undefined) continue
    const key = `${entry.size} ${entry.crc32} ${document.typeOf(part)}`
    const candidates = firsts.get(key) ?? []
    firsts.set(key, candidates)
    for (const first of candidates) {
      const [a, b] = [await readEntry(document.archive, document.parts.get(first)!), await readEntry(document.archive, entry)]
      if (Buffer.compare(a, b) === 0) merged.set(part, first)
    }
    if (!merged.has(part)) candidates.push(part)
  }
  return merged
}

/** Preview pictures of the package (ECMA-376 part 2, 11): file managers make their own. */
function thumbnails(document: OoxmlDocument): string[] {
  const found = document.rels.flatMap(({ owner, relationships }) =>
    owner === '' ? relationships.filter(({ type, part }) => /\/thumbnail$/i.test(type) && part !== undefined) : [],
  )
  return found.map(({ part }) => part!).filter((part) => document.parts.has(part))
}

function widen(shown: Map<string, Shown>, part: string, twin: string): void {
  const [a, b] = [shown.get(part), shown.get(twin)]
  if (a && b)
    shown.set(part, { widthInches: Math.max(a.widthInches, b.widthInches), heightInches: Math.max(a.heightInches, b.heightInches) })
  else shown.delete(part)
}
