/** Estimates the size of a picture in another format from a few of its tiles. */
import { encodeRows } from '../../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { codedPictureOf } from '../../images/avif/file.ts'
import { gridFor, TILE } from '../../images/avif/grid.ts'
import { AvifCodec, discardPixels, type RgbaPixels } from '../../images/avif/libaom.ts'
import { sampleOf } from '../../images/avif/sample.ts'
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import type { Options } from '../../model/codec.ts'
import { SAMPLE_SPEED } from './tuning.ts'

export type EstimatedOutput = 'avif' | 'jpg'

/** Estimated bytes of the picture as `output` at the level, with its metadata. */
export async function estimatedBytes(
  { raster, carried }: ConvertiblePicture,
  output: EstimatedOutput,
  { quality }: Options,
): Promise<number> {
  const grid = gridFor(raster, TILE)
  const sample = await sampleOf(raster, grid)
  const { avif, jpeg } = LEVELS.perceptual[quality].usualQuality
  const { bytes, boxes = 0 } = output === 'avif' ? await avifBytes(sample, avif) : { bytes: await jpegBytes(sample, jpeg) }
  for (const tile of sample) discardPixels(tile)
  const share = (raster.width * raster.height) / (Math.max(1, sample.length) * grid.tileWidth * grid.tileHeight)
  const metadata = [carried.icc, carried.exif, carried.xmp].reduce((sum, block) => sum + (block?.length ?? 0), 0)
  return Math.round(bytes * share) + boxes + metadata
}

/** `boxes`: bytes around the frame of one file. They decide for pictures of one colour. */
async function avifBytes(tiles: readonly RgbaPixels[], quality: number): Promise<{ bytes: number; boxes: number }> {
  using codec = await AvifCodec.open()
  let [bytes, boxes] = [0, 0]
  for (const tile of tiles) {
    const file = codec.encode(tile, quality, SAMPLE_SPEED)
    const { frame } = codedPictureOf(file)
    bytes += frame.length
    boxes = file.length - frame.length
    discard(file)
  }
  return { bytes, boxes }
}

async function jpegBytes(tiles: readonly RgbaPixels[], quality: number): Promise<number> {
  let bytes = 0
  for (const { pixels, width, height } of tiles) {
    const rows = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
    const { chunks } = await encodeRows({ width, height, pixels: 'rgbx', quality, bare: true }, [rows])
    for (const chunk of chunks) bytes += chunk.length
  }
  return bytes
}
