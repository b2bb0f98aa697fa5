/** Decodes the chunks (strips and tiles) of a TIFF to rows of samples. Memory is bounded for chunks of any size. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { decodeFaxRows } from '../../bytes/ccitt/decode.ts'
import { zlibDecompress } from '../../bytes/deflate.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { unzstdStream } from '../../bytes/zstd.ts'
import { message } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'
import type { TiffFile } from './directory.ts'
import { jpegRows } from './jpeg.ts'
import { LzwDecoder } from './lzw.ts'
import { PackBitsDecoder } from './pack-bits.ts'
import { COMPRESSION, isDeflate, isFax, type PixelStorage, rowsOf } from './pixels.ts'
import { reverseBits, undoPredictor } from './predictor.ts'
import { BLOCK_BYTES, MAX_TILE_BYTES, MAX_WHOLE_INFLATE_BYTES, READ_BYTES } from './tuning.ts'

/** @throws CodecError (over_budget) if a decoded tile, or a row of a strip, has more than `MAX_TILE_BYTES` bytes */
export function checkChunkSize(pixels: PixelStorage): void {
  const held = pixels.tiled ? pixels.rowBytes * pixels.chunkHeight : pixels.rowBytes
  if (held > MAX_TILE_BYTES) throw overBudget(message(pixels.tiled ? 'tiles_of_bytes' : 'rows_of_bytes', { bytes: held }))
}

/**
 * Yields the decoded rows of chunk `index` without predictor, in blocks of whole rows. The caller owns the blocks. Yields nothing for a
 * sparse chunk.
 */
export async function* decodeRows(
  file: TiffFile,
  pixels: PixelStorage,
  index: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const offset = pixels.offsets[index]!
  const length = pixels.lengths[index]!
  if (isSparse(pixels, index)) return
  const expected = pixels.rowBytes * rowsOf(pixels, index)
  const rows = new RowBlocks(pixels, expected, file.littleEndian)
  if (expected <= MAX_WHOLE_INFLATE_BYTES && length <= MAX_WHOLE_INFLATE_BYTES && isDeflate(pixels.compression)) {
    const compressed = await readInput(file, pixels, offset, length)
    const inflated = inflateChunk(compressed, expected, file.format, offset)
    for (const block of rows.push(inflated)) yield block
    discard(inflated)
  } else {
    for await (const piece of chunkPieces(file, pixels, index, expected)) {
      for (const block of rows.push(piece)) yield block
      if (rows.complete) break
    }
  }
  if (!rows.complete) {
    throw malformed(file.format, offset, message('strip_or_tile_cut_short', { index, received: rows.received, expected }))
  }
}

function chunkPieces(file: TiffFile, pixels: PixelStorage, index: number, expected: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (isFax(pixels.compression)) return faxRows(file, pixels, index)
  if (pixels.compression === COMPRESSION.jpeg) return jpegRows(file, pixels, index)
  return decodePieces(file, pixels, pixels.offsets[index]!, pixels.lengths[index]!, expected)
}

/** Returns a decoded tile. `undefined`: the tile is sparse. */
export async function decodeTile(file: TiffFile, pixels: PixelStorage, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (isSparse(pixels, index)) return undefined
  const length = pixels.rowBytes * pixels.chunkHeight
  let tile: Uint8Array<ArrayBuffer> | undefined
  let filled = 0
  for await (const block of decodeRows(file, pixels, index)) {
    if (block.length === length) return block
    tile ??= new Uint8Array(length)
    tile.set(block, filled)
    filled += block.length
    discard(block)
  }
  return tile
}

/** True if decoding a chunk copies its input, so that the read window can be reused at once. See `ReadAhead.freesWindows`. */
export function copiesInput(pixels: PixelStorage): boolean {
  if (pixels.compression === COMPRESSION.jpeg) return false
  if (!pixels.decodable || pixels.compression === COMPRESSION.zstd) return !pixels.decodable
  const expected = pixels.rowBytes * pixels.chunkHeight
  return (
    !isDeflate(pixels.compression) ||
    (expected <= MAX_WHOLE_INFLATE_BYTES && pixels.lengths.every((length) => length <= MAX_WHOLE_INFLATE_BYTES))
  )
}

export const isSparse = (pixels: PixelStorage, index: number): boolean => pixels.lengths[index] === 0

/**
 * Yields the rows of a plane, one strip or one row of tiles at a time, without the padding of tiles at the edges. Starts at the strip or
 * row of tiles that contains row `top`.
 */
export async function* planeRows(
  file: TiffFile,
  pixels: PixelStorage,
  plane: number,
  top = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const across = pixels.tiled ? Math.ceil(pixels.width / pixels.chunkWidth) : 1
  const first = plane * pixels.chunksPerPlane
  for (let index = first + across * Math.floor(top / pixels.chunkHeight); index < first + pixels.chunksPerPlane; index += across) {
    if (pixels.tiled) yield await joinTiles(file, pixels, index, across)
    else yield* decodeRows(file, pixels, index)
  }
}

