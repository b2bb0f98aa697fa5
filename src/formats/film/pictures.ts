/** One part of a film: its packets decoded, the frames of its time span encoded again, measured on the way. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { Ffmpeg, type Picture, type VideoPacket, type VideoStream } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { sumOf } from '../../bytes/column.ts'
import type { Options, Source } from '../../codec/codec.ts'
import { isCodecError, malformed, overBudget, unsupported } from '../../codec/error.ts'
import { Window } from '../../containers/window.ts'
import type { Cut } from './cut.ts'
import { type Level, WORST_PSNR_DB, WORST_SSIM } from './levels.ts'
import type { PartWriter } from './part-file.ts'
import type { PartQuality, PictureTrack } from './picture-track.ts'
import { isStill } from './still.ts'

/** A track of pictures, whatever its container. */

export interface EncodedPart {
  /** Parameter sets. */
  readonly headers: Uint8Array
  /** In decoding order. */
  readonly pts: Float64Array
  readonly keys: Uint8Array
  readonly quality: PartQuality
  readonly memoryBytes: number
  readonly crf: number
  /** By how many frames players show a counted stream later, because its decoder has to wait for reordered ones. */
  readonly delay: number
}

const MIN_CRF = 14
const CRF_STEP = 4
const SMALL_CRF_STEP = 2

/**
 * Writes the packets to `part`, without its end.
 * @throws CodecError (malformed) when frames are damaged or missing, CodecError (unsupported_feature) for pictures that are better kept, CodecError (over_budget)
 */
export async function encodePart(
  source: Source,
  track: PictureTrack,
  cut: Cut,
  level: Level,
  part: PartWriter,
  options: Options,
): Promise<EncodedPart> {
  const still = isLarge(track.stream) && (await isStill(source, track, cut, options))
  for (let crf = level.crf; ; ) {
    const encoded = await encodeInMemory({ source, track, cut, crf, still, part, options })
    const { meanSsim, meanPsnrDb, worstSsim, worstPsnrDb } = encoded.quality
    const good = meanSsim >= level.ssim && meanPsnrDb >= level.psnrDb && worstSsim >= WORST_SSIM && worstPsnrDb >= WORST_PSNR_DB
    if (good || crf <= MIN_CRF) return encoded
    const close =
      meanSsim >= level.ssim - 0.006 && meanPsnrDb >= level.psnrDb - 0.7 && worstSsim >= WORST_SSIM && worstPsnrDb >= WORST_PSNR_DB
    crf = Math.max(MIN_CRF, crf - (close ? SMALL_CRF_STEP : CRF_STEP))
  }
}

interface Encode {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly crf: number
  /** Most of the picture stays as it is. */
  readonly still?: boolean
  readonly part: PartWriter
  readonly options: Options
}

/** From most to least. */
const MEMORIES = ['most', 'usual', 'least'] as const
type Memory = (typeof MEMORIES)[number]

/** A decoder that holds many frames leaves less for the encoder, which then does with fewer frames ahead or in between, or none. */
async function encodeInMemory(job: Encode): Promise<EncodedPart> {
  for (const memory of MEMORIES.slice(0, -1)) {
    try {
      return await encodeOnce(job, memory)
    } catch (error) {
      if (!isCodecError(error, 'over_budget')) throw error
    }
  }
  return encodeOnce(job, 'least')
}

/** Pictures that leave x264 no look ahead. */
const isLarge = ({ width, height }: { width: number; height: number }) => width * height > 1280 * 736

/** Without mbtree, which needs a look ahead, the same factor spends more. */
const ALONE_CRF = 2.5
/** What a greater `ipratio` would spend on first frames of still pictures: 6 · log2(3 / 2), for the same quality in fewer bytes. */
const STILL_CRF = 3.5

/**
 * What memory allows for a picture size: x264's own names, over the preset. Every frame of 1080p that x264 looks ahead costs
 * 7 MB, every reference 13 MB. Levels are SSIM and PSNR, so nothing is spent on other likings (`psy`).
 */
