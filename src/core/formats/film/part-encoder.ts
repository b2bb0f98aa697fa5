/** Encodes the decoder's pictures into the packets of a part. */

import type { Ffmpeg, Picture, VideoPacket } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { sumOf } from '../../bytes/compact-array.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import type { Cut } from './cut.ts'
import type { PartWriter } from './part-file.ts'
import { type PictureTrack, secondsOf } from './picture-track.ts'
import { checkPicture } from './refuse.ts'
import { mseOf, QualityBySecond, SsimSampling } from './seconds.ts'
import { type MemoryProfile, parameterSetId, type SceneFeatures, x264Settings } from './settings.ts'
import { ENCODED_PIXELS_PER_YIELD } from './tuning.ts'

/** Similarity of a part's frames to the source frames. */
export interface PartQuality {
  readonly frames: number
  readonly seconds: QualityBySecond
  /** Mean PSNR of the frames, in dB. */
  readonly meanPsnrDb: number
  /** Means over the worst 1 % of the frames. SSIM is x264's own, which it measures for each frame. */
  readonly worstBlockSsim: number
  readonly worstPsnrDb: number
}

export interface EncodedPart {
  /** H.264 parameter sets, each after its four-byte length. */
  readonly headers: Uint8Array
  /** Display times of the packets, in decoding order. */
  readonly pts: Float64Array
  readonly keys: Uint8Array
  readonly quality: PartQuality
  readonly memoryBytes: number
  readonly crf: number
  /** Frames by which players delay a stream without timestamps, because its old decoder waits for reordered frames. */
  readonly delay: number
}

/** Request to encode one stretch of a film with one rate factor. */
export interface EncodeRequest {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly crf: number
  readonly seen?: SceneFeatures
  readonly part: PartWriter
  readonly options: Options
  /**
   * Bytes of the film's pictures, if this part holds all of them: encoding stops once the result cannot become smaller. `undefined`: never
   * stop.
   */
  readonly sourcePictureBytes?: number | undefined
}

/** Takes pictures from the decoder and sends those inside the cut to the encoder. Opens the encoder at the first picture. */
export class PartEncoder {
  readonly packets: Collector
  /** H.264 parameter sets (SPS, PPS). `undefined` until the first picture. */
  headers: Uint8Array | undefined
  /** x264 rate factor (CRF) in use. */
  crf: number
  readonly #engine: Ffmpeg
  readonly #job: EncodeRequest
  readonly #memory: MemoryProfile
  readonly #breath: YieldBudget
  readonly #pixels: number
  readonly #sampling = new SsimSampling()
  /** Display times of frames inside the encoder whose SSIM will be measured. */
  readonly #sampled = new Set<number>()
  #decoded = 0
  #latest = Number.NEGATIVE_INFINITY

  constructor(engine: Ffmpeg, job: EncodeRequest, memory: MemoryProfile) {
    this.packets = new Collector(job.part, job.cut.frames)
    this.crf = job.crf
    this.#engine = engine
    this.#job = job
    this.#memory = memory
    this.#breath = new YieldBudget(ENCODED_PIXELS_PER_YIELD, job.options.signal)
    this.#pixels = job.track.stream.width * job.track.stream.height
  }

  /** Encodes all pictures that the decoder has finished. */
  async takePictures(): Promise<void> {
    for (let picture = this.#engine.nextPicture(); picture; picture = this.#engine.nextPicture()) {
      this.#take(picture)
      await this.#breath.after(this.#pixels)
    }
    // Packets without a picture take decoding time too, so they count towards the next pause.
    await this.#breath.after(this.#pixels / 4)
  }

  /** Takes the remaining packets out of the encoder. */
  async drain(): Promise<void> {
    for (let packet = this.#engine.drainEncoder(); packet; packet = this.#engine.drainEncoder()) {
      this.#keep(packet)
      await this.#breath.after(this.#pixels)
    }
  }

