/**
 * Level `ultra`: removes the parts of pictures that no slide or page shows (a:srcRect, ECMA-376 part 1, 20.1.8.55). The remaining rectangle
 * has whole pixels and contains everything that is shown anywhere. Each use then gets a new crop within it.
 */

import { minOf } from '../../bytes/min-max.ts'
import type { Splice, Tag, TagReader } from '../../containers/xml/scan.ts'
import { readEntry } from '../../containers/zip/read.ts'
import type { Rect } from '../../embedded/crop.ts'
import { type PictureHeader, readPictureHeader } from '../../embedded/image-header.ts'
import { isImage, type OoxmlDocument, type Rels } from './document.ts'
import type { UnusedLayouts } from './layouts.ts'
import { MAX_CROP_PIXELS, MAX_CROP_PIXELS_SHARE, MAX_PICTURE_BYTES, MIN_CROP_PIXELS } from './tuning.ts'

/** Pixels of a JPEG block with halved chroma. A crop that starts on this grid loses least when it is encoded again. */
const JPEG_GRID = 16
/** a:srcRect counts in thousandths of a percent, so 100,000 is the whole side. */
const WHOLE = 100_000

/** Shares of the picture that are cut off at each side, 0–1. */
interface Sides {
  readonly l: number
  readonly t: number
  readonly r: number
  readonly b: number
}

/** One use of a picture with a crop. */
interface CropUse {
  readonly sides: Sides
  /** The a:srcRect tag that crops this use of the picture. */
  readonly tag: Tag
}

export interface Crop {
  readonly rect: Rect
  readonly facts: PictureHeader
  /** Changes to the texts that show the picture, by part. */
  readonly edits: readonly { readonly owner: string; readonly splice: Splice }[]
}

export interface Crops {
  readonly crops: ReadonlyMap<string, Crop>
  /** Texts that show cropped pictures, by part. */
  readonly texts: ReadonlyMap<string, string>
}

