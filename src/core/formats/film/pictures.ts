/** Encodes the pictures of one part: decodes its packets, encodes the frames of its time span, and measures them. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { Ffmpeg, Picture } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { isCodecError, malformed, noGain, overBudget, unsupported } from '../../model/error.ts'
import { smoothnessOf } from './gradient-detection.ts'
import type { Level } from './levels.ts'
import { type EncodedPart, type EncodeRequest, PartEncoder } from './part-encoder.ts'
import type { PictureTrack } from './picture-track.ts'
import { qualityDeficit } from './quality-deficit.ts'
import { checkPicture, checkPixelBudget, engineFor } from './refuse.ts'
import { isLarge, MEMORY_PROFILES, type MemoryProfile } from './settings.ts'
import { isNotShrinking } from './single-message.ts'
import { isStaticScene } from './static-scene.ts'
import { CRF_STEP, MIN_CRF, SMALL_CRF_STEP } from './tuning.ts'

/**
 * Encodes a part and writes its packets to `part`, without tables and header.
 * @throws CodecError (no_gain) if the pictures do not become smaller
 * @throws CodecError (malformed) if frames are damaged or missing
 * @throws CodecError (unsupported_feature) for pictures that are better copied
 * @throws CodecError (over_budget) if memory is too small
 */
export async function encodePart(job: Omit<EncodeRequest, 'crf' | 'seen'>, level: Level): Promise<EncodedPart> {
  const seen = { isStatic: isLarge(job.track.stream) && (await isStaticScene(job)), smoothness: await smoothnessOf(job) }
  for (let crf = level.crf; ; ) {
    const encoded = await encodeInMemory({ ...job, crf, seen })
    const short = qualityDeficit(encoded.quality, level)
    if (short <= 0 || crf <= MIN_CRF) return encoded
    crf = Math.max(MIN_CRF, crf - (short <= SMALL_CRF_STEP ? SMALL_CRF_STEP : CRF_STEP))
  }
}

/** Encodes with the largest memory profile that fits. A decoder that holds many frames leaves less memory for lookahead and B-frames. */
async function encodeInMemory(job: EncodeRequest): Promise<EncodedPart> {
  for (const memory of MEMORY_PROFILES.slice(0, -1)) {
    try {
      return await encodeWithFactor(job, memory)
    } catch (error) {
      if (!isCodecError(error, 'over_budget')) throw error
    }
  }
  return encodeWithFactor(job, 'least')
}

/** Encodes a part once with one rate factor. Overwrites what an earlier call wrote. @throws the errors of `encodePart` */
export async function encodeWithFactor(job: EncodeRequest, memory: MemoryProfile): Promise<EncodedPart> {
  await job.part.restart()
  using engine = engineFor(job.track.stream)
  return await encodeWith(engine, job, memory)
}

async function encodeWith(engine: Ffmpeg, job: EncodeRequest, memory: MemoryProfile): Promise<EncodedPart> {
  const { source, track, cut, part, options } = job
  const { samples, stream } = track
  const encoder = new PartEncoder(engine, job, memory)
  using window = new ReadWindow(source, SMALL_WINDOW_BYTES)
  engine.openVideo(stream)
  let replaces = 0
  try {
    for (let i = cut.from; i < cut.to; i++) {
      if (samples.size[i] === 0) continue
      const bytes = await window.read(samples.offset[i]!, samples.size[i]!)
      if (!engine.sendVideo(bytes, samples.dts[i]! + samples.composition[i]!, samples.sync[i] !== 0)) {
        throw malformed('video', samples.offset[i]!, 'packet_cannot_be_decoded')
      }
      await encoder.takePictures()
      await encoder.packets.flush()
      replaces += samples.size[i]!
      // Packets still inside the encoder do not count, so the comparison favours the new pictures.
      if (job.sourcePictureBytes !== undefined && isNotShrinking({ bytes: part.bytes, replaces }, job.sourcePictureBytes))
        throw noGain('pictures_would_take_more')
      options.progress((i - cut.from) / (cut.to - cut.from))
    }
    engine.endVideo()
    await encoder.takePictures()
  } catch (error) {
    // A failed memory allocation can surface as any of these errors.
    const trouble = isEngineError(error, 'ffmpeg') || isCodecError(error, 'malformed') || error instanceof WebAssembly.RuntimeError
    if (trouble && engine.isFull)
      throw overBudget(message('decoding_and_encoding_together', { width: stream.width, height: stream.height }))
    if (isEngineError(error, 'ffmpeg'))
      throw malformed('video', samples.offset[cut.from]!, message('engine_reports', { problem: error.message }))
    throw error
  }
  const { headers } = encoder
  if (!headers) throw malformed('video', samples.offset[cut.from]!, 'no_pictures')
  await encoder.drain()
  await encoder.packets.flush()
  if (part.count !== cut.frames) {
    throw malformed('video', samples.offset[cut.from]!, message('pictures_instead', { count: part.count, frames: cut.frames }))
  }
  return encoder.packets.finish(headers, engine.memoryBytes, encoder.crf)
}

/**
 * Decodes the first picture and throws if the pictures are better copied. @throws CodecError (unsupported_feature), CodecError
 * (over_budget), CodecError (malformed)
 */
export async function checkFirstPicture(source: Source, { stream, samples }: PictureTrack, options: Options): Promise<void> {
  checkPixelBudget(stream, options)
  using engine = engineFor(stream)
  using window = new ReadWindow(source, SMALL_WINDOW_BYTES)
  try {
    engine.openVideo(stream)
    let picture: Picture | undefined
    for (let i = 0; i < Math.min(samples.count, 40) && !picture; i++) {
      if (samples.size[i] === 0) continue
      engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)
      picture = engine.nextPicture()
    }
    if (!picture) {
      engine.endVideo()
      picture = engine.nextPicture()
    }
    if (!picture) throw malformed('video', samples.offset[0] ?? 0, 'no_pictures')
    checkPicture(picture, stream, options)
  } catch (error) {
    if (isEngineError(error, 'ffmpeg')) throw unsupported(message('engine_reports', { problem: error.message }))
    throw error
  }
}

/** Read window in bytes: slightly larger than the copies that sources keep. Decoder and encoder need the remaining memory. */
const SMALL_WINDOW_BYTES = 320 * 1024
