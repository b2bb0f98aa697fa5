/** Layouts of strips and tiles, and the conversion of rows into them. */
import { discard } from '../../../../wasm/memories/discard.ts'
import { planeRows } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import type { PixelStorage } from '../../containers/tiff/pixels.ts'
import { STRIPS, TILES } from './tuning.ts'

/** Strip or tile layout. Strips count as tiles with the picture's width whose last one has only the remaining rows. */
export type ChunkLayout = Pick<PixelStorage, 'tiled' | 'chunkWidth' | 'chunkHeight' | 'chunksPerPlane' | 'rowBytes'>

export const hasNewLayout = (pixels: PixelStorage, cut: ChunkLayout): boolean =>
  pixels.tiled !== cut.tiled || pixels.chunkWidth !== cut.chunkWidth || pixels.chunkHeight !== cut.chunkHeight

/** Bytes of one picture row in a plane, without tile padding. */
export const pictureRowBytes = (pixels: PixelStorage): number => Math.ceil((pixels.width * pixels.samples * pixels.bits) / 8)

/** Returns strips of about 512 KiB if the present ones are much smaller or larger. Tiles stay. */
export function stripLayout(pixels: PixelStorage): ChunkLayout {
  const { tiled, rowBytes, chunkHeight, height, lengths } = pixels
  const stripBytes = rowBytes * chunkHeight
  const isGoodSize = stripBytes >= STRIPS.smallBytes && stripBytes <= STRIPS.largeBytes
  const single = chunkHeight >= height && stripBytes <= STRIPS.largeBytes
  if (tiled || isGoodSize || single || lengths.some((length) => length === 0)) return pixels
  const rows = Math.min(height, Math.max(1, Math.round(STRIPS.targetBytes / rowBytes)))
  return { ...pixels, chunkHeight: rows, chunksPerPlane: Math.ceil(height / rows) }
}

/**
 * Returns a tile layout that replaces strips or tiles of another size: vertical neighbours are then inside Deflate's window.
 * @returns `undefined` if samples are not whole bytes, a strip or tile is missing, or a row of tiles exceeds `heldBytes`
 */
export function tileLayout(pixels: PixelStorage, heldBytes: number): ChunkLayout | undefined {
  const { width, height, planes, samples, bits, tiled, chunkHeight, lengths } = pixels
  if (bits % 8 !== 0 || lengths.some((length) => length === 0)) return undefined
  const side = (pixelsAcross: number) => Math.min(TILES.side, Math.ceil(pixelsAcross / TILES.step) * TILES.step)
  const [chunkWidth, rows] = [side(width), side(height)]
  const across = Math.ceil(width / chunkWidth)
  const rowBytes = (chunkWidth * samples * bits) / 8
  const heldOfSource = tiled ? pictureRowBytes(pixels) * chunkHeight : 0
  if (across * rowBytes * rows + heldOfSource > heldBytes || (!tiled && across === 1)) return undefined
  const cut = { tiled: true, chunkWidth, chunkHeight: rows, chunksPerPlane: across * Math.ceil(height / rows), rowBytes }
  return cut.chunksPerPlane * planes <= TILES.most && hasNewLayout(pixels, cut) ? cut : undefined
}

/**
 * Converts whole rows of one plane into strips or tiles, left to right and top to bottom. Tile padding repeats the last column and row.
 * Frees the input blocks; the caller owns the output.
 */
export async function* cutRows(
  rows: AsyncIterable<Uint8Array<ArrayBuffer>>,
  pixels: PixelStorage,
  cut: ChunkLayout,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { height } = pixels
  const lineBytes = pictureRowBytes(pixels)
  const pixelBytes = (pixels.samples * pixels.bits) / 8
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let taken = 0
  for await (const block of rows) {
    for (let at = 0; at < block.length; at += lineBytes) {
      const row = taken % cut.chunkHeight
      if (row === 0) {
        const chunkRows = cut.tiled ? cut.chunkHeight : Math.min(cut.chunkHeight, height - taken)
        chunks = Array.from({ length: Math.ceil(lineBytes / cut.rowBytes) }, () => new Uint8Array(chunkRows * cut.rowBytes))
      }
      for (const [i, chunk] of chunks.entries()) {
        const left = at + i * cut.rowBytes
        chunk.set(block.subarray(left, Math.min(left + cut.rowBytes, at + lineBytes)), row * cut.rowBytes)
      }
      taken++
      if (taken < height && row + 1 < cut.chunkHeight) continue
      if (cut.tiled) fillBeyond(chunks, lineBytes, row + 1, { pixelBytes, rowBytes: cut.rowBytes })
      yield* chunks
    }
    discard(block)
  }
}

