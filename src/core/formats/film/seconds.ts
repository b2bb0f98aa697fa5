/**
 * How close a film is to the upload, second by second: PSNR from the squared errors of all frames, SSIM from some of them. A second
 * may begin in one part and end in the next, so parts hand over sums. Seconds count from the film's first frame.
 */
import { leastOf } from '../../bytes/min-max.ts'
import type { LumaFigures } from '../../model/loss.ts'
import { SAMPLES_A_SECOND } from './tuning.ts'

/** Less than this at the end belongs to the second before. */
const SHORTEST_SECOND = 0.5
/** Second, frames, squared errors of a sample, frames with SSIM, SSIM. */
export const SECOND_COLUMNS = 5
/** Times are fractions of clocks; a frame at the turn of a second must not fall on either side of it. */
const TICK = 1e-6

/** x264 says so of frames without any difference. */
const SAME_PSNR_DB = 100

/** In dB; infinite where there is no difference. */
export const psnrOf = (mse: number): number => (mse > 0 ? 10 * Math.log10(255 ** 2 / mse) : Number.POSITIVE_INFINITY)
/** Mean squared error of a sample, of x264's PSNR. */
export const mseOf = (psnrDb: number): number => (psnrDb >= SAME_PSNR_DB ? 0 : 255 ** 2 / 10 ** (psnrDb / 10))

export interface FilmFigures {
  /** The lowest of any second. */
  readonly worst: LumaFigures
  readonly mean: LumaFigures
}

/** Which frames' SSIM is measured, told frame by frame as they are shown. */
export class Sampling {
  #last = Number.NEGATIVE_INFINITY

  /** @param time in seconds. True for the first frame of every sixth of a second. */
  takes(time: number): boolean {
    const slot = Math.floor(time * SAMPLES_A_SECOND + TICK)
    const taken = slot !== this.#last
    this.#last = slot
    return taken
  }
}

/** Sums by second. */
export class Seconds {
  readonly #sums = new Map<number, number[]>()

  /** @param time in seconds; `ssim` where it was measured */
  add(time: number, mse: number, ssim?: number): void {
    const second = Math.floor(time + TICK)
    this.#add([second, 1, mse, ssim === undefined ? 0 : 1, ssim ?? 0])
  }

  /** What another meter gathered, as `table` gives it. */
  addTable(table: Float64Array): void {
    for (let at = 0; at + SECOND_COLUMNS <= table.length; at += SECOND_COLUMNS) this.#add(table.subarray(at, at + SECOND_COLUMNS))
  }

  /** A row of `SECOND_COLUMNS` numbers for each second, in order. */
  table(): Float64Array {
    return Float64Array.from(this.#rows().flat())
  }

  /** Only what lies wholly between two times. */
  within(from: number, to: number): Seconds {
    const inside = new Seconds()
    for (const row of this.#rows()) if (row[0]! >= from - TICK && row[0]! + 1 <= to + TICK) inside.#add(row)
    return inside
  }

  /**
   * @param frameSeconds how long a frame is shown
   * @returns undefined where nothing was measured
   */
  figures(frameSeconds: number): FilmFigures | undefined {
    const rows = this.#rows()
    const [before, last] = [rows.at(-2), rows.at(-1)]
    if (before && last && last[1]! * frameSeconds < SHORTEST_SECOND) {
      rows.splice(-2)
      rows.push(joined(before, last))
    }
    const measured = rows.filter(([, , , sampled]) => sampled! > 0)
    if (measured.length === 0) return undefined
    const all = rows.reduce(joined)
    return {
      worst: { ssim: leastOf(measured.map(ssimOf)), psnrDb: psnrOf(rows.reduce((most, row) => Math.max(most, row[2]! / row[1]!), 0)) },
      mean: { ssim: ssimOf(all), psnrDb: psnrOf(all[2]! / all[1]!) },
    }
  }

  #add(row: ArrayLike<number>): void {
    const sums = this.#sums.get(row[0]!)
    if (sums) for (let i = 1; i < SECOND_COLUMNS; i++) sums[i]! += row[i]!
    else this.#sums.set(row[0]!, Array.from(row))
  }

  #rows(): number[][] {
    return [...this.#sums.values()].sort((a, b) => a[0]! - b[0]!).map((row) => [...row])
  }
}

const joined = (a: readonly number[], b: readonly number[]): number[] => [a[0]!, ...a.slice(1).map((value, i) => value + b[i + 1]!)]
const ssimOf = ([, , , sampled, ssim]: readonly number[]): number => ssim! / sampled!