export function settings(
  size: { width: number; height: number },
  crf: number,
  { rate, annexb }: Pick<PictureTrack, 'rate' | 'annexb'>,
  memory: Memory,
  still = false,
): { preset: string; crf: number; options: [string, string][] } {
  // In AVI a chunk's place is its time, so nothing may be reordered there.
  const between = (frames: number): [string, string][] => [
    ['bframes', String(annexb || memory === 'least' ? 0 : frames)],
    ['b-pyramid', 'none'],
  ]
  const common: [string, string][] = [
    ['keyint', String(Math.max(24, Math.round((rate.num / rate.den) * 8)))],
    ['sync-lookahead', '0'],
    ['aq-mode', '2'],
    ['psy', '0'],
  ]
  if (isLarge(size) || memory === 'least') {
    // What mbtree would find out, taken for granted: much is copied from the frame that begins a group, and of pictures that are
    // still nearly all. At the same bytes and SSIM this is worth 1 dB and more.
    const factor = crf + ALONE_CRF + (still ? STILL_CRF : 0)
    const alone: [string, string][] = [
      ['crf', String(factor)],
      ['aq-strength', '0.5'],
      ['ipratio', still ? '3.0' : '2.0'],
      ['qcomp', '0.7'],
      ['rc-lookahead', '0'],
      ['mbtree', '0'],
      ['weightp', '0'],
      ['ref', '1'],
      ['subme', '7'],
      ['me', 'umh'],
      ['trellis', '1'],
    ]
    return { preset: 'faster', crf: factor, options: [...common, ...alone, ...between(memory === 'most' ? 2 : 1)] }
  }
  const ahead = memory === 'usual' ? '5' : size.width * size.height <= 1024 * 576 ? '20' : '12'
  return { preset: 'medium', crf, options: [...common, ['crf', String(crf)], ['rc-lookahead', ahead], ['ref', '2'], ...between(3)] }
}

/** Parts of one film that need other parameter sets name them by another number, so that one track can hold them all. */
const parameterSetId = (memory: Memory, { interlaced }: Picture) => MEMORIES.indexOf(memory) + (interlaced ? MEMORIES.length : 0)

/** One encode with one rate factor, in place of what an earlier one wrote. @throws as `encodePart` */
export async function encodeOnce(job: Encode, memory: Memory): Promise<EncodedPart> {
  await job.part.restart()
  using engine = new Ffmpeg()
  return await encodeWith(engine, job, memory)
}

async function encodeWith(engine: Ffmpeg, job: Encode, memory: Memory): Promise<EncodedPart> {
  const { source, track, cut, crf, still, part, options } = job
  const out = new Collector(part, cut.frames)
  const { samples, stream } = track
  using window = new Window(source, SMALL_WINDOW_BYTES)
  let headers: Uint8Array | undefined
  let shown = 0
  let used = crf
  let latest = Number.NEGATIVE_INFINITY
  let last = performance.now()
  const take = (picture: Picture) => {
    if (picture.damaged) throw malformed('video', samples.offset[cut.from]!, 'a picture is damaged')
    const place = (cut.first ?? cut.start) + shown++
    const pts = track.counted ? place : picture.pts
    // Players guess what reordered frames in an AVI file are shown at; any other order of chunks would move them.
    if (track.counted && picture.pts !== pts) {
      if (['h264', 'hevc'].includes(stream.decoder)) throw unsupported('reordered frames in a container without times')
      out.delay = Math.max(out.delay, (picture.pts ?? place) - place)
    }
    if (pts === undefined || pts < cut.start || pts >= cut.end) return
    // Reordered pictures in a file that says nothing of it: every player guesses differently when they are shown.
    if (pts < latest) throw unsupported('times that contradict the order of the pictures')
    latest = pts
    if (!headers) {
      refuse(picture, stream)
      const wanted = settings(picture, crf, track, memory, still)
      used = wanted.crf
      const id: [string, string] = ['sps-id', String(parameterSetId(memory, picture))]
      headers = engine.openEncoder(wanted.preset, [...wanted.options, id], track.rate, track.timescale, track.annexb)
    }
    const packet = engine.encode(pts, out.fed++ === 0)
    if (packet) out.add(packet)
  }
  engine.openVideo(stream)
  try {
    for (let i = cut.from; i < cut.to; i++) {
      if (samples.size[i] === 0) continue
      const bytes = await window.read(samples.offset[i]!, samples.size[i]!)
      if (!engine.sendVideo(bytes, samples.dts[i]! + samples.composition[i]!, samples.sync[i] !== 0)) {
        throw malformed('video', samples.offset[i]!, 'a packet cannot be decoded')
      }
      for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture()) take(picture)
      await out.flush()
      if (performance.now() - last > 150) {
        options.signal.throwIfAborted()
        options.progress((i - cut.from) / (cut.to - cut.from))
        // Others must run, too: a queue that hears nothing for long takes the worker for dead.
        await new Promise((resolve) => setTimeout(resolve, 0))
        last = performance.now()
      }
    }
    engine.endVideo()
    for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture()) take(picture)
  } catch (error) {
    // All of them look like this when an allocation failed.
    const trouble = isEngineError(error, 'ffmpeg') || isCodecError(error, 'malformed') || error instanceof WebAssembly.RuntimeError
    if (trouble && engine.isFull) throw overBudget(`decoding and encoding ${stream.width}×${stream.height} together`)
    if (isEngineError(error, 'ffmpeg')) throw malformed('video', samples.offset[cut.from]!, error.message)
    throw error
  }
  if (!headers) throw malformed('video', samples.offset[cut.from]!, 'no pictures')
  for (let packet = engine.drainEncoder(); packet; packet = engine.drainEncoder()) out.add(packet)
  await out.flush()
  if (part.count !== cut.frames) {
    throw malformed('video', samples.offset[cut.from]!, `${part.count} pictures instead of ${cut.frames}`)
  }
  return out.finish(headers, engine.memoryBytes, used)
}

