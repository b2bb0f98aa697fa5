/**
 * Determines the displayed size of pictures in an OpenDocument package. A `draw:frame` gives the size of the `draw:image` in it
 * (OpenDocument 1.3 part 3, 10.4.2 and 10.4.4).
 */
import { EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeXml, scanTags, type Tag } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { withoutDoctype } from './package.ts'
import { CroppingStyles } from './styles.ts'
import { MAX_ALL_TEXTS_BYTES, MAX_NESTED_FRAMES, MAX_TEXT_BYTES } from './tuning.ts'

export interface Shown {
  readonly widthInches: number
  readonly heightInches: number
}

const PICTURE = /\.(jpe?g|jpe|png)$/i
/** Files that show no picture: the manifest, settings and metadata. */
const NOT_SHOWING = /^(META-INF\/.*|settings\.xml|meta\.xml|Thumbnails\/.*)$/

/** Displayed size of each picture. Pictures of unknown size are absent. */
export async function displayedSizes(archive: ZipArchive): Promise<Map<ZipEntry, Shown>> {
  const files = archive.entries.filter(({ name, isDirectory }) => !isDirectory && /\.xml$/i.test(name) && !NOT_SHOWING.test(name))
  const isLarge = files.some(({ size, opaque }) => opaque || size > MAX_TEXT_BYTES)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const byPath = new Map(archive.entries.filter(({ name }) => PICTURE.test(name)).map((entry) => [entry.name, entry]))
  if (isLarge || bytes > MAX_ALL_TEXTS_BYTES || byPath.size === 0) return new Map()
  const uses = new PictureUses(byPath)
  try {
    for (const file of files) uses.read(withoutDoctype(decodeXml(await readEntry(archive, file))), file.name)
  } catch (error) {
    // An unreadable file may show any picture at any size, so all sizes are unknown.
    if (isEngineError(error, 'xml')) return new Map()
    throw error
  }
  return uses.shown()
}

interface Frame {
  readonly size: Shown | undefined
  readonly styles: readonly string[]
}

/** Collects how pictures are shown. */
class PictureUses {
  readonly #byPath: ReadonlyMap<string, ZipEntry>
  readonly #styles = new CroppingStyles()
  readonly #unknown = new Set<ZipEntry>()
  /** Largest size of each picture, by the styles of its frames. */
  readonly #sizes = new Map<ZipEntry, Map<string, { readonly styles: readonly string[]; readonly size: Shown }>>()

  constructor(byPath: ReadonlyMap<string, ZipEntry>) {
    this.#byPath = byPath
  }

  /** Reads one text. @throws EngineError if the text is not XML */
  read(xml: string, name: string): void {
    const frames: Frame[] = []
    this.#styles.beginFile()
    let hrefAt = xml.indexOf('href')
    for (const tag of scanTags(xml)) {
      if (tag.local === 'frame') {
        if (tag.kind === 'close') frames.pop()
        else if (tag.kind === 'open') frames.push({ size: frameSize(tag), styles: stylesOf(tag) })
        if (frames.length > MAX_NESTED_FRAMES) throw new EngineError('xml', 'damaged', 'too many nested frames')
        continue
      }
      this.#styles.read(tag)
      // Most tags have no address, so their attributes are not read.
      if (hrefAt >= 0 && hrefAt < tag.start) hrefAt = xml.indexOf('href', tag.start)
      if (tag.kind === 'close' || hrefAt < 0 || hrefAt >= tag.end) continue
      const href = tag.get('href')
      const picture = href === undefined ? undefined : this.#pictureAt(name, href)
      if (picture) this.#add(picture, tag.local === 'image' ? frames.at(-1) : undefined)
    }
  }

  shown(): Map<ZipEntry, Shown> {
    const shown = new Map<ZipEntry, Shown>()
    for (const [picture, uses] of this.#sizes) {
      if (this.#unknown.has(picture) || [...uses.values()].some(({ styles }) => styles.some((style) => this.#styles.mayCrop(style))))
        continue
      shown.set(
        picture,
        [...uses.values()].map(({ size }) => size).reduce((most, size) => larger(most, size)),
      )
    }
    return shown
  }

  #add(picture: ZipEntry, frame: Frame | undefined): void {
    if (!frame?.size) {
      this.#unknown.add(picture)
      return
    }
    const uses = this.#sizes.get(picture) ?? new Map()
    this.#sizes.set(picture, uses)
    const key = frame.styles.join('\0')
    uses.set(key, { styles: frame.styles, size: larger(uses.get(key)?.size ?? frame.size, frame.size) })
  }

  #pictureAt(holder: string, address: string): ZipEntry | undefined {
    try {
      const segments = holder.split('/').slice(0, -1)
      for (const segment of decodeURIComponent(address).split('/')) {
        if (segment === '..') segments.pop()
        else if (segment !== '.' && segment !== '') segments.push(segment)
      }
      return this.#byPath.get(segments.join('/'))
    } catch {
      return undefined
    }
  }
}

const larger = (a: Shown, b: Shown): Shown => ({
  widthInches: Math.max(a.widthInches, b.widthInches),
  heightInches: Math.max(a.heightInches, b.heightInches),
})

const stylesOf = (tag: Tag): string[] =>
  tag.attributes().flatMap(({ local, value }) => (local === 'style-name' || local === 'class-names' ? value.split(' ') : []))

/** Transformations that keep sizes. */
const KEEPS_SIZE = /^\s*(?:(?:rotate|translate)\s*\([^()]*\)\s*,?\s*)*$/

/** Size of a frame in inches. `undefined`: unknown, or it depends on the page. */
function frameSize(tag: Tag): Shown | undefined {
  const [width, height] = [inches(tag.get('width')), inches(tag.get('height'))]
  const isRelative = ['rel-width', 'rel-height'].some((name) => /%/.test(tag.get(name) ?? ''))
  if (!width || !height || isRelative || !KEEPS_SIZE.test(tag.get('transform') ?? '')) return undefined
  return { widthInches: width, heightInches: height }
}

/** Units of lengths an inch (part 3, 18.3.18). A pixel is 1/96 inch. */
const AN_INCH: Readonly<Record<string, number>> = { cm: 2.54, mm: 25.4, in: 1, inch: 1, pt: 72, pc: 6, px: 96 }

export function inches(length: string | undefined): number | undefined {
  const [, number, unit] = /^\s*(-?[\d.]+)\s*([a-z]+)\s*$/.exec(length ?? '') ?? []
  const units = unit === undefined || !Object.hasOwn(AN_INCH, unit) ? undefined : AN_INCH[unit]
  const value = Number(number)
  return units && Number.isFinite(value) ? value / units : undefined
}
