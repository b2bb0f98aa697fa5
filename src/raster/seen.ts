/**
 * Conversions as readers show them. Encoders are measured in their own planes; where thin lines are of strong colours, halved
 * chroma and what is cut off on the way to RGB cost luma, too, and colour more than luma tells.
 */

import { JpegRows } from '../../wasm/jpeg/jpeg.ts'
import { decodeWebp } from '../../wasm/webp/webp.ts'
import { concat } from '../bytes/concat.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM, UnsupportedFeature } from '../codec/codec.ts'
import { type Likeness, LikenessMeter } from '../quality/metrics.ts'
import type { Encoded, Wish } from './encoded.ts'
import { type Carried, onWhite, type Raster, wholeRgba } from './raster.ts'

type Encoder = (raster: Raster, carried: Carried, wish: Wish) => Promise<Encoded>

/** Larger pictures hold few such lines for their size. */
const MOST_PIXELS = 2_000_000
/** PSNR over all channels that colours keep at least, in dB. */
const LEAST_RGB_DB = 25.5
const MOST_ATTEMPTS = 4
/** What an attempt asks for above what the last one lacked; and what may be lacking. */
const EXTRA_DB = 0.5
const SLACK_DB = 0.1

/** `encode`, again with a higher target where what readers show misses `wish.target`; its figures are of what they show. */
export async function encodeAsSeen(output: string, encode: Encoder, raster: Raster, carried: Carried, wish: Wish): Promise<Encoded> {
  const likeness = LIKENESS[output]
  let { target } = wish
  for (let attempt = 1; ; attempt++) {
    const encoded = await encode(raster, carried, { ...wish, target })
    if (!likeness || raster.width * raster.height > MOST_PIXELS || encoded.fidelity === 'lossless') return encoded
    const seen = await likeness(raster, encoded)
    const lacking = Math.max(
      wish.target.psnrDb - seen.psnrDb,
      LEAST_RGB_DB - seen.psnrRgbDb,
      10 * Math.log10(Math.max(1 - seen.ssim, 1e-9) / (1 - wish.target.ssim)),
    )
    const better = wish.targetSize === undefined && lacking > SLACK_DB && attempt < MOST_ATTEMPTS
    if (!better) {
      const keeps = seen.ssim >= FLOOR_SSIM && seen.psnrDb >= FLOOR_PSNR_DB && seen.psnrRgbDb >= LEAST_RGB_DB
      if (keeps) return { ...encoded, ssim: Math.min(encoded.ssim, seen.ssim), psnrDb: Math.min(encoded.psnrDb, seen.psnrDb) }
      if (output === 'webp' && wish.pristine && wish.targetSize === undefined)
        return await encode(raster, carried, { ...wish, lossless: true })
      throw new UnsupportedFeature(`colours that ${output} does not keep`)
    }
    const more = lacking + EXTRA_DB
    target = { ...target, psnrDb: target.psnrDb + more, ssim: 1 - (1 - target.ssim) * 10 ** (-more / 10) }
  }
}

async function likenessOfWebp(raster: Raster, { chunks }: Encoded): Promise<Likeness> {
  const { width, height } = raster
  const pixels = decodeWebp(concat([...chunks]), width, height)
  if (!pixels) throw new UnsupportedFeature('a WebP that cannot be decoded')
  using meter = new LikenessMeter(width, height, 4)
  const before = await wholeRgba(raster)
  meter.push(new Uint8Array(before.buffer, before.byteOffset, before.length), pixels)
  return meter.finish()
}

async function likenessOfJpeg(raster: Raster, { chunks }: Encoded): Promise<Likeness> {
  const flat = onWhite(raster)
  const { width, height, channels } = flat
  using meter = new LikenessMeter(width, height, channels)
  using jpeg = await JpegRows.open(concat([...chunks]), { colour: channels === 1 ? 'gray' : 'rgb' })
  for await (const strip of flat.rows()) {
    const rows = strip.length / (width * channels)
    for (let at = 0; at < rows; ) {
      const read = await jpeg.read(rows - at)
      if (!read) throw new UnsupportedFeature('a JPEG that ends early')
      meter.push(strip.subarray(at * width * channels, at * width * channels + read.length), read)
      at += read.length / (width * channels)
    }
  }
  return meter.finish()
}

/** By output; of others the encoder's own figures are of what readers show. */
const LIKENESS: { readonly [output: string]: ((raster: Raster, encoded: Encoded) => Promise<Likeness>) | undefined } = {
  webp: likenessOfWebp,
  jpg: likenessOfJpeg,
}
