/** Encodes 16-bit pictures as lossless PNG with 16 bits a sample. */

import { type AncillaryChunk, type ColourType, PngEncoder, THOROUGH_EFFORT } from '../../../../wasm/png/png.ts'
import { message } from '../../i18n/message.ts'
import type { Options } from '../../model/codec.ts'
import { noGain, TargetUnreachable } from '../../model/error.ts'
import type { Raster } from '../raster/raster.ts'
import type { Raster16 } from '../raster/raster16.ts'
import type { EncodedPicture } from '../search/encode-request.ts'

/** Colour type (W3C PNG, 11.2.1) and the RGBA samples that it stores. */
const STORED = {
  1: { colourType: 0, samples: [0] },
  2: { colourType: 4, samples: [0, 3] },
  3: { colourType: 2, samples: [0, 1, 2] },
  4: { colourType: 6, samples: [0, 1, 2, 3] },
} as const satisfies Record<Raster['channels'], { colourType: ColourType; samples: readonly number[] }>

/**
 * Encodes the samples of `deep` that a picture with `channels` has. @throws CodecError `no_gain` if the file would reach `limit` bytes @throws TargetUnreachable
 * if it exceeds the target size
 */
export async function encodeDeepPng(
  deep: Raster16,
  channels: Raster['channels'],
  chunks: readonly AncillaryChunk[],
  limit: number,
  { targetSize = limit, signal }: Options,
): Promise<EncodedPicture> {
  const { width, height } = deep
  const { colourType, samples } = STORED[channels]
  using encoder = new PngEncoder({ width, height, colourType, bitDepth: 16 }, THOROUGH_EFFORT, { chunks })
  const pieces: Uint8Array[] = []
  let bytes = 0
  const append = (more: readonly Uint8Array[]) => {
    for (const piece of more) {
      bytes += piece.length
      pieces.push(piece)
    }
    if (bytes >= limit) throw noGain()
    if (bytes > targetSize) throw new TargetUnreachable(bytes)
  }
  const row = new Uint8Array(width * samples.length * 2)
  for await (const strip of deep.rows()) {
    signal.throwIfAborted()
    for (let at = 0; at < strip.length; at += width * 4) {
      packRow(strip.subarray(at, at + width * 4), samples, row)
      encoder.writeRow(row)
    }
    append(encoder.take())
  }
  append(encoder.finish())
  return { chunks: pieces, step: message('exact_png') }
}

/** Writes the samples of an RGBA row in network byte order (W3C PNG, 7.1). */
function packRow(rgba: Uint16Array, samples: readonly number[], into: Uint8Array): void {
  let to = 0
  for (let at = 0; at < rgba.length; at += 4) {
    for (const sample of samples) {
      const value = rgba[at + sample] ?? 0
      into[to++] = value >> 8
      into[to++] = value & 255
    }
  }
}
