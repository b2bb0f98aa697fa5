/**
 * Determines the displayed size of pictures in an OFD (GB/T 33190-2016). Pages place an ImageObject (clause 10) by its CTM in millimetres.
 * Its ResourceID refers to a MultiMedia of a resource file (7.9), whose MediaFile is the picture.
 */

import { EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { hypot } from '../../bytes/same-math.ts'
import { decodeXml, scanTags } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { folderOf, normalPath } from './paths.ts'
import { MAX_XML_BYTES } from './tuning.ts'

const MM_PER_INCH = 25.4

interface Shown {
  readonly widthInches: number
  readonly heightInches: number
}

/** Displayed size of each picture. Pictures of unknown size are absent. */
export async function displayedSizes(archive: ZipArchive): Promise<Map<ZipEntry, Shown>> {
  const byPath = new Map(archive.entries.map((entry) => [entry.name.replace(/\\/g, '/').toLowerCase(), entry]))
  const pages = new Pages(byPath)
  for (const entry of archive.entries) {
    if (!/\.xml$/i.test(entry.name) || entry.opaque) continue
    // Resource ids are unique only within a document, so the document's folder is part of the key.
    const document = entry.name.replace(/\\/g, '/').split('/')[0]!.toLowerCase()
    try {
      if (entry.size > MAX_XML_BYTES)
        throw new EngineError('xml', 'damaged', `XML text of ${entry.size} bytes, at most ${MAX_XML_BYTES} are read`)
      pages.read(decodeXml(await readEntry(archive, entry)), entry.name, document)
    } catch (error) {
      // An unreadable file may show any picture at any size, so all sizes are unknown.
      if (isEngineError(error, 'xml')) return new Map()
      throw error
    }
  }
  return pages.shown()
}

/** Collects references to pictures from pages and resource files. */
class Pages {
  readonly #byPath: ReadonlyMap<string, ZipEntry>
  readonly #media = new Map<string, ZipEntry>()
  readonly #uses = new Map<string, Shown | 'unknown'>()

  constructor(byPath: ReadonlyMap<string, ZipEntry>) {
    this.#byPath = byPath
  }

  shown(): Map<ZipEntry, Shown> {
    const shown = new Map<ZipEntry, Shown>()
    const unclear = new Set<ZipEntry>()
    for (const [id, picture] of this.#media) {
      const use = this.#uses.get(id)
      const before = shown.get(picture)
      if (!use || use === 'unknown') unclear.add(picture)
      else {
        const widthInches = Math.max(use.widthInches, before?.widthInches ?? 0)
        shown.set(picture, { widthInches, heightInches: Math.max(use.heightInches, before?.heightInches ?? 0) })
      }
    }
    for (const picture of unclear) shown.delete(picture)
    return shown
  }

  /** Reads one page or resource file. @throws EngineError if the text is not XML */
  read(xml: string, name: string, document: string): void {
    const uses = this.#uses
    let base = ''
    let multimedia: string | undefined
    let composite = 0
    for (const tag of scanTags(xml)) {
      if (tag.kind === 'close') {
        if (tag.local === 'MultiMedia') multimedia = undefined
        if (COMPOSITE.has(tag.local)) composite--
        continue
      }
      if (COMPOSITE.has(tag.local) && tag.kind === 'open') composite++
      if (tag.local === 'Res') base = tag.get('BaseLoc') ?? ''
      if (tag.local === 'MultiMedia') multimedia = tag.get('ID')
      if (tag.local === 'MediaFile' && multimedia !== undefined && tag.kind === 'open') {
        const file = xml.slice(tag.end, xml.indexOf('<', tag.end)).trim()
        const picture = [`${folderOf(name)}/${base}/${file}`, `${base}/${file}`, file]
          .map((path) => this.#byPath.get(normalPath(path)))
          .find(Boolean)
        if (picture) this.#media.set(`${document}#${multimedia}`, picture)
      }
      if (tag.local !== 'ImageObject') {
        // Other references to a resource (masks, patterns, substitutions) do not give its displayed size.
        if (tag.get('ResourceID') !== undefined) uses.set(`${document}#${tag.get('ResourceID')}`, 'unknown')
        continue
      }
      for (const { local, value } of tag.attributes()) {
        if (local === 'Substitution' || local === 'ImageMask') uses.set(`${document}#${value}`, 'unknown')
      }
      const id = `${document}#${tag.get('ResourceID')}`
      const use = composite > 0 ? 'unknown' : drawnSize(tag.get('CTM'))
      const before = uses.get(id)
      if (before === 'unknown' || use === 'unknown') uses.set(id, 'unknown')
      else {
        const widthInches = Math.max(use.widthInches, before?.widthInches ?? 0)
        uses.set(id, { widthInches, heightInches: Math.max(use.heightInches, before?.heightInches ?? 0) })
      }
    }
  }
}

/** Elements whose content is drawn through another transformation. */
const COMPOSITE = new Set(['CompositeGraphicUnit', 'VectorG', 'Pattern', 'CellContent', 'Appearance'])

/** Size of a picture's unit square under its matrix in millimetres (GB/T 33190-2016, 8.5). */
function drawnSize(matrix: string | undefined): Shown | 'unknown' {
  const numbers = matrix?.trim().split(/\s+/).map(Number)
  if (numbers?.length !== 6 || !numbers.every(Number.isFinite)) return 'unknown'
  const [a, b, c, d] = numbers as [number, number, number, number]
  const [width, height] = [hypot(a, b), hypot(c, d)]
  return width > 0 && height > 0 ? { widthInches: width / MM_PER_INCH, heightInches: height / MM_PER_INCH } : 'unknown'
}
