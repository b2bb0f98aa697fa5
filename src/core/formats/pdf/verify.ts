/**
 * Verifies a PDF result without a renderer: walks the object graphs of original and result in parallel. All decoded values must be equal,
 * except images, fonts, ToUnicode and CIDToGIDMap, which have their own checks. Equal content streams, equal glyph outlines and equal
 * geometry give equal pages.
 */
import { sha256Hex } from '../../bytes/digest.ts'
import { equalBytes } from '../../bytes/equal.ts'
import type { Verdict } from '../../model/codec.ts'
import { componentsOf, familyOf } from './colour.ts'
import { isPageMetadata, isPrivateApplicationData } from './droppable-entries.ts'
import { GENERIC_FILTERS } from './filters.ts'
import { isTaggedVersion } from './fonts/tags.ts'
import { sortByFilePosition } from './object-head-index.ts'
import { Dict, Name, nameOf, type PdfObject, PdfSyntax, Ref, Str, Stream } from './objects.ts'
import { ObjectNumberList } from './reachable-objects.ts'
import type { Reader } from './reader.ts'
import { MAX_DECODED_BYTES } from './recompress.ts'
import { isUsageRightsEntry } from './usage-rights.ts'

/** Keys of a stream dictionary that describe its storage, not its content. */
const STORAGE_KEYS: ReadonlySet<string> = new Set(['Length', 'Filter', 'DecodeParms', 'DP'])
/** Maximum decoded bytes of a stream in a comparison. A stream that decodes to more must be equal byte for byte. */
const MAX_COMPARED_BYTES = 2 * 1024 * 1024 * 1024

/** Checks a stream whose decoded bytes differ. `undefined`: the difference is allowed; otherwise a description of the error. */
export type StreamVerifier = (pair: StreamPair) => Promise<string | undefined>

export interface StreamPair {
  /** Dictionary key that refers to the stream, such as FontFile2, ToUnicode or the name of an XObject. */
  key: string
  /** Object number in the original; 0 if the stream has none. */
  number: number
  original: Stream
  result: Stream
}

/** Checks for the kinds of streams that may differ from the original. */
export interface StreamVerifiers {
  image: StreamVerifier
  font: StreamVerifier
  toUnicode: StreamVerifier
  glyphMap: StreamVerifier
  /** True if the catalog may omit its usage rights. */
  rightsDropped?: boolean
  /** True if pages may omit their preview and their date. */
  metadataRemoved?: boolean
}

/** Keys of font names, which get a subset tag when glyphs are removed (ISO 32000-2, 9.9.2). */
const FONT_NAMES = new Set(['BaseFont', 'FontName'])
const FONT_KEYS = new Set(['FontFile', 'FontFile2', 'FontFile3'])
/** Image dictionary keys that may change when an image is encoded again (ISO 32000-2, 8.9.5, table 87). */
const IMAGE_KEYS = new Set(['ColorSpace', 'BitsPerComponent', 'Width', 'Height', 'Decode', 'SMaskInData'])

/** Error for the first difference, thrown at any depth of the object graphs and caught in `verifyGraphs`. */
class Difference extends Error {}

export async function verifyGraphs(
  a: Reader,
  b: Reader,
  exceptions: StreamVerifiers,
  signal: AbortSignal,
): Promise<Verdict & { pages: number }> {
  const walk = new Walk(a, b, exceptions, signal)
  try {
    await walk.run()
    return { equal: true, pages: walk.pages }
  } catch (error) {
    if (error instanceof Difference) return { equal: false, difference: error.message, pages: walk.pages }
    throw error
  }
}

class Walk {
  pages = 0
  private steps = 0
  private readonly a: Reader
  private readonly b: Reader
  private readonly exceptions: StreamVerifiers
  private readonly signal: AbortSignal
  /** For each object number of `a`, the number of the corresponding object in `b`. */
  private readonly map: Uint32Array
  private readonly todo = new ObjectNumberList()
  /** Dictionary keys that refer to the objects in `todo`. */
  private readonly keys: string[] = []

  constructor(a: Reader, b: Reader, exceptions: StreamVerifiers, signal: AbortSignal) {
    this.a = a
    this.b = b
    this.exceptions = exceptions
    this.signal = signal
    this.map = new Uint32Array(a.xref.size)
  }

  async run(): Promise<void> {
    for (const key of ['Root', 'Info', 'ID']) {
      // Encryption adds an /ID to files that have none.
      if (key === 'ID' && !this.a.trailer.has('ID')) continue
      await this.compare(this.a.trailer.get(key), this.b.trailer.get(key), key)
    }
    if (this.a.readsInFileOrder) return this.generations()
    for (let number = this.todo.pop(); number !== undefined; number = this.todo.pop()) await this.object(number, this.keys.pop() ?? '')
  }