/** Joins the rows of `across` adjacent tiles. Samples must be whole bytes. @throws CodecError (malformed) if a tile is sparse */
async function joinTiles(file: TiffFile, pixels: PixelStorage, index: number, across: number): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, chunkHeight, chunksPerPlane, samples, bits, rowBytes } = pixels
  const lineBytes = (width * samples * bits) / 8
  const rows = Math.min(chunkHeight, height - ((index % chunksPerPlane) / across) * chunkHeight)
  const out = new Uint8Array(rows * lineBytes)
  for (let i = 0; i < across; i++) {
    const tile = await decodeTile(file, pixels, index + i)
    if (!tile) throw malformed(file.format, pixels.offsets[index + i]!, message('tile_was_never_written', { index: index + i }))
    const left = i * rowBytes
    const inside = Math.min(rowBytes, lineBytes - left)
    for (let row = 0; row < rows; row++) out.set(tile.subarray(row * rowBytes, row * rowBytes + inside), row * lineBytes + left)
    discard(tile)
  }
  return out
}

function inflateChunk(compressed: Uint8Array, expected: number, format: string, offset: number): Uint8Array {
  try {
    // Readers ignore extra decoded bytes after the last row, so allow 64 KiB of them.
    return zlibDecompress(compressed, expected + 65_536)
  } catch (error) {
    if (isEngineError(error, 'deflate')) throw malformed(format, offset, message('engine_reports', { problem: error.message }))
    throw error
  }
}

async function* faxRows(file: TiffFile, pixels: PixelStorage, index: number): AsyncGenerator<Uint8Array, void, undefined> {
  const offset = pixels.offsets[index]!
  const { compression, twoDimensional, chunkWidth: width } = pixels
  const kind = compression === COMPRESSION.faxRle ? 'rle' : compression === COMPRESSION.faxGroup3 ? 'g3' : 'g4'
  const compressed = await readInput(file, pixels, offset, pixels.lengths[index]!)
  try {
    yield* decodeFaxRows(compressed, { kind, twoDimensional, width, height: rowsOf(pixels, index) })
  } catch (error) {
    if (isEngineError(error, 'fax')) throw malformed(file.format, offset, message('engine_reports', { problem: error.message }))
    throw error
  }
}

async function* decodePieces(
  file: TiffFile,
  pixels: PixelStorage,
  offset: number,
  length: number,
  expected: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = readPieces(file, pixels, offset, length)
  const { compression } = pixels
  if (compression === COMPRESSION.none) yield* input
  else if (isDeflate(compression) || compression === COMPRESSION.zstd) {
    const limit = expected + 1024 * 1024
    try {
      yield* isDeflate(compression) ? inflateStream('zlib', input, limit) : unzstdStream(input, limit)
    } catch (error) {
      if (isEngineError(error, 'deflate')) throw malformed(file.format, offset, message('engine_reports', { problem: error.message }))
      throw error
    }
  } else {
    const decoder = compression === COMPRESSION.lzw ? new LzwDecoder(file.format) : new PackBitsDecoder()
    for await (const piece of input) {
      const decoded: Uint8Array[] = []
      decoder.push(piece, (bytes) => decoded.push(bytes))
      yield* decoded
    }
  }
}

async function* readPieces(
  file: TiffFile,
  pixels: PixelStorage,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  // LZW and PackBits may expand a lot, so small input pieces keep the output pieces small.
  const step = pixels.compression === COMPRESSION.lzw || pixels.compression === COMPRESSION.packBits ? 16_384 : READ_BYTES
  for (let at = 0; at < length; at += step) yield await readInput(file, pixels, offset + at, Math.min(step, length - at))
}

async function readInput(file: TiffFile, pixels: PixelStorage, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await file.source.read(offset, length)
  if (!pixels.mirrored) return bytes
  const own = bytes.slice()
  reverseBits(own)
  return own
}

/** Collects decoded pieces into blocks of whole rows and undoes the predictor. */
class RowBlocks {
  readonly #pixels: PixelStorage
  readonly #expected: number
  readonly #littleEndian: boolean
  #block: Uint8Array<ArrayBuffer>
  #filled = 0
  received = 0

  constructor(pixels: PixelStorage, expected: number, littleEndian: boolean) {
    this.#pixels = pixels
    this.#expected = expected
    this.#littleEndian = littleEndian
    this.#block = this.#nextBlock()
  }

  get complete(): boolean {
    return this.received === this.#expected
  }

  *push(piece: Uint8Array): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (let at = 0; at < piece.length && !this.complete; ) {
      const part = piece.subarray(at, at + this.#block.length - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      this.received += part.length
      at += part.length
      if (this.#filled === this.#block.length) {
        const block = this.#block
        if (this.#pixels.predictor !== 1)
          undoPredictor(block, { ...this.#pixels, littleEndian: this.#littleEndian }, this.#pixels.predictor)
        this.#block = this.#nextBlock()
        this.#filled = 0
        yield block
      }
    }
  }

  #nextBlock(): Uint8Array<ArrayBuffer> {
    const { rowBytes, tiled } = this.#pixels
    const whole = Math.max(1, Math.floor(BLOCK_BYTES / rowBytes)) * rowBytes
    const rest = this.#expected - this.received
    return new Uint8Array(tiled ? rest : Math.min(rest, whole))
  }
}
