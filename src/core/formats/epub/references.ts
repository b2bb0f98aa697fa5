/** Finds all references to the PNGs of an EPUB: in the manifest and in pages. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { decodeXml, encodeXml, scanTags } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { countName, jpegName, leafOf, type PictureReference, type PictureReferences } from '../../embedded/renaming.ts'
import { MAX_ALL_TEXTS_BYTES, MAX_TEXT_BYTES } from './tuning.ts'

/** Files that cannot contain references. All other files are searched for names. */
const NO_TEXT = /\.(png|jpe?g|gif|bmp|webp|avif|ttf|otf|woff2?|mp[34]|m4[av]|ogg|opus|webm)$/i
const MARKUP = /\.(opf|ncx|xhtml|html?|xml|smil)$/i
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'poster', 'data', 'altimg'])

/** Returns the PNGs that only the manifest and pages refer to, by plain relative URLs. `undefined`: no PNG may be renamed. */
export async function epubReferences(archive: ZipArchive): Promise<PictureReferences | undefined> {
  const names = new Map<ZipEntry, string>()
  for (const entry of archive.entries) {
    const name = jpegName(entry, archive.entries)
    if (name !== undefined && !entry.opaque) names.set(entry, name)
  }
  const files = archive.entries.filter(({ name, isDirectory }) => !isDirectory && !NO_TEXT.test(name))
  const isLarge =
    files.some(({ size, opaque }) => opaque || size > MAX_TEXT_BYTES) ||
    files.reduce((sum, { size }) => sum + size, 0) > MAX_ALL_TEXTS_BYTES
  if (names.size === 0 || isLarge) return undefined
  const found = new ReferenceFinder(names)
  for (const file of files) found.read(file, await readEntry(archive, file))
  return found.references()
}

class ReferenceFinder {
  readonly #names: ReadonlyMap<ZipEntry, string>
  readonly #byPath: ReadonlyMap<string, ZipEntry>
  readonly #mentions = new Map<ZipEntry, PictureReference[]>()
  readonly #texts = new Map<ZipEntry, string>()
  /** Number of times each picture's name occurs in any file. */
  readonly #nameCounts = new Map<ZipEntry, number>()
  readonly #inManifest = new Set<ZipEntry>()
  readonly #ambiguous = new Set<ZipEntry>()

  constructor(names: ReadonlyMap<ZipEntry, string>) {
    this.#names = names
    this.#byPath = new Map([...names.keys()].map((entry) => [entry.name, entry]))
  }

  read(file: ZipEntry, bytes: Uint8Array): void {
    const raw = latin1Of(bytes)
    for (const picture of this.#names.keys())
      this.#nameCounts.set(picture, (this.#nameCounts.get(picture) ?? 0) + countName(raw, leafOf(picture.name)))
    // UTF-16 texts are not searched, so references in them would be missed.
    if (/^(\xff\xfe|\xfe\xff)/.test(raw)) for (const picture of this.#names.keys()) this.#ambiguous.add(picture)
    if (!MARKUP.test(file.name)) return
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
      return this.#inManifest.has(picture) && !this.#ambiguous.has(picture) && ofNames === this.#nameCounts.get(picture)
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
      for (const { local, value, start, end } of attributes) {
        const picture = ADDRESSES.has(local) ? this.#pictureAt(holder.name, value) : undefined
        if (!picture) continue
        const leaf = leafOf(picture.name)
        const places = this.#mentions.get(picture) ?? []
        this.#mentions.set(picture, places)
        if (!text.slice(start, end).endsWith(leaf)) this.#ambiguous.add(picture)
        places.push({ holder, splice: { start: end - leaf.length, end, text: leafOf(this.#names.get(picture)!) } })
        if (tag.local !== 'item' || !/\.opf$/i.test(holder.name)) continue
        const type = attributes.find((each) => each.name === 'media-type')
        if (type?.value !== 'image/png') this.#ambiguous.add(picture)
        else places.push({ holder, splice: { start: type.start, end: type.end, text: 'image/jpeg' } })
        this.#inManifest.add(picture)
      }
    }
  }

  #pictureAt(holder: string, address: string): ZipEntry | undefined {
    try {
      const segments = holder.split('/').slice(0, -1)
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
