/** Compares the frames of a transport stream with the samples of an MP4 film: bytes, times, key frames and parameter sets. */
import { equalBytes } from '../../../bytes/equal.ts'
import { type Movie, readMovie } from '../../../containers/isobmff/movie.ts'
import type { SampleTables } from '../../../containers/isobmff/tables.ts'
import { ReadWindow } from '../../../containers/packet-window.ts'
import type { Options, Source } from '../../../model/codec.ts'
import { isCodecError } from '../../../model/error.ts'
import { tableDifference } from '../mkv/to-mp4/verify-table.ts'
import { openTs, passOver } from './pass.ts'
import { readTsFilm, type TsFilm } from './ts-film.ts'
import { TICKS, type TimedFrame, type TsTrack } from './ts-track.ts'
import { MAX_JITTER_TICKS } from './tuning.ts'
import { unitsIn } from './units.ts'

const WINDOW_BYTES = 256 * 1024
/** Largest difference of two times in seconds: jitter that steady sound loses, and rounding. */
const TOLERANCE_SECONDS = (MAX_JITTER_TICKS + 3) / TICKS

/**
 * @param isStored false: `result` reads its frames from `original`, so that only their times and sizes are compared
 * @returns a description of the first difference. `undefined`: none
 */
export async function tsDifference(
  original: Source,
  result: Source,
  { signal, progress }: Pick<Options, 'signal' | 'progress'>,
  isStored: boolean,
): Promise<string | undefined> {
  try {
    using movie = await readMovie(result)
    const film = await readTsFilm(original, signal)
    const difference = factsDifference(film, movie)
    if (difference !== undefined || !isStored) return difference
    using samples = new SampleBytes(movie, result)
    let found: string | undefined
    const file = await openTs(original, signal)
    await passOver(
      file,
      signal,
      (track, frame) => samples.add(track, frame, film),
      async (share) => {
        found ??= await samples.compare()
        progress(0.9 + 0.05 * share)
      },
    )
    return found ?? (await samples.compare())
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return error.message
    throw error
  }
}

function factsDifference({ tracks, tables, configs }: TsFilm, movie: Movie): string | undefined {
  if (movie.tracks.length !== tracks.length) return `${tracks.length} streams became ${movie.tracks.length} tracks`
  for (const [i, table] of tables.entries()) {
    const difference = tableDifference(table, movie, i, { ticks: TICKS, tolerance: TOLERANCE_SECONDS })
    if (difference !== undefined) return difference
    const [entry] = movie.tracks[i]!.descriptions
    const isHeld = entry !== undefined && holds(movie.moov.subarray(entry.start, entry.end), configs[i]!)
    if (!isHeld) return `track ${i}: parameter sets are missing`
  }
  return undefined
}

/** True if `bytes` contain each of `parts`. */
const holds = (bytes: Uint8Array, parts: readonly Uint8Array[]): boolean =>
  parts.every((part) => {
    for (let at = 0; at + part.length <= bytes.length; at++) if (equalBytes(bytes.subarray(at, at + part.length), part)) return true
    return false
  })

/** Frame that waits for the comparison. */
interface Waiting {
  readonly track: number
  readonly sample: number
  readonly bytes: Uint8Array
  /** False for units that MP4 stores once. `undefined`: the frame is stored as it is. */
  readonly isStored: ((firstByte: number) => boolean) | undefined
}

/** Compares frames with the bytes of samples. */
class SampleBytes implements Disposable {
  readonly #tables: readonly SampleTables[]
  readonly #windows: readonly ReadWindow[]
  readonly #counts: number[]
  #waiting: Waiting[] = []

  constructor({ tracks }: Movie, result: Source) {
    this.#tables = tracks.map((track) => track.samples())
    this.#windows = tracks.map(() => new ReadWindow(result, WINDOW_BYTES))
    this.#counts = tracks.map(() => 0)
  }

  add({ stream, coding }: TsTrack, { bytes }: TimedFrame, { tracks }: TsFilm): void {
    const track = tracks.findIndex(({ number }) => number === stream.pid)
    const isStored = coding.isSized ? coding.isStored : undefined
    this.#waiting.push({ track, sample: this.#counts[track]!++, bytes: bytes.slice(), isStored })
  }

  async compare(): Promise<string | undefined> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const frame of waiting) {
      const { size, offset, count } = this.#tables[frame.track]!
      const isFound = frame.sample < count
      const sample = isFound ? await this.#windows[frame.track]!.read(offset[frame.sample]!, size[frame.sample]!) : new Uint8Array()
      if (!isFound || !isSameFrame(frame, sample)) return `frame ${frame.sample} of track ${frame.track} changed`
    }
    return undefined
  }

  [Symbol.dispose](): void {
    for (const window of this.#windows) window[Symbol.dispose]()
  }
}

function isSameFrame({ bytes, isStored }: Waiting, sample: Uint8Array): boolean {
  if (!isStored) return equalBytes(bytes, sample)
  const view = new DataView(sample.buffer, sample.byteOffset, sample.length)
  let at = 0
  for (const [from, to] of unitsIn(bytes)) {
    if (!isStored(bytes[from] ?? 0)) continue
    const end = at + 4 + to - from
    if (end > sample.length || view.getUint32(at) !== to - from || !equalBytes(bytes.subarray(from, to), sample.subarray(at + 4, end)))
      return false
    at = end
  }
  return at === sample.length
}