  /** Compares objects in the order in which they were written: breadth first, each generation in file order of the original. */
  private async generations(): Promise<void> {
    while (this.todo.length > 0) {
      const numbers = this.todo.from(0)
      const keys = new Map(this.keys.splice(0).map((key, i) => [numbers[i]!, key]))
      this.todo.length = 0
      for (const number of sortByFilePosition(this.a.xref, numbers)) await this.object(number, keys.get(number) ?? '')
    }
  }

  private async object(number: number, key: string): Promise<void> {
    if (this.steps++ % 4096 === 0) this.signal.throwIfAborted()
    const x = await this.a.get(number)
    const y = await this.b.get(this.map[number]!)
    if (x instanceof Dict && nameOf(x.get('Type')) === 'Page') this.pages++
    await this.compare(x, y, key, number)
  }

  private fail(key: string, what: string): never {
    throw new Difference(`${key}: ${what}`)
  }

  private async compare(x: PdfObject | undefined, y: PdfObject | undefined, key: string, number = 0): Promise<void> {
    if (x instanceof Ref) {
      if (y instanceof Ref) {
        const known = this.map[x.number]
        if (known === y.number) return
        if (known) this.fail(key, `object ${x.number} is both ${known} and ${y.number}`)
        if (x.number < this.map.length) {
          this.map[x.number] = y.number
          this.todo.push(x.number)
          this.keys.push(key)
          return
        }
      }
      x = await this.a.resolve(x)
    }
    if (y instanceof Ref) y = await this.b.resolve(y)
    x ??= null
    y ??= null
    if (x instanceof Stream) {
      if (!(y instanceof Stream)) this.fail(key, 'is no longer a stream')
      await this.compareStreams({ key, number, original: x, result: y })
    } else if (x instanceof Dict) {
      if (!(y instanceof Dict)) this.fail(key, 'is no longer a dictionary')
      await this.compareDicts(x, y, key, undefined)
    } else if (Array.isArray(x)) {
      if (!Array.isArray(y) || x.length !== y.length) this.fail(key, 'array length changed')
      for (let i = 0; i < x.length; i++) await this.compare(x[i], y[i], key)
    } else if (x instanceof Str) {
      if (!(y instanceof Str) || !equalBytes(x.bytes, y.bytes)) this.fail(key, 'string changed')
    } else if (x instanceof Name) {
      const isEqual = y instanceof Name && (x.value === y.value || (FONT_NAMES.has(key) && isTaggedVersion(x.value, y.value)))
      if (!isEqual) this.fail(key, `name ${x.value} changed`)
    } else if (typeof x === 'number') {
      if (typeof y !== 'number' || Math.abs(x - y) > 1e-9 * Math.max(1, Math.abs(x))) this.fail(key, `number ${x} changed`)
    } else if (x !== y) this.fail(key, `${String(x)} became ${y === null ? 'null' : typeof y}`)
  }

  private async compareDicts(x: Dict, y: Dict, key: string, ignored: ReadonlySet<string> | undefined): Promise<void> {
    for (const [name, value] of x) {
      if (ignored?.has(name) || (this.mayBeAbsent(x, name) && !y.has(name))) continue
      await this.compare(value, y.get(becameCompact(x, y) && name === 'FontFile' ? 'FontFile3' : name), name)
    }
    for (const name of y.keys()) {
      if (x.has(name) || ignored?.has(name) || (name === 'FontFile3' && becameCompact(x, y))) continue
      this.fail(key, `entry ${name} was added`)
    }
  }

  private mayBeAbsent(dict: Dict, key: string): boolean {
    const { rightsDropped, metadataRemoved } = this.exceptions
    if (metadataRemoved === true && isPageMetadata(dict, key)) return true
    return isPrivateApplicationData(key) || (rightsDropped === true && isUsageRightsEntry(dict, key))
  }

