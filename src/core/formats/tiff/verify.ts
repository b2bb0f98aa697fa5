/** Verifies a recompressed TIFF file: decodes every strip and tile, and compares pixels, fields and structure with the original. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { copiesInput, decodeTile, isSparse, planeRows } from '../../containers/tiff/decode.ts'
import { fieldsWithTargets, readValue, TAG, type TiffDirectory, type TiffField, type TiffFile } from '../../containers/tiff/directory.ts'
import { COMPRESSION, isFax, type PixelStorage, readPixels } from '../../containers/tiff/pixels.ts'
import { readTiff } from '../../containers/tiff/read-directories.ts'
import type { Options, Source, Verdict } from '../../model/codec.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { jpegStreamsOf } from './blobs.ts'
import { chunkDigest } from './jpeg-chunks.ts'
import { hasNewLayout } from './strip-layout.ts'
import { unreferencedBytesOf } from './unnamed.ts'

/** Fields that describe how pixels are stored. They may differ; the decoded pixels are compared instead. */
const STORAGE = new Set<number>([
  TAG.compression,
  TAG.fillOrder,
  TAG.stripOffsets,
  TAG.rowsPerStrip,
  TAG.stripByteCounts,
  TAG.t4Options,
  TAG.freeOffsets,
  TAG.freeByteCounts,
  TAG.predictor,
  TAG.tileWidth,
  TAG.tileLength,
  TAG.tileOffsets,
  TAG.tileByteCounts,
  TAG.jpegTables,
  TAG.jpegInterchangeFormat,
])

/** Thrown at the first difference; `verifyTiff` catches it. */
class Difference extends Error {}

export async function verifyTiff(original: Source, result: Source, options: Options, format: string): Promise<Verdict> {
  const before = await readTiff(original, format)
  const after = await readTiff(result, format)
  if (before.littleEndian !== after.littleEndian || before.big !== after.big)
    return { equal: false, difference: 'the byte order or BigTIFF format changed' }
  const comparison = new Comparison(before, after, options)
  try {
    await comparison.run()
    const tail = await compareTails(original, before, result, after)
    if (tail) return { equal: false, difference: tail }
  } catch (error) {
    if (error instanceof Difference) return { equal: false, difference: error.message }
    throw error
  }
  return { equal: true }
}

/** Compares the bytes after the last referenced range. Only a tail of zeros may be missing in the result. */
async function compareTails(original: Source, before: TiffFile, result: Source, after: TiffFile): Promise<string | undefined> {
  const endOf = async (file: TiffFile) => {
    const pictures = await Promise.all(file.all.map((directory) => readPixels(file, directory)))
    return await unreferencedBytesOf(
      file,
      pictures.filter((pixels) => pixels !== undefined),
    )
  }
  const [was, is] = [await endOf(before), await endOf(after)]
  if (was.tail.isFilling) return is.tail.bytes === 0 || is.tail.isFilling ? undefined : `${is.tail.bytes} bytes have come behind the end`
  return await trailingDataDifference(original, was.end, result, is.end)
}

/** Rows of one file as a stream of blocks. Frees each block after it was compared. */
class Side {
  readonly #blocks: AsyncGenerator<Uint8Array>
  #block: Uint8Array = new Uint8Array()
  #taken = 0

  constructor(blocks: AsyncGenerator<Uint8Array>) {
    this.#blocks = blocks
  }

  /** Returns decoded bytes that are not compared yet. Empty at the end. */
  async rest(): Promise<Uint8Array> {
    if (this.#taken === this.#block.length) {
      discard(this.#block)
      this.#block = (await this.#blocks.next()).value ?? new Uint8Array()
      this.#taken = 0
    }
    return this.#block.subarray(this.#taken)
  }

  take(length: number): void {
    this.#taken += length
  }
}

class Comparison {
  readonly #before: TiffFile
  readonly #after: TiffFile
  readonly #options: Options
  readonly #pairs = new Map<TiffDirectory, TiffDirectory>()
  #directories = 0

  constructor(before: TiffFile, after: TiffFile, options: Options) {
    this.#before = before
    this.#after = after
    this.#options = options
  }

