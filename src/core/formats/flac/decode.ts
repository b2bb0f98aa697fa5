/** Decodes the frames of a FLAC file one by one. */
import { FlacDecoder } from '../../../../wasm/flac/flac.ts'
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { checkWork } from '../../model/work-estimate.ts'
import { blockHeader, type FlacFile, HEADER_BYTES, STREAM_INFO, STREAM_INFO_BYTES } from './file.ts'
import { MAX_SAMPLES, PIECE_BYTES, SAMPLES_PER_YIELD, SECONDS_PER_MILLION_SAMPLES } from './tuning.ts'

/** One decoded frame. */
export interface Frame {
  /** Interleaved samples, valid until the next frame is requested. */
  readonly samples: Int32Array
  /** Offset of the frame behind the start of the first frame, in bytes. */
  readonly offset: number
  readonly end: number
}

/** Bytes that the decoder gets in front of the frames: `fLaC` and STREAMINFO. Other blocks are no business of the decoder. */
const DECODER_HEAD_BYTES = 2 * HEADER_BYTES + STREAM_INFO_BYTES

/**
 * Yields all frames. The last one is followed by the end of the file, or by bytes that are no frame if the number of samples is known.
 * @returns the offset of the file at which the last frame ends
 * @throws CodecError (malformed) if a frame is damaged, frames are missing, or the MD5 of the samples differs
 */
export async function* framesOf(source: Source, file: FlacFile, options: Options): AsyncGenerator<Frame, number> {
  const { info, frontBytes, framesOffset } = file
  const damaged = (end: number, what: Parameters<typeof malformed>[2]) => malformed('flac', framesOffset + end, what)
  checkSamples(info.samples * info.channels, options)
  let frame: Frame | undefined
  let [end, samples] = [0, 0]
  using decoder = new FlacDecoder(
    info.channels,
    (interleaved, at) => {
      frame = { samples: interleaved, offset: end, end: at - DECODER_HEAD_BYTES }
    },
    info,
  )
  const streamInfo = await source.read(frontBytes + 2 * HEADER_BYTES, STREAM_INFO_BYTES)
  decoder.push(concat([new TextEncoder().encode('fLaC'), blockHeader(STREAM_INFO, STREAM_INFO_BYTES, true), streamInfo]))
  let at = framesOffset
  const pause = new YieldBudget(SAMPLES_PER_YIELD, options.signal)
  for (;;) {
    // Other data may follow the last sample.
    if (info.samples > 0 && samples >= info.samples * info.channels) break
    const step = decoder.step()
    if (step === 'damaged') throw damaged(end, 'flac_frame_damaged')
    if (step === 'end') break
    if (step === 'hungry') {
      const piece = (await source.read(at, PIECE_BYTES)).slice()
      if (piece.length === 0) decoder.end()
      else decoder.push(piece)
      at += piece.length
    }
    if (!frame) continue
    options.signal.throwIfAborted()
    await pause.after(frame.samples.length)
    yield frame
    end = frame.end
    samples += frame.samples.length
    frame = undefined
    if (info.samples === 0) checkSamples(samples, options)
  }
  if (info.samples > 0 && samples !== info.samples * info.channels)
    throw damaged(end, message('flac_samples_missing', { samples: Math.floor(samples / info.channels), expected: info.samples }))
  if (!decoder.finish()) throw damaged(end, 'flac_md5_differs')
  return await checkedEnd(source, file, end)
}

/** Decodes all frames. @throws CodecError (malformed) if one is damaged */
export async function checkFrames(source: Source, file: FlacFile, options: Options): Promise<void> {
  const frames = framesOf(source, file, options)
  while (!(await frames.next()).done);
}

/** Refuses a stream that takes too long to decode. @throws CodecError (over_budget) */
function checkSamples(samples: number, options: Options): void {
  if (samples > MAX_SAMPLES) throw overBudget(message('flac_too_many_samples', { samples }))
  checkWork((samples / 1e6) * SECONDS_PER_MILLION_SAMPLES, options)
}

/** Returns the file offset behind the last frame. @throws CodecError if something that readers may take for sound follows */
async function checkedEnd(source: Source, { info, framesOffset }: FlacFile, end: number): Promise<number> {
  const offset = framesOffset + end
  if (offset === source.size) return offset
  if (info.samples === 0) throw malformed('flac', offset, 'flac_frame_damaged')
  const [first = 0, second = 0] = await source.read(offset, 2)
  // Sync code of a frame (RFC 9639, section 9.1), or another stream.
  if ((first === 0xff && (second & 0xfc) === 0xf8) || latin1Of(await source.read(offset, HEADER_BYTES)) === 'fLaC')
    throw unsupported('flac_more_frames_than_samples')
  return offset
}
