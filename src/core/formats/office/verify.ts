/** Verifies a recompressed document by comparing both packages part by part. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { groupBy } from '../../bytes/group-by.ts'
import { applySplices, decodeXml, encodeXml } from '../../containers/xml/scan.ts'
import { archiveDataDifference, contentDifference } from '../../containers/zip/compare.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { replacementProblem } from '../../embedded/lossless-replacement.ts'
import { cropProblem, entryPictureProblem } from '../../embedded/package-codec.ts'
import type { VerifiedFiles } from '../../embedded/verification-cache.ts'
import type { Options, Verdict } from '../../model/codec.ts'
import { appliedCrops, type Crops, editsOf, possibleCrops } from './crops.ts'
import { CONTENT_TYPES, isImage, type OoxmlDocument } from './document.ts'
import { gatherFacts } from './facts.ts'
import { type EmbeddedFonts, fontProblem } from './fonts.ts'
import { unusedLayouts } from './layouts.ts'
import { ownerOf, partKey, type Relationship } from './parts.ts'

/**
 * Checks that every part exists with the same bytes. Pictures may change if they decode with the same aspect ratio, embedded documents if
 * their codec verified them (the archive's CRC protects their bytes).
 * Relationships keep ids, types and modes, and refer to the same part or its replacement.
 */
export async function verifyDocument(
  original: OoxmlDocument,
  result: OoxmlDocument,
  options: Options,
  verified?: VerifiedFiles,
): Promise<Verdict> {
  const outside = await archiveDataDifference(original.archive, result.archive)
  if (outside) return different(outside)
  const successors = new Map<string, string>()
  const ultra = options.quality === 'ultra'
  const facts = ultra ? await gatherFacts(original, { shown: false, removable: true, media: new Map() }, options.signal) : undefined
  const layouts = facts && (await unusedLayouts(original, facts.layouts))
  const fonts = facts?.fonts
  const dropped = new Set<string>(layouts?.parts)
  const documents: Documents = { original, result, successors, dropped, options }
  const relationshipProblem = findRelationshipProblem(documents, layouts?.parts)
  if (relationshipProblem) return different(relationshipProblem)
  const crops = layouts && (await possibleCrops(original, (rels) => facts?.crops.get(rels), { layouts, except: new Set() }))
  const cut = crops && (await cropsOf(crops, result))
  if (typeof cut === 'string') return different(cut)
  for (const [part, entry] of original.parts) {
    options.signal.throwIfAborted()
    if (part === CONTENT_TYPES || ownerOf(entry.name) !== undefined) continue
    const place = successors.get(part) ?? part
    const after = result.parts.get(place)
    if (!after) {
      if (dropped.has(part) || (layouts && isUnusedMedia(original, part))) continue
      return different(`${entry.name} is missing`)
    }
    const text = layouts?.masters.get(part) ?? cut?.texts.get(part)
    if (text !== undefined) {
      if (equalBytes(await readEntry(result.archive, after), encodeXml(text))) continue
      return different(`${entry.name}: text other than removed layouts and crops changed`)
    }
    const type = original.typeOf(part)
    const fresh = result.typeOf(place)
    if (type !== fresh && !(place !== part && mayReplaceType(type, fresh))) return different(`${entry.name}: type ${type} became ${fresh}`)
    const crop = crops?.crops.get(part)
    const changed = entry.size !== after.size || entry.crc32 !== after.crc32
    const problem =
      crop && changed
        ? await cropProblem(
            await readEntry(original.archive, entry),
            await readEntry(result.archive, after),
            crop.rect,
            cut?.parts.has(part) === true,
          )
        : await compareParts({ original, result, fonts, verified }, entry, after)
    if (problem) return different(`${entry.name}: ${problem}`)
  }
  const known = new Set([...original.parts.keys(), ...successors.values()])
  const added = [...result.parts.keys()].find((part) => !known.has(part))
  return added ? different(`${added} was added`) : { equal: true }
}

/** Compares the relationships of all owners that stay. `removed`: keys of the removed layouts. Returns a description of the first problem. */
function findRelationshipProblem(documents: Documents, removed: ReadonlySet<string> | undefined): string | undefined {
  const { original, result, dropped } = documents
  for (const rels of original.rels) {
    if (removed?.has(rels.owner)) continue
    const after = result.rels.find(({ entry }) => entry.name === rels.entry.name)
    if (!after) return `${rels.entry.name} is missing`
    const problem = compareRelationships(rels.relationships, after.relationships, documents)
    if (problem) return `${rels.entry.name}: ${problem}`
    const kept = rels.relationships.filter((each) => !(each.part && dropped.has(each.part)))
    if (after.relationships.length > kept.length) return `${rels.entry.name}: relationships were added`
  }
  return undefined
}

