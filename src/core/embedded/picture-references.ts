/** Finds all references to the PNGs of a package whose manifest lists them: EPUB, OpenDocument. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { equalBytes } from '../bytes/equal.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { decodeXml, encodeXml, scanTags, type Tag } from '../containers/xml/scan.ts'
import type { ZipEntry } from '../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../containers/zip/read.ts'
import { jpegName, leafOf, type PictureReference, type PictureReferences } from './renaming.ts'
import { MAX_ALL_REFERRING_BYTES, MAX_REFERRING_BYTES } from './tuning.ts'

/** Where a format refers to pictures. */
export interface ReferenceRules {
  /** True for files that cannot contain references. All other files are searched for names. */
  isNoText(name: string): boolean
  /** True for files whose references can be rewritten. */
  isMarkup(name: string): boolean
  /** Folder that addresses in `holder` are relative to. Empty: the package. */
  folderOf(holder: string): string
  /** Local names of attributes that hold addresses. */
  readonly addresses: ReadonlySet<string>
  /** True for the element of the manifest that lists a file. `holder`: name of the file that has the element. */
  isManifestItem(holder: string, tag: Tag): boolean
  /** Attribute that gives the media type of the picture that `tag` refers to. `undefined`: the tag has none. */
  typeAttribute(holder: string, tag: Tag): string | undefined
  /** True for PNGs that must keep their names. */
  isFixed?(name: string): boolean
}

/** Returns the PNGs that only the manifest and pages refer to, by plain relative URLs. `undefined`: no PNG may be renamed. */
export async function pictureReferences(archive: ZipArchive, rules: ReferenceRules): Promise<PictureReferences | undefined> {
  const names = new Map<ZipEntry, string>()
  for (const entry of archive.entries) {
    const name = rules.isFixed?.(entry.name) ? undefined : jpegName(entry, archive.entries)
    if (name !== undefined && !entry.opaque) names.set(entry, name)
  }
  const files = archive.entries.filter(({ name, isDirectory }) => !isDirectory && !rules.isNoText(name))
  const isLarge =
    files.some(({ size, opaque }) => opaque || size > MAX_REFERRING_BYTES) ||
    files.reduce((sum, { size }) => sum + size, 0) > MAX_ALL_REFERRING_BYTES
  if (names.size === 0 || isLarge) return undefined
  const found = new ReferenceFinder(names, rules)
  for (const file of files) found.read(file, await readEntry(archive, file))
  return found.references()
}

/** Counts the names of PNGs in texts, ignoring case. The time does not depend on the number of names. */
class NameCounter {
  readonly #counts: Map<string, number>
  readonly #lengths: readonly number[]

  constructor(names: readonly string[]) {
    this.#counts = new Map(names.map((name) => [name.toLowerCase(), 0]))
    this.#lengths = [...new Set(names.map(({ length }) => length))]
  }

  count(text: string): void {
    const lower = text.toLowerCase()
    for (let at = lower.indexOf(ENDING); at >= 0; at = lower.indexOf(ENDING, at + ENDING.length)) {
      const end = at + ENDING.length
      for (const length of this.#lengths) {
        const found = lower.slice(Math.max(0, end - length), end)
        const before = this.#counts.get(found)
        if (before !== undefined) this.#counts.set(found, before + 1)
      }
    }
  }

  of(name: string): number {
    return this.#counts.get(name.toLowerCase()) ?? 0
  }
}

/** End of the names that `jpegName` accepts. */
const ENDING = '.png'

class ReferenceFinder {
  readonly #names: ReadonlyMap<ZipEntry, string>
  readonly #rules: ReferenceRules
  readonly #byPath: ReadonlyMap<string, ZipEntry>
  readonly #mentions = new Map<ZipEntry, PictureReference[]>()
  readonly #texts = new Map<ZipEntry, string>()
  readonly #counter: NameCounter
  readonly #inManifest = new Set<ZipEntry>()
  readonly #ambiguous = new Set<ZipEntry>()

  constructor(names: ReadonlyMap<ZipEntry, string>, rules: ReferenceRules) {
    this.#names = names
    this.#rules = rules
    this.#counter = new NameCounter([...names.keys()].map(({ name }) => leafOf(name)))
    this.#byPath = new Map([...names.keys()].map((entry) => [entry.name, entry]))
  }

  read(file: ZipEntry, bytes: Uint8Array): void {
    const raw = latin1Of(bytes)
    this.#counter.count(raw)
    // UTF-16 texts are not searched, so references in them would be missed.
    if (/^(\xff\xfe|\xfe\xff)/.test(raw)) for (const picture of this.#names.keys()) this.#ambiguous.add(picture)
    if (!this.#rules.isMarkup(file.name)) return
    try {
      const text = decodeXml(bytes)
      // Skip texts that do not encode to the same bytes again, because they could not be rewritten exactly.
      if (!equalBytes(encodeXml(text), bytes)) return
      this.#texts.set(file, text)
      this.#scan(file, text)
    } catch (error) {
      if (!isEngineError(error, 'xml')) throw error
    }
  }

  references(): PictureReferences {
    const isClear = (picture: ZipEntry, places: readonly PictureReference[]) => {
      const ofNames = places.filter(({ splice }) => splice.text === leafOf(this.#names.get(picture)!)).length
      return this.#inManifest.has(picture) && !this.#ambiguous.has(picture) && ofNames === this.#counter.of(leafOf(picture.name))
    }
    return { mentions: new Map([...this.#mentions].filter(([picture, places]) => isClear(picture, places))), texts: this.#texts }
  }

  /** Collects the references in one text. @throws EngineError if the text is not XML */
  #scan(holder: ZipEntry, text: string): void {
    // A DOCTYPE without an internal subset declares no entities, so it is skipped.
    const scanned = text.replace(/<!DOCTYPE[^[\]<>]*>/i, (whole) => ' '.repeat(whole.length))
    for (const tag of scanTags(scanned)) {
      if (tag.kind === 'close') continue
      const attributes = tag.attributes()
      let isReferring = false
      for (const { local, value, start, end } of attributes) {
        const picture = this.#rules.addresses.has(local) ? this.#pictureAt(holder.name, value) : undefined
        if (!picture) continue
        const leaf = leafOf(picture.name)
        const places = this.#mentions.get(picture) ?? []
        this.#mentions.set(picture, places)
        // The type of a tag with two addresses would change twice.
        if (isReferring || !text.slice(start, end).endsWith(leaf)) this.#ambiguous.add(picture)
        isReferring = true
        places.push({ holder, splice: { start: end - leaf.length, end, text: leafOf(this.#names.get(picture)!) } })
        const isItem = this.#rules.isManifestItem(holder.name, tag)
        const typeName = this.#rules.typeAttribute(holder.name, tag)
        const type = attributes.find((each) => each.local === typeName)
        if (type ? type.value !== 'image/png' : isItem) this.#ambiguous.add(picture)
        else if (type) places.push({ holder, splice: { start: type.start, end: type.end, text: 'image/jpeg' } })
        if (isItem) this.#inManifest.add(picture)
      }
    }
  }

  #pictureAt(holder: string, address: string): ZipEntry | undefined {
    try {
      const folder = this.#rules.folderOf(holder)
      const segments = folder === '' ? [] : folder.split('/')
      for (const segment of decodeURIComponent(address.split(/[?#]/)[0]!).split('/')) {
        if (segment === '..') segments.pop()
        else if (segment !== '.' && segment !== '') segments.push(segment)
      }
      return this.#byPath.get(segments.join('/'))
    } catch {
      return undefined
    }
  }
}