  private async compareStreams(pair: StreamPair): Promise<void> {
    const { key, original, result } = pair
    const isImage = nameOf(await this.a.entry(original.dict, 'Subtype')) === 'Image'
    if (await this.sameStored(original, result)) {
      await this.compareDicts(original.dict, result.dict, key, STORAGE_KEYS)
      return
    }
    if (await this.sameDecoded(original, result)) {
      await this.compareDicts(original.dict, result.dict, key, STORAGE_KEYS)
      return
    }
    if (isImage) {
      const wrong = await this.exceptions.image(pair)
      if (wrong) this.fail(key, wrong)
      const components = await componentsOf(this.b, result.dict.get('ColorSpace'))
      if (result.dict.has('ColorSpace') && components === 0) this.fail(key, 'the colour space of the image is not usable')
      await this.compareSpaces(original.dict, result.dict)
      await this.compareDicts(original.dict, result.dict, key, new Set([...STORAGE_KEYS, ...IMAGE_KEYS]))
    } else if (FONT_KEYS.has(key)) {
      const wrong = await this.exceptions.font(pair)
      if (wrong) this.fail(key, wrong)
      await this.compareDicts(original.dict, result.dict, key, new Set([...STORAGE_KEYS, 'Length1', 'Length2', 'Length3', 'Subtype']))
    } else if (key === 'ToUnicode') {
      const wrong = await this.exceptions.toUnicode(pair)
      if (wrong) this.fail(key, wrong)
      await this.compareDicts(original.dict, result.dict, key, new Set([...STORAGE_KEYS, 'UseCMap']))
    } else if (key === 'CIDToGIDMap') {
      const wrong = await this.exceptions.glyphMap(pair)
      if (wrong) this.fail(key, wrong)
      await this.compareDicts(original.dict, result.dict, key, STORAGE_KEYS)
    } else this.fail(key, 'stream content changed')
  }

  /**
   * Compares the colour spaces of two images. A palette may be added or removed, but its base colour space must be equal. With equal bits
   * per component the palette must be equal, too.
   */
  private async compareSpaces(x: Dict, y: Dict): Promise<void> {
    // JPEG 2000 images may have no colour space.
    if (!x.has('ColorSpace')) return
    const [before, after] = [await paletteBase(this.a, x), await paletteBase(this.b, y)]
    const sameBits = (await this.a.entry(x, 'BitsPerComponent')) === (await this.b.entry(y, 'BitsPerComponent'))
    if (before && after && sameBits) await this.compare(x.get('ColorSpace'), y.get('ColorSpace'), 'ColorSpace')
    else await this.compare(before ?? x.get('ColorSpace'), after ?? y.get('ColorSpace'), 'ColorSpace')
  }

  private async sameStored(x: Stream, y: Stream): Promise<boolean> {
    if ((await this.a.length(x)) !== (await this.b.length(y))) return false
    const chains = [await this.a.filters(x), await this.b.filters(y)].map((chain) => chain.map((f) => f.name).join())
    return chains[0] === chains[1] && (await sha256Hex(this.a.releasedPieces(x))) === (await sha256Hex(this.b.releasedPieces(y)))
  }

  private async sameDecoded(x: Stream, y: Stream): Promise<boolean> {
    try {
      const chains = [await this.a.filters(x), await this.b.filters(y)]
      const rest = chains.map((chain) => chain.filter((f) => !GENERIC_FILTERS.has(f.name) && f.name !== 'Crypt').map((f) => f.name))
      if (rest[0]!.join() !== rest[1]!.join()) return false
      // Without generic filters there is nothing to decode; the stored bytes were already compared.
      if (chains.every((chain) => !chain.some((f) => GENERIC_FILTERS.has(f.name)))) return false
      return (await this.decodedDigest(this.a, x)) === (await this.decodedDigest(this.b, y))
    } catch (error) {
      if (error instanceof PdfSyntax) return false
      throw error
    }
  }

  private async decodedDigest(reader: Reader, stream: Stream): Promise<string> {
    if ((await reader.length(stream)) <= 256 * 1024) {
      const { flow } = await reader.decodedPieces(stream, MAX_DECODED_BYTES * 4)
      return sha256Hex(flow)
    }
    const { flow } = await reader.decodedPieces(stream, MAX_COMPARED_BYTES)
    return sha256Hex(flow)
  }
}

/** Base of an indexed colour space (ISO 32000-2, 8.6.6.3). `undefined` for every other colour space. */
async function paletteBase(reader: Reader, dict: Dict): Promise<PdfObject | undefined> {
  const space = await reader.resolve(dict.get('ColorSpace'))
  const family = await familyOf(reader, space)
  return Array.isArray(space) && (family === 'Indexed' || family === 'I') ? space[1] : undefined
}

/** True if a Type 1 font program was converted to CFF (ISO 32000-2, 9.9.1). The font check compares every outline. */
const becameCompact = (x: Dict, y: Dict) => x.has('FontFile') && !x.has('FontFile3') && !y.has('FontFile') && y.has('FontFile3')
