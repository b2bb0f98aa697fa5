/**
 * Codec for DICOM, lossless. Stores pixels as JPEG-LS or deflates the data set, whichever is smaller among those that all toolkits decode
 * alike. Other elements keep their values. Implicit and big-endian data sets become explicit little endian; RLE, lossless JPEG and
 * deflated ones are decoded first; a missing preamble is added.
 */

import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Effort } from '../../catalog/effort.ts'
import { DICOM } from '../../catalog/formats/dicom.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { memorySink } from '../../model/sink.ts'
import { ElementReader, EXPLICIT_LITTLE } from './elements.ts'
import { deflatedDiffers, deflatedFile, deflatedLevel } from './encode-deflated.ts'
import { encodeWithJpegLs, jpegLsDiffers } from './encode-jpegls.ts'
import { type DicomFile, readDicom, SYNTAX } from './file.ts'
import type { Frames } from './frames.ts'
import { codingsOf, deflatedBelow, isDeflateSmaller } from './jpegls-or-deflate.ts'
import { type LargeDicomFile, readLargeDicom } from './large-file.ts'
import { decodedSource } from './plain.ts'
import { elementsDiffer } from './same-elements.ts'
import { TRY_BOTH_BYTES } from './tuning.ts'

const BITS_ALLOCATED = 0x0028_0100

export const dicom: Codec = {
  format: DICOM,

  async compress(upload, sink, options) {
    if (isWrapper(options.output)) return compressWrapped(upload, sink, options)
    const { source, coding: was, added } = await decodedSource(upload)
    const outcome = await reencode(source, sink, options)
    if (outcome.kind !== 'compressed') return outcome
    const before = [...(added ? [message(added)] : []), ...(was ? [message('coding_decoded', { what: was })] : [])]
    return { ...outcome, steps: [...before, ...outcome.steps] }
  },

  async verify(upload, result, _outcome, options) {
    if (isWrapper(options.output)) return verifyWrapped(upload, result, options)
    const { source: original } = await decodedSource(upload)
    const file = await readAnySize(original)
    const tick = ticker(options, 0.6, 0.4)
    if ('dataSetAt' in file) {
      const difference = await deflatedDiffers(file, original, result, tick)
      return difference === undefined ? { equal: true } : { equal: false, difference }
    }
    const difference = conversionDiffers(file) ?? (await storedDiffers(file, original, result, tick))
    return difference === undefined ? { equal: true } : { equal: false, difference }
  },
}

async function reencode(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const file = await open(source)
  if ('kind' in file) return file
  const tick = ticker(options, 0, 0.6)
  if ('dataSetAt' in file) return writeDeflated(file, source, sink, tick, options.effort)
  const { jpegLs, deflate, refusal } = await codingsOf(file, source, () => tick(0))
  if (refusal !== undefined) return { kind: 'unchanged', reason: 'unsupported_feature', detail: refusal }
  if (!jpegLs) return writeDeflated(file, source, sink, tick, options.effort)
  const { frames, bits } = jpegLs
  if (!file.pixels || file.pixels.bytes > TRY_BOTH_BYTES) {
    if (deflate && (await isDeflateSmaller(frames, bits))) return writeDeflated(file, source, sink, tick, options.effort)
    await encodeWithJpegLs(file, frames, bits, sink, tick)
    return done(file, jpegLsStep(frames, bits))
  }
  const encoded = memorySink(Number.POSITIVE_INFINITY, source.name)
  await encodeWithJpegLs(file, frames, bits, encoded, tick)
  const deflated = deflate ? await deflatedBelow(file, source, encoded.written, options.effort) : undefined
  if (deflated) {
    for (const piece of deflated.pieces) await sink.write(piece)
    return done(file, message('deflate_level', { level: deflated.level }))
  }
  await sink.write(encoded.bytes())
  return done(file, jpegLsStep(frames, bits))
}

async function readAnySize(source: Source): Promise<DicomFile | LargeDicomFile> {
  try {
    return await readDicom(source)
  } catch (error) {
    if (isCodecError(error, 'over_budget')) return readLargeDicom(source)
    throw error
  }
}

async function open(source: Source): Promise<DicomFile | LargeDicomFile | Extract<Outcome, { kind: 'unchanged' }>> {
  const file = await readAnySize(source)
  if (file.signed) return { kind: 'unchanged', reason: 'signed', detail: message('digital_signatures_or_original_attributes') }
  if (!file.encoding.littleEndian && 'before' in file && (file.number(BITS_ALLOCATED) ?? 0) > 16) {
    // PS3.5, 8.1.1 puts the low word first, but some writers and readers swap the whole sample.
    return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('big_endian_samples_of_more_than_16') }
  }
  return file
}

async function writeDeflated(
  file: DicomFile | LargeDicomFile,
  source: Source,
  sink: Sink,
  tick: (share: number) => Promise<void>,
  effort: Effort | undefined,
): Promise<Outcome> {
  const level = await deflatedLevel(source, effort)
  for await (const piece of deflatedFile(file, source, level)) {
    if (piece.length > 0) await sink.write(piece.slice())
    await tick(0.5)
  }
  return done(file, message('deflate_level', { level }))
}

function done({ encoding }: DicomFile | LargeDicomFile, how: Message): Outcome {
  const steps = encoding.explicit
    ? encoding.littleEndian
      ? []
      : [message('big_endian_to_little_endian')]
    : [message('implicit_vr_to_explicit_vr')]
  return { kind: 'compressed', steps: [...steps, how] }
}

const jpegLsStep = ({ count }: Frames, bits: number) =>
  count === 1 ? message('jpegls_lossless_1_frame', { bits }) : message('jpegls_lossless_frames', { bits, frames: count })

/**
 * Compares the converted data set with the stored one, element by element. `undefined`: no difference, or the data set is copied (explicit
 * little endian).
 */
function conversionDiffers(file: DicomFile): string | undefined {
  if (file.encoding.explicit && file.encoding.littleEndian) return undefined
  const pairs = [
    [file.stored[0], file.before],
    [file.stored[1], file.after],
  ] as const
  for (const [stored, converted] of pairs) {
    const difference = elementsDiffer(
      new ElementReader(stored, file.encoding),
      [0, stored.length],
      new ElementReader(converted, EXPLICIT_LITTLE),
      [0, converted.length],
    )
    if (difference !== undefined) return difference
  }
  return undefined
}

async function storedDiffers(file: DicomFile, original: Source, result: Source, tick: (share: number) => Promise<void>) {
  const deflated = file.start(SYNTAX.deflated)
  const stored = await result.read(0, deflated.length)
  if (deflated.every((byte, i) => byte === stored[i])) return deflatedDiffers(file, original, result, tick)
  const { jpegLs } = await codingsOf(file, original, () => tick(0))
  if (!jpegLs) return 'the result is neither deflated nor JPEG-LS'
  return jpegLsDiffers(file, jpegLs.frames, jpegLs.bits, result, tick)
}

function ticker(options: Options, start: number, share: number): (done: number) => Promise<void> {
  return async (done) => {
    if (done > 0) options.progress(start + share * done)
    await yieldToEventLoop(options.signal)
  }
}
