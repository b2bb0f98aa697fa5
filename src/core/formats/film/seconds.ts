/**
 * Measures a film's similarity to the upload second by second: PSNR from all frames, SSIM from some. Parts store sums, because a second
 * may begin in one part and end in the next. Seconds count from the film's first frame.
 */

import { minOf } from '../../bytes/min-max.ts'
import { log10, pow } from '../../bytes/same-math.ts'
import type { LumaFigures } from '../../model/loss.ts'
import { SSIM_FRAMES_PER_SECOND } from './tuning.ts'

/** If the last second is shorter than this, in seconds, it is merged into the second before it. */
const SHORTEST_SECOND = 0.5
/** Columns of a row: second, frames, sum of mean squared errors, frames with SSIM, sum of SSIM. */
export const SECOND_COLUMNS = 5
/** Tolerance in seconds for rounded times, so that a frame on the boundary of a second always counts to the later one. */
const TICK = 1e-6

/** PSNR in dB that x264 reports for frames without any difference. */
const SAME_PSNR_DB = 100

/** PSNR in dB from a mean squared error of 8-bit samples. Infinite if there is no difference. */
export const psnrOf = (mse: number): number => (mse > 0 ? 10 * log10(255 ** 2 / mse) : Number.POSITIVE_INFINITY)
/** Mean squared error of 8-bit samples, from x264's PSNR in dB. */
export const mseOf = (psnrDb: number): number => (psnrDb >= SAME_PSNR_DB ? 0 : 255 ** 2 / pow(10, psnrDb / 10))

export interface FilmFigures {
  /** Lowest SSIM and lowest PSNR of any second. */
  readonly worst: LumaFigures
  readonly mean: LumaFigures
}

/** Chooses the frames whose SSIM is measured. Call it for each frame in display order. */
export class SsimSampling {
  #last = Number.NEGATIVE_INFINITY

  /** True for the first frame of each sixth of a second. @param time in seconds */
  includes(time: number): boolean {
    const slot = Math.floor(time * SSIM_FRAMES_PER_SECOND + TICK)
    const taken = slot !== this.#last
    this.#last = slot
    return taken
  }
}

/** Sums of quality figures by second. */
export class QualityBySecond {
  readonly #sums = new Map<number, number[]>()

  /** Adds a frame. @param time in seconds; `mse` mean squared error; `ssim`: `undefined` if it was not measured */
  add(time: number, mse: number, ssim?: number): void {
    const second = Math.floor(time + TICK)
    this.#add([second, 1, mse, ssim === undefined ? 0 : 1, ssim ?? 0])
  }

  /** Adds the sums of another part, in the form that `table` returns. */
  addTable(table: Float64Array): void {
    for (let at = 0; at + SECOND_COLUMNS <= table.length; at += SECOND_COLUMNS) this.#add(table.subarray(at, at + SECOND_COLUMNS))
  }

  /** Returns a row of `SECOND_COLUMNS` numbers for each second, in order. */
  table(): Float64Array {
    return Float64Array.from(this.#rows().flat())
  }

  /** Returns only the seconds that lie entirely between two times. */
  within(from: number, to: number): QualityBySecond {
    const inside = new QualityBySecond()
    for (const row of this.#rows()) if (row[0]! >= from - TICK && row[0]! + 1 <= to + TICK) inside.#add(row)
    return inside
  }

  /**
   * Computes the worst and the mean figures.
   * @param frameSeconds display duration of a frame in seconds
   * @returns `undefined` if nothing was measured
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
      worst: { ssim: minOf(measured.map(ssimOf)), psnrDb: psnrOf(rows.reduce((most, row) => Math.max(most, row[2]! / row[1]!), 0)) },
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
