/** How pictures are cut into strips and tiles, and rows into those. */
import { discard } from '../../../../wasm/memories/discard.ts'
import { planeRows } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import type { Pixels } from '../../containers/tiff/pixels.ts'
import { STRIPS, TILES } from './thresholds.ts'

/** Strips are tiles as wide as the picture, of which the last is only as high as its rows. */
export type Cut = Pick<Pixels, 'tiled' | 'chunkWidth' | 'chunkHeight' | 'chunksPerPlane' | 'rowBytes'>

export const isCutAnew = (pixels: Pixels, cut: Cut): boolean =>
  pixels.tiled !== cut.tiled || pixels.chunkWidth !== cut.chunkWidth || pixels.chunkHeight !== cut.chunkHeight

/** One row of the picture in a plane, without what tiles have beyond it. */
export const lineBytesOf = (pixels: Pixels): number => Math.ceil((pixels.width * pixels.samples * pixels.bits) / 8)

/** Strips of about half a megabyte where they are much smaller or larger; tiles as they are. */
export function stripsOf(pixels: Pixels): Cut {
  const { tiled, rowBytes, chunkHeight, height, lengths } = pixels
  const stripBytes = rowBytes * chunkHeight
  const fits = stripBytes >= STRIPS.smallBytes && stripBytes <= STRIPS.largeBytes
  const single = chunkHeight >= height && stripBytes <= STRIPS.largeBytes
  if (tiled || fits || single || lengths.some((length) => length === 0)) return pixels
  const rows = Math.min(height, Math.max(1, Math.round(STRIPS.targetBytes / rowBytes)))
  return { ...pixels, chunkHeight: rows, chunksPerPlane: Math.ceil(height / rows) }
}

/**
 * Tiles in place of strips and of tiles of another size: neighbours above and below are within Deflate's window there. Undefined where
 * samples are no whole bytes, where a chunk was never written, and where a row of tiles would take more than `heldBytes`.
 */
export function tilesOf(pixels: Pixels, heldBytes: number): Cut | undefined {
  const { width, height, planes, samples, bits, tiled, chunkHeight, lengths } = pixels
  if (bits % 8 !== 0 || lengths.some((length) => length === 0)) return undefined
  const side = (pixelsAcross: number) => Math.min(TILES.side, Math.ceil(pixelsAcross / TILES.step) * TILES.step)
  const [chunkWidth, rows] = [side(width), side(height)]
  const across = Math.ceil(width / chunkWidth)
  const rowBytes = (chunkWidth * samples * bits) / 8
  const heldOfSource = tiled ? lineBytesOf(pixels) * chunkHeight : 0
  if (across * rowBytes * rows + heldOfSource > heldBytes || (!tiled && across === 1)) return undefined
  const cut = { tiled: true, chunkWidth, chunkHeight: rows, chunksPerPlane: across * Math.ceil(height / rows), rowBytes }
  return cut.chunksPerPlane * planes <= TILES.most && isCutAnew(pixels, cut) ? cut : undefined
}

/**
 * Whole rows of one plane as strips or tiles from the left to the right and from the top down. What tiles have beyond
 * the picture repeats its last column and row. The caller owns what comes out; what goes in is freed.
 */
export async function* cutRows(
  rows: AsyncIterable<Uint8Array<ArrayBuffer>>,
  pixels: Pixels,
  cut: Cut,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { height } = pixels
  const lineBytes = lineBytesOf(pixels)
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

/** Repeats the last column of the picture in the last tile, and the last row in all. */
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

/** Some rows from one place of a plane; of wide pictures only so many columns that those above them are out of Deflate's reach. */
export interface Band {
  readonly pixels: Pixels
  readonly rows: Uint8Array<ArrayBuffer>
}

/** A small picture whole, of a large one two bands, of the first and the last plane. */
export async function bandsOf(file: TiffFile, pixels: Pixels): Promise<Band[]> {
  const lineBytes = lineBytesOf(pixels)
  const pixelBytes = (pixels.samples * pixels.bits) / 8
  const { height, planes } = pixels
  if (lineBytes * height * planes <= TILES.wholeBytes) {
    const whole: Band[] = []
    for (let plane = 0; plane < planes; plane++) whole.push(await bandAt(file, pixels, { plane, row: 0 }, { width: pixels.width, height }))
    return whole
  }
  const width = Math.min(pixels.width, Math.ceil(TILES.bandLineBytes / (pixelBytes * TILES.side)) * TILES.side)
  const rows = Math.max(TILES.leastBandRows, Math.min(TILES.side, Math.floor(TILES.bandBytes / (width * pixelBytes))))
  const size = { width, height: Math.min(height, rows) }
  const first = await bandAt(file, pixels, { plane: 0, row: Math.floor(height / 4) }, size)
  return [first, await bandAt(file, pixels, { plane: planes - 1, row: Math.floor((height * 5) / 8) }, size)]
}

/** From the strip or row of tiles that `row` lies in on, and from that row where it is not too far into it. */
async function bandAt(
  file: TiffFile,
  pixels: Pixels,
  at: { plane: number; row: number },
  size: { width: number; height: number },
): Promise<Band> {
  const lineBytes = lineBytesOf(pixels)
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

/** What becomes of a band in strips or tiles. */
export async function cutBand({ pixels, rows }: Band, cut: Cut): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const one = async function* () {
    yield rows.slice()
  }
  const rowBytes = cut.tiled ? cut.rowBytes : lineBytesOf(pixels)
  const chunkHeight = Math.min(cut.chunkHeight, pixels.height)
  for await (const chunk of cutRows(one(), pixels, { ...cut, rowBytes, chunkHeight })) chunks.push(chunk)
  return chunks
}
