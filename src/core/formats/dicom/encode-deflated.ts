/** Writes Deflated Explicit VR Little Endian (PS3.5, A.5): the whole data set as one raw Deflate stream after the file meta information. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { DeflateSegments } from '../../../../wasm/libdeflate/libdeflate.ts'
import { concat } from '../../bytes/concat.ts'
import { BEST_LEVEL, deflateRaw } from '../../bytes/deflate.ts'
import { gzipLevel } from '../../bytes/gzip.ts'
import { inflateStream } from '../../bytes/inflate-stream.ts'
import { levelForShare } from '../../bytes/level-choice.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Effort } from '../../catalog/effort.ts'
import type { Source } from '../../model/codec.ts'
import { rangeStream } from '../../model/source.ts'
import { PIXEL_DATA } from './elements.ts'
import { beforePixels, type DicomFile, SYNTAX } from './file.ts'
import { littleEndianPixels } from './frames.ts'
import type { LargeDicomFile } from './large-file.ts'
import { explicitHeader } from './to-explicit.ts'
import { QUICK_LEVELS, SEGMENT_BYTES, SHARE_SAMPLE_BYTES, SHARE_SAMPLES } from './tuning.ts'

/** Level for a data set, from spread samples of the file, or from the `share` of bytes that a faster level left of it. */
export async function deflatedLevel(source: Source, effort?: Effort, share?: number): Promise<number> {
  const level = gzipLevel(source.size)
  return level < BEST_LEVEL || effort === 'best' ? level : levelForShare(share ?? (await sampledShare(source)))
}

/** Share of bytes that fast Deflate leaves of samples of the file. */
async function sampledShare(source: Source): Promise<number> {
  const count = Math.max(1, Math.min(SHARE_SAMPLES, Math.floor(source.size / SHARE_SAMPLE_BYTES)))
  const samples: Uint8Array[] = []
  for (let i = 0; i < count; i++) samples.push((await source.read(Math.floor((source.size * i) / count), SHARE_SAMPLE_BYTES)).slice())
  const bytes = concat(samples)
  return deflateRaw(bytes, QUICK_LEVELS[0].level).length / Math.max(1, bytes.length)
}

export async function* deflatedFile(
  dicom: DicomFile | LargeDicomFile,
  source: Source,
  level: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield dicom.start(SYNTAX.deflated)
  const segments = new DeflateSegments(level, SEGMENT_BYTES)
  let length = 0
  for await (const chunk of explicitDataSet(dicom, source)) {
    for (const compressed of segments.push(chunk)) {
      length += compressed.length
      yield compressed
      await yieldToEventLoop()
    }
  }
  const last = segments.finish()
  yield last
  if ((length + last.length) % 2) yield new Uint8Array(1) // PS3.5, A.5: an odd stream is padded with a zero byte
}

/** Yields the data set as explicit little endian. */
async function* explicitDataSet(dicom: DicomFile | LargeDicomFile, source: Source): AsyncGenerator<Uint8Array, void, undefined> {
  if ('dataSetAt' in dicom) {
    for (let at = dicom.dataSetAt; at < source.size; at += SEGMENT_BYTES) yield await source.read(at, SEGMENT_BYTES)
    return
  }
  if (!dicom.pixels) {
    yield dicom.before
    return
  }
  const { bytes, vr } = dicom.pixels
  const header = explicitHeader(PIXEL_DATA, vr, bytes)
  yield beforePixels(dicom, header.length + bytes)
  yield header
  const read = littleEndianPixels(dicom, source)
  for (let at = 0; at < bytes; at += SEGMENT_BYTES) yield await read(at, Math.min(SEGMENT_BYTES, bytes - at))
  yield dicom.after
}

/** Inflates the result and compares it with the source's data set. Describes the first difference; `undefined`: none. */
export async function deflatedDiffers(
  dicom: DicomFile | LargeDicomFile,
  source: Source,
  result: Source,
  tick: (share: number) => Promise<void>,
): Promise<string | undefined> {
  const start = dicom.start(SYNTAX.deflated)
  const stored = await result.read(0, start.length)
  if (stored.length !== start.length || start.some((byte, i) => byte !== stored[i])) return 'the file meta information differs'
  const body = rangeStream(result.size - start.length, (offset, length) => result.read(start.length + offset, length))
  const inflated = inflateStream('raw', body, source.size * 2 + (1 << 20))
  let rest: Uint8Array = new Uint8Array()
  let at = 0
  try {
    for await (const wanted of explicitDataSet(dicom, source)) {
      for (let i = 0; i < wanted.length; ) {
        if (rest.length === 0) {
          const next = await inflated.next()
          if (next.done) return `the data set ends at byte ${at}`
          rest = next.value
        }
        const length = Math.min(rest.length, wanted.length - i)
        for (let j = 0; j < length; j++) if (rest[j] !== wanted[i + j]) return `byte ${at + j} of the data set differs`
        rest = rest.subarray(length)
        i += length
        at += length
      }
      await tick(Math.min(1, at / source.size))
    }
    return rest.length > 0 || !(await inflated.next()).done ? 'the data set continues after its end' : undefined
  } catch (error) {
    if (isEngineError(error, 'deflate')) return error.message
    throw error
  } finally {
    await inflated.return()
  }
}