/** Fills tile padding: repeats the picture's last column in the last tile, and the last row in all tiles. */
function fillBeyond(tiles: readonly Uint8Array[], lineBytes: number, rows: number, size: { pixelBytes: number; rowBytes: number }): void {
  const { pixelBytes, rowBytes } = size
  const last = tiles.at(-1)!
  const inside = lineBytes - (tiles.length - 1) * rowBytes
  for (let end = rowBytes; end <= rows * rowBytes; end += rowBytes) {
    for (let at = end - rowBytes + inside; at < end; at++) last[at] = last[at - pixelBytes]!
  }
  for (const tile of tiles) {
    for (let at = rows * rowBytes; at < tile.length; at += rowBytes) tile.copyWithin(at, at - rowBytes, at)
  }
}

/** Some rows of a plane. In wide pictures only some columns, but enough that the row above is outside Deflate's window. */
export interface RowBand {
  readonly pixels: PixelStorage
  readonly rows: Uint8Array<ArrayBuffer>
}

/** Returns a small picture in full, or two bands of a large one: one of the first plane and one of the last. */
export async function bandsOf(file: TiffFile, pixels: PixelStorage): Promise<RowBand[]> {
  const lineBytes = pictureRowBytes(pixels)
  const pixelBytes = (pixels.samples * pixels.bits) / 8
  const { height, planes } = pixels
  if (lineBytes * height * planes <= TILES.wholeBytes) {
    const whole: RowBand[] = []
    for (let plane = 0; plane < planes; plane++) whole.push(await bandAt(file, pixels, { plane, row: 0 }, { width: pixels.width, height }))
    return whole
  }
  const width = Math.min(pixels.width, Math.ceil(TILES.bandLineBytes / (pixelBytes * TILES.side)) * TILES.side)
  const rows = Math.max(TILES.leastBandRows, Math.min(TILES.side, Math.floor(TILES.bandBytes / (width * pixelBytes))))
  const size = { width, height: Math.min(height, rows) }
  const first = await bandAt(file, pixels, { plane: 0, row: Math.floor(height / 4) }, size)
  return [first, await bandAt(file, pixels, { plane: planes - 1, row: Math.floor((height * 5) / 8) }, size)]
}

/** Reads a band at `row`, or earlier if decoding from the start of its strip up to `row` would take too long. */
async function bandAt(
  file: TiffFile,
  pixels: PixelStorage,
  at: { plane: number; row: number },
  size: { width: number; height: number },
): Promise<RowBand> {
  const lineBytes = pictureRowBytes(pixels)
  const bandLine = (size.width * pixels.samples * pixels.bits) / 8
  const top = Math.min(at.row, pixels.height - size.height)
  let skip = Math.min(Math.floor(TILES.spreadBytes / lineBytes), top % pixels.chunkHeight)
  const left = Math.floor((pixels.width - size.width) / 2) * (lineBytes / pixels.width)
  const rows = new Uint8Array(bandLine * size.height)
  let filled = 0
  for await (const block of planeRows(file, pixels, at.plane, top)) {
    for (let line = 0; line < block.length && filled < rows.length; line += lineBytes) {
      if (skip-- > 0) continue
      rows.set(block.subarray(line + left, line + left + bandLine), filled)
      filled += bandLine
    }
    discard(block)
    if (filled === rows.length) break
  }
  return { pixels: { ...pixels, ...size }, rows }
}

/** Cuts a band of rows into strips or tiles. */
export async function cutBand({ pixels, rows }: RowBand, cut: ChunkLayout): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const one = async function* () {
    yield rows.slice()
  }
  const rowBytes = cut.tiled ? cut.rowBytes : pictureRowBytes(pixels)
  const chunkHeight = Math.min(cut.chunkHeight, pixels.height)
  for await (const chunk of cutRows(one(), pixels, { ...cut, rowBytes, chunkHeight })) chunks.push(chunk)
  return chunks
}