/** Reads the crop of every use of the pictures with these relationship ids. */
export class CropUses implements TagReader {
  readonly #uses: Map<string, CropUse[] | 'unclear'>
  readonly #ids: ReadonlySet<string>
  #fill: { depth: number; ids: string[]; crop: CropUse | undefined; unclear: boolean } | undefined
  #depth = 0

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids
    this.#uses = new Map<string, CropUse[] | 'unclear'>([...ids].map((id) => [id, []]))
  }

  read(tag: Tag): void {
    if (tag.kind === 'close') {
      this.#close()
      return
    }
    if (tag.kind === 'open') this.#depth++
    if (tag.local === 'blipFill' && tag.kind === 'open') {
      if (this.#fill) this.#fill.unclear = true
      else this.#fill = { depth: this.#depth, ids: [], crop: undefined, unclear: false }
    }
    const fill = this.#fill
    if (fill && UNCROPPABLE.has(tag.local)) fill.unclear = true
    if (fill && tag.local === 'srcRect') {
      const sides = sidesOf(tag)
      if (sides && !fill.crop) fill.crop = { sides, tag }
      else fill.unclear = true
    }
    for (const { local, value, name } of tag.attributes()) {
      if (!name.includes(':') || !this.#ids.has(value)) continue
      if (fill && tag.local === 'blip' && local === 'embed') fill.ids.push(value)
      else this.#uses.set(value, 'unclear')
    }
  }

  #close(): void {
    const fill = this.#fill
    if (fill && this.#depth === fill.depth) {
      for (const id of fill.ids) {
        const before = this.#uses.get(id)
        if (before === 'unclear' || fill.unclear || !fill.crop || fill.ids.length > 1) this.#uses.set(id, 'unclear')
        else before?.push(fill.crop)
      }
      this.#fill = undefined
    }
    this.#depth--
  }

  /** Uses by relationship id. `unclear`: a use shows the whole picture, shows it in an unsupported way, or there is no use. */
  finish(): ReadonlyMap<string, CropUse[] | 'unclear'> {
    for (const [id, found] of this.#uses) if (found.length === 0) this.#uses.set(id, 'unclear')
    return this.#uses
  }
}

/** Elements that refer to the size of the whole picture: tiles, layers of effects, vector copies, colour changes. */
const UNCROPPABLE: ReadonlySet<string> = new Set(['tile', 'imgLayer', 'svgBlip', 'clrChange'])

function sidesOf(tag: Tag): Sides | undefined {
  const side = (name: string): number => {
    const value = tag.get(name)
    if (value === undefined) return 0
    return /^\d{1,6}$/.test(value) ? Number(value) / WHOLE : Number.NaN
  }
  const sides = { l: side('l'), t: side('t'), r: side('r'), b: side('b') }
  return sides.l + sides.r < 0.99 && sides.t + sides.b < 0.99 ? sides : undefined
}

/** A text that shows cropped pictures. */
export interface CropText {
  readonly xml: string
  readonly uses: ReadonlyMap<string, CropUse[] | 'unclear'>
}

export interface CropRules {
  readonly layouts: UnusedLayouts
  /** Pictures that must stay whole. */
  readonly except: ReadonlySet<string>
}

/** Determines the possible crops from the document alone. `textOf`: crops of a text; `undefined`: it has none or cannot be read. */
export async function possibleCrops(
  document: OoxmlDocument,
  textOf: (rels: Rels) => CropText | undefined,
  { layouts, except }: CropRules,
): Promise<Crops> {
  const found = new Map<string, { owner: string; use: CropUse }[] | 'unclear'>()
  const texts = new Map<string, string>()
  for (const rels of document.rels) {
    const { owner, relationships } = rels
    if (layouts.parts.has(owner)) continue
    const images = relationships.filter(isImage)
    for (const { part, type } of relationships) if (part !== undefined && !/\/image$/i.test(type)) found.set(part, 'unclear')
    if (images.length === 0) continue
    const read = layouts.masters.has(owner) ? undefined : textOf(rels)
    if (read) texts.set(owner, read.xml)
    for (const { id, part } of images) {
      const uses = read?.uses.get(id) ?? 'unclear'
      const before = found.get(part!) ?? []
      found.set(part!, uses === 'unclear' || before === 'unclear' ? 'unclear' : [...before, ...uses.map((use) => ({ owner, use }))])
    }
  }
  const crops = new Map<string, Crop>()
  for (const [part, uses] of found) {
    if (uses === 'unclear' || except.has(part)) continue
    const crop = await cropOf(document, part, uses)
    if (crop) crops.set(part, crop)
  }
  const owners = new Set([...crops.values()].flatMap(({ edits }) => edits.map(({ owner }) => owner)))
  return { crops, texts: new Map([...texts].filter(([owner]) => owners.has(owner))) }
}

async function cropOf(document: OoxmlDocument, part: string, uses: readonly { owner: string; use: CropUse }[]): Promise<Crop | undefined> {
  const entry = document.parts.get(part)
  if (!entry || entry.opaque || entry.size > MAX_PICTURE_BYTES) return undefined
  const least = (side: keyof Sides) => minOf(uses.map(({ use }) => use.sides[side]))
  const [l, t, r, b] = [least('l'), least('t'), least('r'), least('b')]
  if ((1 - l - r) * (1 - t - b) > MAX_CROP_PIXELS_SHARE) return undefined
  const bytes = await readEntry(document.archive, entry)
  const facts = readPictureHeader(bytes)
  if (!facts?.comparable || facts.isRotated || (facts.kind === 'png' && bytes[24] === 16)) return undefined
  const grid = facts.kind === 'jpg' ? JPEG_GRID : 1
  const before = (share: number, size: number) => (grid > 1 ? Math.floor((share * size) / grid) * grid : Math.round(share * size))
  const endPixel = (share: number, size: number) => Math.round((1 - share) * size)
  const [left, top] = [before(l, facts.width), before(t, facts.height)]
  const rect = { left, top, width: endPixel(r, facts.width) - left, height: endPixel(b, facts.height) - top }
  const pixels = rect.width * rect.height
  if (rect.width < 1 || rect.height < 1 || pixels > MAX_CROP_PIXELS || pixels > facts.width * facts.height * MAX_CROP_PIXELS_SHARE)
    return undefined
  const edits = uses.map(({ owner, use }) => ({
    owner,
    splice: { start: use.tag.start, end: use.tag.end, text: within(use, facts, rect) },
  }))
  return { rect, facts, edits }
}

/** Writes the a:srcRect tag of a use for the cropped picture. */
function within({ sides, tag }: CropUse, { width, height }: PictureHeader, rect: Rect): string {
  const share = (cut: number, size: number) => (cut > MIN_CROP_PIXELS ? Math.round((cut / size) * WHOLE) : 0)
  const fresh = {
    l: share(sides.l * width - rect.left, rect.width),
    t: share(sides.t * height - rect.top, rect.height),
    r: share(sides.r * width - (width - rect.left - rect.width), rect.width),
    b: share(sides.b * height - (height - rect.top - rect.height), rect.height),
  }
  const attributes = Object.entries(fresh).map(([name, value]) => (value > 0 ? ` ${name}="${value}"` : ''))
  return `<${tag.name}${attributes.join('')}${tag.kind === 'empty' ? '/' : ''}>`
}

/** Changes to the text of `owner` for the crops that were applied. */
export function editsOf(crops: Crops, owner: string, applied: (part: string) => boolean): Splice[] {
  return [...crops.crops].flatMap(([part, { edits }]) =>
    applied(part) ? edits.filter((edit) => edit.owner === owner).map(({ splice }) => splice) : [],
  )
}

/**
 * Determines from the result's texts which crops were applied.
 * @returns the cropped parts, or a description of an unexpected change
 */
export function appliedCrops(crops: Crops, textAfter: (owner: string) => string | undefined): ReadonlySet<string> | string {
  const applied = new Set<string>()
  for (const [owner, before] of crops.texts) {
    const after = textAfter(owner)
    if (after === undefined) return `${owner} is missing`
    if (after === before) continue
    // Compare each crop in text order: its text is either unchanged, or changed exactly as the crop requires.
    let shift = 0
    const places = [...crops.crops]
      .flatMap(([part, { edits }]) => edits.filter((edit) => edit.owner === owner).map(({ splice }) => ({ part, splice })))
      .sort((a, b) => a.splice.start - b.splice.start)
    for (const { part, splice } of places) {
      const at = splice.start + shift
      const old = before.slice(splice.start, splice.end)
      if (after.startsWith(old, at)) continue
      if (!after.startsWith(splice.text, at)) return `${owner}: text other than crops changed`
      applied.add(part)
      shift += splice.text.length - old.length
    }
  }
  return applied
}