  /** Compares all directories and all links between them. */
  async run(): Promise<void> {
    const [all, made] = [this.#before.all, this.#after.all]
    if (all.length !== made.length) throw new Difference(`${all.length} directories became ${made.length}`)
    this.#pair(this.#before.chain[0], this.#after.chain[0])
    for (const [before, after] of this.#pairs) await this.#directory(before, after)
    if (this.#pairs.size !== all.length) throw new Difference(`${this.#pairs.size} of ${all.length} directories can be reached`)
  }

  /** Records two directories that the same link leads to. Pairs are compared in the order in which they are found. */
  #pair(before: TiffDirectory | undefined, after: TiffDirectory | undefined): void {
    if (!before && !after) return
    const known = before && this.#pairs.get(before)
    if (!before || !after || (known && known !== after)) throw new Difference('a link leads to another directory')
    this.#pairs.set(before, after)
  }

  async #directory(before: TiffDirectory, after: TiffDirectory): Promise<void> {
    this.#options.signal.throwIfAborted()
    const kept = fieldsWithTargets(before).filter((entry) => !STORAGE.has(entry.tag))
    const found = after.entries.filter((entry) => !STORAGE.has(entry.tag))
    if (kept.length !== found.length) throw new Difference(`${kept.length} fields became ${found.length}`)
    for (const [i, entry] of kept.entries()) {
      const other = found[i]!
      if (entry.tag !== other.tag || entry.type !== other.type || entry.count !== other.count) {
        throw new Difference(`tag ${entry.tag} became tag ${other.tag} with ${other.count} values`)
      }
      const children = before.children.get(entry.tag)
      if (!children) await this.#value(entry, other)
      else {
        const others = after.children.get(entry.tag) ?? []
        if (children.length !== others.length) throw new Difference(`a directory of tag ${entry.tag} is missing`)
        for (const [j, child] of children.entries()) this.#pair(child, others[j])
      }
    }
    this.#pair(before.next, after.next)
    await this.#blobs(before, after)
    const [x, y] = [await readPixels(this.#before, before), await readPixels(this.#after, after)]
    if (!x !== !y) throw new Difference('a picture is missing')
    if (x && y) {
      this.#before.source.freesWindows = copiesInput(x)
      this.#after.source.freesWindows = copiesInput(y)
      await this.#pixels(x, y)
    }
    this.#directories++
    this.#options.progress(0.8 + (0.2 * this.#directories) / this.#before.all.length)
  }

  async #value(before: TiffField, after: TiffField): Promise<void> {
    if (before.byteLength === 0 && !equalBytes(before.inline, after.inline)) throw new Difference(`tag ${before.tag} differs`)
    if (before.at === undefined || after.at === undefined) {
      if (!equalBytes(await readValue(this.#before.source, before), await readValue(this.#after.source, after))) {
        throw new Difference(`tag ${before.tag} differs`)
      }
    } else await this.#bytes(before.at, after.at, before.byteLength, `tag ${before.tag}`)
  }

  async #blobs(before: TiffDirectory, after: TiffDirectory): Promise<void> {
    const [x, y] = [await jpegStreamsOf(this.#before, before), await jpegStreamsOf(this.#after, after)]
    if (x.length !== y.length) throw new Difference('the number of JPEG streams changed')
    for (const [i, blob] of x.entries()) {
      if (blob.length !== y[i]!.length) throw new Difference('a JPEG stream has another length')
      await this.#bytes(blob.offset, y[i]!.offset, blob.length, 'a JPEG stream')
    }
  }

  async #pixels(x: PixelStorage, y: PixelStorage): Promise<void> {
    if (x.width !== y.width || x.height !== y.height || x.planes !== y.planes || x.bits !== y.bits || x.samples !== y.samples) {
      throw new Difference('the size, planes, bits or samples of a picture changed')
    }
    if (x.compression === COMPRESSION.jpeg && y.compression === COMPRESSION.jpeg) return await this.#jpegs(x, y)
    if (x.compression === y.compression && !x.decodable) return await this.#stored(x, y)
    // Unusual fax data is copied although it can be decoded, so equal bytes are accepted first.
    if (x.compression === y.compression && isFax(x.compression) && (await this.#isStored(x, y))) return
    if (!x.decodable || !y.decodable) throw new Difference(`compression ${x.compression} became ${y.compression}`)
    if (x.tiled && !hasNewLayout(x, y)) return await this.#tiles(x, y)
    const anyEmpty = [...x.lengths, ...y.lengths].some((length) => length === 0)
    if ((x.tiled || y.tiled) && (anyEmpty || x.bits % 8 !== 0))
      throw new Difference('pictures with another strip or tile layout cannot be compared')
    for (let plane = 0; plane < x.planes; plane++) {
      if (anyEmpty) this.#sparse(x, y)
      await this.#rows(planeRows(this.#before, x, plane), planeRows(this.#after, y, plane), plane)
    }
  }

  /** Compares copied strips and tiles: bytes must be equal. */
  async #stored(x: PixelStorage, y: PixelStorage): Promise<void> {
    if (x.offsets.length !== y.offsets.length || hasNewLayout(x, y)) throw new Difference('strips or tiles were lost')
    for (let i = 0; i < x.offsets.length; i++) {
      if (x.lengths[i] !== y.lengths[i]) throw new Difference(`strip or tile ${i} has another length`)
      await this.#bytes(x.offsets[i]!, y.offsets[i]!, x.lengths[i]!, `strip or tile ${i}`)
    }
  }

  /** Compares JPEG strips and tiles: equal bytes or equal coefficients. */
  async #jpegs(x: PixelStorage, y: PixelStorage): Promise<void> {
    if (x.offsets.length !== y.offsets.length || hasNewLayout(x, y)) throw new Difference('strips or tiles were lost')
    this.#sparse(x, y)
    const sameTables = equalBytes(x.jpegTables ?? new Uint8Array(), y.jpegTables ?? new Uint8Array())
    for (let i = 0; i < x.offsets.length; i++) {
      this.#options.signal.throwIfAborted()
      const what = `strip or tile ${i}`
      if (sameTables && x.lengths[i] === y.lengths[i]) await this.#bytes(x.offsets[i]!, y.offsets[i]!, x.lengths[i]!, what)
      else if ((await chunkDigest(this.#before, x, i)) !== (await chunkDigest(this.#after, y, i))) throw new Difference(`${what} differs`)
    }
  }

  async #isStored(x: PixelStorage, y: PixelStorage): Promise<boolean> {
    try {
      await this.#stored(x, y)
      return true
    } catch (error) {
      if (error instanceof Difference) return false
      throw error
    }
  }

  #sparse(x: PixelStorage, y: PixelStorage): void {
    const same = x.lengths.length === y.lengths.length && x.lengths.every((length, i) => (length === 0) === (y.lengths[i] === 0))
    if (!same) throw new Difference('other strips or tiles are missing than in the original')
  }

  async #tiles(x: PixelStorage, y: PixelStorage): Promise<void> {
    this.#sparse(x, y)
    for (let i = 0; i < x.offsets.length; i++) {
      if (isSparse(x, i)) continue
      this.#options.signal.throwIfAborted()
      const [a, b] = [await decodeTile(this.#before, x, i), await decodeTile(this.#after, y, i)]
      if (!a || !b || !equalBytes(a, b)) throw new Difference(`tile ${i} differs`)
      discard(a)
      discard(b)
    }
  }

  async #rows(before: AsyncGenerator<Uint8Array>, after: AsyncGenerator<Uint8Array>, plane: number): Promise<void> {
    const [x, y] = [new Side(before), new Side(after)]
    let row = 0
    try {
      for (;;) {
        this.#options.signal.throwIfAborted()
        const [a, b] = [await x.rest(), await y.rest()]
        if (a.length === 0 && b.length === 0) return
        const length = Math.min(a.length, b.length)
        if (length === 0 || !equalBytes(a.subarray(0, length), b.subarray(0, length))) {
          throw new Difference(`plane ${plane} differs after ${row} bytes`)
        }
        row += length
        x.take(length)
        y.take(length)
      }
    } finally {
      await before.return(undefined)
      await after.return(undefined)
    }
  }

  async #bytes(before: number, after: number, length: number, what: string): Promise<void> {
    const step = 1024 * 1024
    for (let done = 0; done < length; done += step) {
      const size = Math.min(step, length - done)
      const [a, b] = [await this.#before.source.read(before + done, size), await this.#after.source.read(after + done, size)]
      if (!equalBytes(a, b)) throw new Difference(`${what} differs`)
    }
  }
}