  #take(picture: Picture): void {
    const { track, cut } = this.#job
    if (picture.damaged) throw malformed('video', track.samples.offset[cut.from]!, 'picture_damaged')
    const pts = this.#timeOf(picture)
    if (pts === undefined || pts < cut.start || pts >= cut.end) return
    // Pictures are out of order, but the file has no composition offsets. Players would guess different display times.
    if (pts < this.#latest) throw unsupported('times_contradict_order_of_pictures')
    this.#latest = pts
    this.headers ??= this.#open(picture)
    if (this.#sampling.includes(secondsOf(track, pts))) this.#sampled.add(pts)
    const packet = this.#engine.encode(pts, this.packets.fed++ === 0)
    if (packet) this.#keep(packet)
  }

  #keep(packet: VideoPacket): void {
    const ssim = this.#sampled.delete(packet.pts) ? this.#engine.measurePacket().ssim : undefined
    this.packets.add(packet, secondsOf(this.#job.track, packet.pts), ssim)
  }

  #timeOf(picture: Picture): number | undefined {
    const { track, cut } = this.#job
    const place = (cut.first ?? cut.start) + this.#decoded++
    // AVI has no timestamps: players guess when reordered frames are shown. Another order of chunks would move the frames.
    if (track.isCounted && picture.pts !== place) {
      if (['h264', 'hevc'].includes(track.stream.decoder)) throw unsupported('reordered_frames_in_container_without_times')
      this.packets.delay = Math.max(this.packets.delay, (picture.pts ?? place) - place)
    }
    return track.isCounted ? place : picture.pts
  }

  #open(picture: Picture): Uint8Array {
    const { track, crf, seen, options } = this.#job
    checkPicture(picture, track.stream, options)
    const wanted = x264Settings(picture, crf, track, this.#memory, seen)
    this.crf = wanted.crf
    const id: [string, string] = ['sps-id', String(parameterSetId(this.#memory, picture, seen))]
    return this.#engine.openEncoder(wanted.preset, [...wanted.options, id], track.rate, track.timescale, track.annexb)
  }
}

/**
 * Collects packets and their figures until they are written. Uses typed arrays, because arrays of numbers stay in memory from part to
 * part.
 */
class Collector {
  fed = 0
  delay = 0
  readonly #part: PartWriter
  readonly #waiting: Uint8Array[] = []
  readonly #pts: Float64Array
  readonly #keys: Uint8Array
  readonly #seconds = new QualityBySecond()
  readonly #blockSsim: Float64Array
  readonly #psnrDb: Float64Array
  #count = 0

  constructor(part: PartWriter, frames: number) {
    this.#part = part
    this.#pts = new Float64Array(frames)
    this.#keys = new Uint8Array(frames)
    this.#blockSsim = new Float64Array(frames)
    this.#psnrDb = new Float64Array(frames)
  }

  /** Writes the packets that arrived since the last call. */
  async flush(): Promise<void> {
    for (let i = 0; i < this.#waiting.length; i++) await this.#part.write(this.#waiting[i]!)
    this.#waiting.length = 0
  }

  /** Adds a packet. @param second display time in seconds since the film's beginning; `ssim`: `undefined` if the frame was not measured */
  add(packet: VideoPacket, second: number, ssim: number | undefined): void {
    this.#waiting.push(packet.bytes)
    const place = this.#count++
    this.#pts[place] = packet.pts
    this.#keys[place] = packet.key ? 1 : 0
    this.#blockSsim[place] = packet.blockSsim
    this.#psnrDb[place] = packet.psnrDb
    this.#seconds.add(second, mseOf(packet.psnrDb), ssim)
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
        seconds: this.#seconds,
        meanPsnrDb: mean(this.#psnrDb),
        worstBlockSsim: worst(this.#blockSsim),
        worstPsnrDb: worst(this.#psnrDb),
      },
      memoryBytes,
      crf,
      delay: this.delay,
    }
  }
}
