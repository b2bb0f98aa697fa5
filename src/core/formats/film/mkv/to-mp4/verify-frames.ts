/** Compares the frames of a Matroska file with the samples of an MP4 file: bytes, times and key frames. */
import { equalBytes } from '../../../../bytes/equal.ts'
import { CLUSTER } from '../../../../containers/ebml/matroska.ts'
import { type Movie, readMovie } from '../../../../containers/isobmff/movie.ts'
import type { SampleTables } from '../../../../containers/isobmff/tables.ts'
import type { Track } from '../../../../containers/isobmff/track.ts'
import { ReadWindow } from '../../../../containers/packet-window.ts'
import type { Options, Source } from '../../../../model/codec.ts'
import { isCodecError } from '../../../../model/error.ts'
import { type MatroskaFile, scan } from '../scan.ts'
import { type Block, blocksOf } from './frames.ts'
import { describe } from './mkv-film.ts'
import { shownAt } from './shown-at.ts'
import type { MkvTrack } from './track.ts'

/** Bytes of the result that are read at once for each track. */
const WINDOW_BYTES = 128 * 1024

/**
 * @param isStored false: `result` reads its frames from `original`, so that only their times and sizes are compared
 * @returns a description of the first difference. `undefined`: none
 */
export async function framesDifference(
  original: Source,
  result: Source,
  { signal, progress }: Pick<Options, 'signal' | 'progress'>,
  isStored = true,
): Promise<string | undefined> {
  const file = await scan(original, signal)
  const { tracks, scale } = describe(file)
  try {
    using movie = await readMovie(result)
    if (movie.tracks.length !== tracks.length) return `${tracks.length} tracks became ${movie.tracks.length}`
    const pairs = new Map(tracks.map((track, i) => [track.number, new TrackPair(track, movie, movie.tracks[i]!, result, scale)]))
    try {
      const difference = await blocksDifference(file, pairs, isStored, (share) => progress(0.9 + 0.05 * share))
      return difference ?? [...pairs.values()].map((pair) => pair.rest()).find((rest) => rest !== undefined)
    } finally {
      for (const pair of pairs.values()) pair[Symbol.dispose]()
    }
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return error.message
    throw error
  }
}

async function blocksDifference(
  { reader, elements }: MatroskaFile,
  pairs: ReadonlyMap<number, TrackPair>,
  isStored: boolean,
  progress: (share: number) => void,
): Promise<string | undefined> {
  for (const cluster of elements) {
    if (cluster.id !== CLUSTER) continue
    for await (const block of blocksOf(reader, cluster)) {
      const pair = pairs.get(block.track)
      if (!pair) return `a block of track ${block.track}, which is not described`
      for (const [i, frame] of block.frames.entries()) {
        const difference = pair.factsDifference(block, i === 0, frame) ?? (isStored ? await pair.bytesDifference(frame, reader) : undefined)
        if (difference !== undefined) return `track ${block.track}: ${difference}`
      }
    }
    progress(cluster.end / reader.size)
  }
  return undefined
}

/** A track of Matroska and the one of MP4 that was made of it. */
class TrackPair implements Disposable {
  readonly #track: MkvTrack
  readonly #samples: SampleTables
  readonly #window: ReadWindow
  readonly #secondsOf: (sample: number) => number
  /** Units of TimestampScale a second, and the largest difference of a time in seconds. */
  readonly #scale: number
  readonly #tolerance: number
  #next = 0

  constructor(track: MkvTrack, movie: Movie, made: Track, result: Source, scale: number) {
    this.#track = track
    this.#samples = made.samples()
    this.#window = new ReadWindow(result, WINDOW_BYTES)
    this.#secondsOf = shownAt(movie, made, this.#samples)
    this.#scale = scale
    // Stored times are rounded to units of both files.
    this.#tolerance = scale / 1e9 + 1 / movie.timescale + 1e-9
  }

  /** Compares size, time and key of the next frame. */
  factsDifference(block: Block, hasTime: boolean, [, size]: readonly [number, number]): string | undefined {
    const i = this.#next++
    const { count, size: sizes, sync } = this.#samples
    const { prefix, delayNanoseconds, video } = this.#track
    if (i >= count || sizes[i] !== size + prefix.length) return `frame ${i} is missing or has another size`
    const time = (block.time * this.#scale - delayNanoseconds) / 1e9
    if (hasTime && !(Math.abs(this.#secondsOf(i) - time) <= this.#tolerance)) return `frame ${i} is shown at another time`
    return video && (sync[i] !== 0) !== block.isKey ? `frame ${i} is a key frame in one file only` : undefined
  }

  /** Compares the bytes of the frame whose facts were compared last. */
  async bytesDifference([offset, size]: readonly [number, number], reader: MatroskaFile['reader']): Promise<string | undefined> {
    const i = this.#next - 1
    const { prefix } = this.#track
    let at = this.#samples.offset[i]!
    if (!equalBytes(prefix, await this.#window.read(at, prefix.length))) return `frame ${i} lacks its prefix`
    at += prefix.length
    for await (const piece of reader.pieces(offset, size)) {
      if (!equalBytes(piece, await this.#window.read(at, piece.length))) return `frame ${i} changed`
      at += piece.length
    }
    return undefined
  }

  /** Describes samples that no frame was compared with. `undefined`: none. */
  rest(): string | undefined {
    const left = this.#samples.count - this.#next
    return left === 0 ? undefined : `track ${this.#track.number}: ${left} samples too many`
  }

  [Symbol.dispose](): void {
    this.#window[Symbol.dispose]()
  }
}