/** Returns the crops of the result and the texts that they require, or a description of the problem. */
async function cropsOf(crops: Crops, result: OoxmlDocument): Promise<{ parts: ReadonlySet<string>; texts: Map<string, string> } | string> {
  const after = new Map<string, string>()
  for (const owner of crops.texts.keys()) {
    const entry = result.parts.get(owner)
    try {
      if (entry) after.set(owner, decodeXml(await readEntry(result.archive, entry)))
    } catch (error) {
      if (isEngineError(error, 'xml')) return `${owner}: ${error.message}`
      throw error
    }
  }
  const applied = appliedCrops(crops, (owner) => after.get(owner))
  if (typeof applied === 'string') return applied
  const texts = [...crops.texts].map(([owner, text]): [string, string] => [
    owner,
    applySplices(
      text,
      editsOf(crops, owner, (part) => applied.has(part)),
    ),
  ])
  return { parts: applied, texts: new Map(texts) }
}

const different = (difference: string): Verdict => ({ equal: false, difference })

interface Documents {
  readonly original: OoxmlDocument
  readonly result: OoxmlDocument
  /** Renamed or merged parts of the original, mapped to their replacement. */
  readonly successors: Map<string, string>
  readonly dropped: Set<string>
  readonly options: Options
}

function compareRelationships(
  before: readonly Relationship[],
  after: readonly Relationship[],
  { original, result, successors, dropped, options }: Documents,
): string | undefined {
  // Invalid documents may use an id several times. Such relationships are matched in their order.
  const byId = groupBy(after, ({ id }) => id)
  for (const old of before) {
    const fresh = byId.get(old.id)?.shift()
    if (!fresh) {
      if (old.part && /\/slideLayout$/i.test(old.type) && dropped.has(old.part)) continue
      if (options.quality === 'ultra' && /\/thumbnail$/i.test(old.type) && old.part) {
        dropped.add(old.part)
        continue
      }
      return `relationship ${old.id} is missing`
    }
    if (fresh.type !== old.type || fresh.external !== old.external) return `relationship ${old.id} has another type or mode`
    if (old.part === undefined || fresh.part === undefined) {
      if (fresh.target !== old.target) return `relationship ${old.id} has another target`
      continue
    }
    if (original.parts.has(old.part) && !result.parts.has(fresh.part))
      return `relationship ${old.id} refers to ${fresh.part}, which does not exist`
    if (fresh.part === old.part) continue
    if (!isImage(old)) return `relationship ${old.id} refers to ${fresh.part} instead of ${old.part}`
    const known = successors.get(old.part)
    if (known !== undefined && known !== fresh.part) return `relationships to ${old.part} now refer to two parts`
    successors.set(old.part, fresh.part)
  }
  return undefined
}

/** True for media files that no relationship refers to. Level `ultra` may remove them. */
function isUnusedMedia(original: OoxmlDocument, part: string): boolean {
  return /(^|\/)media\/[^/]+$/.test(part) && !original.rels.some(({ relationships }) => relationships.some((each) => each.part === part))
}

/** PNG, BMP and TIFF may become JPEG; BMP and TIFF may also become PNG. */
const mayReplaceType = (type: string | undefined, fresh: string | undefined) =>
  fresh === 'image/jpeg' || (fresh === 'image/png' && /(bmp|tiff?)$/.test(type ?? ''))

interface Compared extends Pick<Documents, 'original' | 'result'> {
  readonly fonts: EmbeddedFonts | undefined
  readonly verified: VerifiedFiles | undefined
}

async function compareParts(
  { original, result, fonts, verified }: Compared,
  before: ZipEntry,
  after: ZipEntry,
): Promise<string | undefined> {
  if (before.opaque || after.opaque || (before.size === after.size && before.crc32 === after.crc32)) {
    return contentDifference(original.archive, before, result.archive, after)
  }
  const bytes = await readEntry(result.archive, after)
  const part = partKey(before.name)
  if (/(^|\/)embeddings\/[^/]+$/.test(part))
    return bytes[0] === 0x50 && bytes[1] === 0x4b ? undefined : 'the embedded document is not a ZIP package any more'
  if (fonts?.keys.has(part)) return fontProblem(await readEntry(original.archive, before), bytes, part, fonts)
  if (!original.rels.some(({ relationships }) => relationships.some((each) => each.part === part && isImage(each))))
    return 'its bytes changed'
  if (/\.tiff?$/.test(part) || (/\.(bmp|dib)$/.test(part) && readPictureHeader(bytes)?.kind !== 'bmp'))
    return replacementProblem(await readEntry(original.archive, before), bytes)
  return entryPictureProblem(original.archive, before, bytes, { mayBecomeJpeg: true, verified })
}
