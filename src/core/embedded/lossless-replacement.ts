/** Converts BMP and TIFF pictures to PNG with the same samples, for documents that can change the picture's name and type. */
import { isEngineError } from '../../../wasm/engine-error.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import type { Options } from '../model/codec.ts'
import { isCodecError } from '../model/error.ts'
import { readPictureHeader } from './image-header.ts'
import { readPlainBmp } from './plain-bmp.ts'
import { readPlainTiff } from './plain-tiff.ts'
import { type PictureRequest, type RecompressedPicture, recompressPicture } from './recompress.ts'
import { similarity } from './similarity.ts'
import { PACKAGE_DEFLATE_LEVEL } from './tuning.ts'

type Lending = Pick<Options, 'inner' | 'quality' | 'signal'>

/**
 * Converts a picture to a PNG with exactly the same samples. `undefined`: another format, or a BMP or TIFF that readers show differently.
 */
export async function toLosslessPng(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const plain = readPlainBmp(bytes) ?? (await readPlainTiff(bytes))
  if (!plain) return undefined
  const { width, height, chunks } = plain
  using encoder = new PngEncoder({ width, height, colourType: 2, bitDepth: 8 }, QUICK_EFFORT, { chunks })
  const pieces: Uint8Array[] = []
  try {
    for await (const row of plain.rows()) {
      encoder.writeRow(row)
      for (const one of encoder.take()) pieces.push(one)
    }
  } catch (error) {
    if (isCodecError(error) || isEngineError(error, 'deflate')) return undefined
    throw error
  }
  return concat([...pieces, ...encoder.finish()])
}

/** Converts a picture to PNG or JPEG. `undefined`: no exact PNG exists, or the package would not become smaller. */
export async function recompressAsPng(
  bytes: Uint8Array,
  name: string,
  options: Lending,
  request: PictureRequest,
): Promise<RecompressedPicture | undefined> {
  const png = await toLosslessPng(bytes)
  if (!png) return undefined
  // The verification compares at the old size, so the picture cannot have a resolution that the caller asked for.
  const { inner, quality, signal } = options
  const best = (await recompressPicture(png, name, { inner, quality, signal }, request)) ?? {
    bytes: png,
    output: 'png' as const,
    downsampled: false,
  }
  return best.bytes.length < zlibCompress(bytes, PACKAGE_DEFLATE_LEVEL).length ? best : undefined
}

/** Returns why a PNG or JPEG must not replace a BMP or TIFF; `undefined` if it may. Frees `before` and `after`. */
export async function replacementProblem(before: Uint8Array, after: Uint8Array): Promise<string | undefined> {
  const png = await toLosslessPng(before)
  discard(before)
  if (!png) return 'the old picture cannot be replaced by a PNG or JPEG'
  const left = await similarity(png, after)
  const [old, fresh] = [readPictureHeader(png), readPictureHeader(after)]
  discard(png)
  discard(after)
  if (!left || !old || !fresh || fresh.width > old.width || fresh.height > old.height)
    return 'the picture does not decode, or has other dimensions'
  const stands = left.ssim >= FLOOR_SSIM && left.psnrDb >= FLOOR_PSNR_DB
  return stands ? undefined : `the picture has SSIM ${left.ssim.toFixed(4)} and ${left.psnrDb.toFixed(2)} dB`
}
