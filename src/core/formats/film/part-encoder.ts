/** From the decoder's pictures to the packets of a part. */

import type { Ffmpeg, Picture, VideoPacket } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { sumOf } from '../../bytes/compact-array.ts'
import { Breath } from '../../bytes/yield.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import type { Cut } from './cut.ts'
import type { PartWriter } from './part-file.ts'
import { type PictureTrack, secondsOf } from './picture-track.ts'
import { refuse } from './refuse.ts'
import { mseOf, Sampling, Seconds } from './seconds.ts'
import { type Memory, parameterSetId, type Seen, settings } from './settings.ts'
import { ENCODED_PIXELS_A_BREATH } from './tuning.ts'

/** How close a part's frames are to the source's. */
export interface PartQuality {
  readonly frames: number
  readonly seconds: Seconds
  /** Mean of the frames' PSNR. */
  readonly meanPsnrDb: number
  /** Means over the worst 1 % of the frames; SSIM as x264 measures every frame. */
  readonly worstBlockSsim: number
  readonly worstPsnrDb: number
}

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

/** A stretch of a film, to be encoded once. */
export interface Encode {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly crf: number
  readonly seen?: Seen
  readonly part: PartWriter
  readonly options: Options
  /** Bytes of all pictures of the film, where this is all of it: then it is given up as soon as it cannot get smaller. */
  readonly mustPay?: number | undefined
}

/** Pictures of the decoder, and those of them that the cut shows into the encoder, which is opened for the first. */
export class PartEncoder {
  readonly out: Collector
  /** Parameter sets, as soon as there was a picture. */
  headers: Uint8Array | undefined
  /** The rate factor in use. */
  crf: number
  readonly #engine: Ffmpeg
  readonly #job: Encode
  readonly #memory: Memory
  readonly #breath: Breath
  readonly #pixels: number
  readonly #sampling = new Sampling()
  /** Times of the frames in the encoder whose SSIM will be measured. */
  readonly #sampled = new Set<number>()
  #decoded = 0
  #latest = Number.NEGATIVE_INFINITY

  constructor(engine: Ffmpeg, job: Encode, memory: Memory) {
    this.out = new Collector(job.part, job.cut.frames)
    this.crf = job.crf
    this.#engine = engine
    this.#job = job
    this.#memory = memory
    this.#breath = new Breath(ENCODED_PIXELS_A_BREATH, job.options.signal)
    this.#pixels = job.track.stream.width * job.track.stream.height
  }

  /** All that the decoder has ready. */
  async takePictures(): Promise<void> {
    for (let picture = this.#engine.nextPicture(); picture; picture = this.#engine.nextPicture()) {
      this.#take(picture)
      await this.#breath.after(this.#pixels)
    }
    // Packets that give no picture take their time all the same.
    await this.#breath.after(this.#pixels / 4)
  }

  /** What the encoder still holds. */
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
    // Reordered pictures in a file that says nothing of it: every player guesses differently when they are shown.
    if (pts < this.#latest) throw unsupported('times_contradict_order_of_pictures')
    this.#latest = pts
    this.headers ??= this.#open(picture)
    if (this.#sampling.takes(secondsOf(track, pts))) this.#sampled.add(pts)
    const packet = this.#engine.encode(pts, this.out.fed++ === 0)
    if (packet) this.#keep(packet)
  }

  #keep(packet: VideoPacket): void {
    const ssim = this.#sampled.delete(packet.pts) ? this.#engine.measurePacket().ssim : undefined
    this.out.add(packet, secondsOf(this.#job.track, packet.pts), ssim)
  }

  #timeOf(picture: Picture): number | undefined {
    const { track, cut } = this.#job
    const place = (cut.first ?? cut.start) + this.#decoded++
    // Players guess what reordered frames in an AVI file are shown at; any other order of chunks would move them.
    if (track.counted && picture.pts !== place) {
      if (['h264', 'hevc'].includes(track.stream.decoder)) throw unsupported('reordered_frames_in_container_without_times')
      this.out.delay = Math.max(this.out.delay, (picture.pts ?? place) - place)
    }
    return track.counted ? place : picture.pts
  }

  #open(picture: Picture): Uint8Array {
    const { track, crf, seen, options } = this.#job
    refuse(picture, track.stream, options)
    const wanted = settings(picture, crf, track, this.#memory, seen)
    this.crf = wanted.crf
    const id: [string, string] = ['sps-id', String(parameterSetId(this.#memory, picture, seen))]
    return this.#engine.openEncoder(wanted.preset, [...wanted.options, id], track.rate, track.timescale, track.annexb)
  }
}

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
  readonly #seconds = new Seconds()
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

  /** Hands on what came since the last time. */
  async flush(): Promise<void> {
    for (let i = 0; i < this.#waiting.length; i++) await this.#part.write(this.#waiting[i]!)
    this.#waiting.length = 0
  }

  /** @param second since the film's beginning; `ssim` of a frame that was measured */
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
