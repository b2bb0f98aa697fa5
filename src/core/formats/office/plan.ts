/** Plan for all parts of a document. It is complete before anything is written, because renamed pictures change parts that come first. */

import { equalBytes } from '../../bytes/equal.ts'
import { applySplices } from '../../containers/xml/scan.ts'
import { readEntry } from '../../containers/zip/read.ts'
import type { RecompressedPicture } from '../../embedded/recompress.ts'
import type { Options } from '../../model/codec.ts'
import { type Crops, editsOf, possibleCrops } from './crops.ts'
import { isImage, type OoxmlDocument, pictureUsage } from './document.ts'
import { gatherFacts, mediaWithoutRelationship } from './facts.ts'
import type { EmbeddedFonts } from './fonts.ts'
import { type UnusedLayouts, unusedLayouts } from './layouts.ts'
import { PlannedPictures } from './plan-pictures.ts'
import type { DisplayedSize } from './usage.ts'

export interface DocumentPlan {
  /** Keys of the package's parts that are pictures. */
  readonly pictures: ReadonlySet<string>
  readonly shown: ReadonlyMap<string, DisplayedSize>
  /** Pictures whose samples must not change. */
  readonly exact: ReadonlySet<string>
  /** Finished results by part. `undefined` as a value: nothing was saved. */
  readonly ready: ReadonlyMap<string, RecompressedPicture | undefined>
  readonly renamed: ReadonlyMap<string, { readonly name: string; readonly type: string }>
  readonly dropped: ReadonlySet<string>
  /** Dropped parts, each with the part of the same bytes that replaces it (level `ultra`). */
  readonly merged: ReadonlyMap<string, string>
  /** Slide layouts that no slide uses (level `ultra`). Their parts are also in `dropped`. */
  readonly layouts: UnusedLayouts
  /** Pictures cropped to their shown part, and the changed texts (level `ultra`). */
  readonly cropped: ReadonlySet<string>
  readonly texts: ReadonlyMap<string, string>
  /** Embedded fonts that may be subset (level `ultra`). `undefined`: none. */
  readonly fonts: EmbeddedFonts | undefined
}

const NO_CROPS: Crops = { crops: new Map(), texts: new Map() }
const NO_LAYOUTS: UnusedLayouts = { parts: new Set(), masters: new Map() }

export async function planDocument(document: OoxmlDocument, options: Options): Promise<DocumentPlan> {
  const ultra = options.quality === 'ultra'
  const pictures = picturesOf(document)
  const media = ultra ? mediaWithoutRelationship(document) : new Map<string, string>()
  const facts = await gatherFacts(document, { shown: pictures.size > 0, removable: ultra, media }, options.signal)
  const layouts = ultra ? await unusedLayouts(document, facts.layouts) : NO_LAYOUTS
  const dropped = new Set(facts.unnamedMedia)
  for (const part of layouts.parts) {
    dropped.add(part)
    pictures.delete(part)
  }
  const merged = ultra ? await duplicates(document, pictures) : new Map<string, string>()
  for (const part of merged.keys()) dropped.add(part)
  if (ultra) for (const part of thumbnails(document)) dropped.add(part)
  const { shown, exact } = pictureUsage(document, (rels) => facts.pictures.get(rels))
  for (const [part, duplicate] of merged) {
    mergeDisplayedSize(shown, duplicate, part)
    if (exact.has(part)) exact.add(duplicate)
  }

  const planned = new PlannedPictures(document, shown, options)
  const except = new Set([...merged.keys(), ...merged.values()])
  const crops = ultra ? await possibleCrops(document, (rels) => facts.crops.get(rels), { layouts, except }) : NO_CROPS
  await planned.crop(crops)
  await planned.recompressRenamed([...pictures].filter((part) => !dropped.has(part) && !exact.has(part)))
  return {
    pictures,
    shown,
    exact,
    ready: planned.ready,
    renamed: planned.renamed,
    dropped,
    merged,
    layouts,
    fonts: facts.fonts,
    cropped: new Set([...planned.cut, ...planned.blanked]),
    texts: textsWithCrops(crops, planned.cut),
  }
}

/** Returns the parts that image relationships refer to. */
function picturesOf(document: OoxmlDocument): Set<string> {
  const pictures = new Set<string>()
  for (const { relationships } of document.rels) {
    for (const relationship of relationships) {
      if (isImage(relationship) && relationship.part !== undefined && document.parts.has(relationship.part)) pictures.add(relationship.part)
    }
  }
  return pictures
}

/** Returns the changed texts that show cropped pictures. */
function textsWithCrops(crops: Crops, cut: ReadonlySet<string>): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [owner, text] of crops.texts) {
    const splices = editsOf(crops, owner, (part) => cut.has(part))
    if (splices.length > 0) texts.set(owner, applySplices(text, splices))
  }
  return texts
}

/** Returns pictures with the same bytes as an earlier picture, mapped to that one. */
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
      if (equalBytes(a, b)) merged.set(part, first)
    }
    if (!merged.has(part)) candidates.push(part)
  }
  return merged
}

/** Preview pictures of the package (ECMA-376 part 2, 11). File managers make their own. */
function thumbnails(document: OoxmlDocument): string[] {
  const found = document.rels.flatMap(({ owner, relationships }) =>
    owner === '' ? relationships.filter(({ type, part }) => /\/thumbnail$/i.test(type) && part !== undefined) : [],
  )
  return found.map(({ part }) => part!).filter((part) => document.parts.has(part))
}

function mergeDisplayedSize(shown: Map<string, DisplayedSize>, part: string, duplicate: string): void {
  const [a, b] = [shown.get(part), shown.get(duplicate)]
  if (a && b)
    shown.set(part, { widthInches: Math.max(a.widthInches, b.widthInches), heightInches: Math.max(a.heightInches, b.heightInches) })
  else shown.delete(part)
}