/** Decodes the first picture and says, by throwing, when it is better kept. @throws CodecError (unsupported_feature), CodecError (over_budget), CodecError (malformed) */
export async function probe(source: Source, { stream, samples }: PictureTrack): Promise<void> {
  if (stream.width * stream.height > MAX_PIXELS) throw overBudget(`pictures of ${stream.width}×${stream.height}`)
  using engine = new Ffmpeg()
  using window = new Window(source, SMALL_WINDOW_BYTES)
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
    if (!picture) throw malformed('video', samples.offset[0] ?? 0, 'no pictures')
    refuse(picture, stream)
  } catch (error) {
    if (isEngineError(error, 'ffmpeg')) throw unsupported(error.message)
    throw error
  }
}

/** A telephone's whole screen, 1080×2400. More does not fit beside a decoder into the memory of an isolate. */
const MAX_PIXELS = 1088 * 2400

/** Pictures that 8-bit 4:2:0 H.264 would not do justice to. */
function refuse(picture: Picture, stream: VideoStream): void {
  // H.273: 16 is PQ, 18 is HLG.
  if (picture.transfer === 16 || picture.transfer === 18) throw unsupported('HDR pictures are kept as they are')
  if (picture.depth > 8 && ['h264', 'hevc', 'vp9'].includes(stream.decoder)) throw unsupported('pictures of more than 8 bits are kept')
  if (picture.alpha) throw unsupported('pictures with transparency are kept')
  if (picture.width % 2 || picture.height % 2) throw unsupported('pictures of odd size are kept')
  if (picture.width !== stream.width || picture.height !== stream.height) throw unsupported('pictures of another size than the track says')
  if (picture.width * picture.height > MAX_PIXELS) throw overBudget(`pictures of ${picture.width}×${picture.height}`)
}

/** Beside decoder and encoder every buffer counts. Just more than what sources keep copies of. */
const SMALL_WINDOW_BYTES = 320 * 1024

/**
 * Packets on their way to the part, and what is to be known of them, in tables: lists of numbers would outlive the collector's
 * first rounds in every part, for which it then takes more and more room.
 */
class Collector {
  fed = 0
  delay = 0
  readonly #part: PartWriter
  readonly #waiting: Uint8Array[] = []
  readonly #pts: Float64Array
  readonly #keys: Uint8Array
  readonly #ssim: Float64Array
  readonly #psnrDb: Float64Array
  #count = 0

  constructor(part: PartWriter, frames: number) {
    this.#part = part
    this.#pts = new Float64Array(frames)
    this.#keys = new Uint8Array(frames)
    this.#ssim = new Float64Array(frames)
    this.#psnrDb = new Float64Array(frames)
  }

  /** Hands on what came since the last time. */
  async flush(): Promise<void> {
    for (let i = 0; i < this.#waiting.length; i++) await this.#part.write(this.#waiting[i]!)
    this.#waiting.length = 0
  }

  add(packet: VideoPacket): void {
    this.#waiting.push(packet.bytes)
    const place = this.#count++
    this.#pts[place] = packet.pts
    this.#keys[place] = packet.key ? 1 : 0
    this.#ssim[place] = packet.ssim
    this.#psnrDb[place] = Math.min(100, packet.psnrDb)
  }

  finish(headers: Uint8Array, memoryBytes: number, crf: number): EncodedPart {
    const mean = (values: Float64Array) => sumOf(values) / values.length
    const worst = (values: Float64Array) =>
      mean(
        values
          .slice()
          .sort()
          .subarray(0, Math.max(1, Math.ceil(values.length / 100))),
      )
    return {
      headers,
      pts: this.#pts,
      keys: this.#keys,
      quality: {
        frames: this.#count,
        meanSsim: mean(this.#ssim),
        meanPsnrDb: mean(this.#psnrDb),
        worstSsim: worst(this.#ssim),
        worstPsnrDb: worst(this.#psnrDb),
      },
      memoryBytes,
      crf,
      delay: this.delay,
    }
  }
}
