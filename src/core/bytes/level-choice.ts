/**
 * Chooses Deflate levels, so that the slowest one runs only where it pays. The share of bytes that Deflate leaves predicts it: above a
 * fifth, level 12 saves at most 0.5 % against level 10, in data with many repeats up to 16 %. Pieces of one kind (the chunks of a dataset,
 * the strips of a picture) are decided one after the other from their sizes alone, so that the same input always gives the same bytes.
 */
import { BEST_LEVEL } from './deflate.ts'

/** Level for data with few repeats: two thirds of the time of level 12 there. */
export const NEAR_LEVEL = 10
/** Level for noise: a third of the time of level 10. */
const NOISE_LEVEL = 6

/** Share of bytes left below which level 12 may save more than `LEAST_SAVING`. Set by experiment, as all numbers here. */
const REPEATS_BELOW = 0.2
/** Share of bytes left from which no level finds anything. */
const NOISE_FROM = 0.995
/** Least saving of level 12 against level 10 for which it is used. */
const LEAST_SAVING = 0.005
/** Pieces with many repeats before both levels are compared for the first time: sets of two or three pieces would not gain. */
const FIRST_TRIAL_AFTER = 2
/** Between two comparisons the distance grows by this factor, up to so many pieces. */
const TRIAL_GROWTH = 4
const MAX_BETWEEN_TRIALS = 32
/** A piece whose share differs from the compared one's by more than this factor is compared itself. */
const SIMILAR_WITHIN = 1.25

/** Level for data of which a sample at any level left `share` of the bytes. */
export const levelForShare = (share: number): number =>
  share >= NOISE_FROM ? NOISE_LEVEL : share >= REPEATS_BELOW ? NEAR_LEVEL : BEST_LEVEL

/** Choice of a level for each of similar pieces. */
export class LevelChoice {
  /** Share of bytes that the last piece left, or a sample. */
  #share: number | undefined
  /** Share that level 10 left of the piece for which it sufficed. `undefined`: level 12 pays. */
  #sufficedAt: number | undefined
  #pieces = 0
  #nextTrial = FIRST_TRIAL_AFTER
  /** Pieces between two comparisons. */
  #distance = TRIAL_GROWTH
  /** Size at level 10 of a piece that level 12 compresses too. */
  #nearBytes: number | undefined
  readonly #isAlwaysBest: boolean

  /**
   * @param share share of bytes that Deflate left of a sample. `undefined`: unknown
   * @param isAlwaysBest true to give every piece level 12
   */
  constructor(share?: number, isAlwaysBest = false) {
    this.#share = share
    this.#isAlwaysBest = isAlwaysBest
  }

  /** Level to begin a piece with. */
  first(): number {
    if (this.#isAlwaysBest) return BEST_LEVEL
    const share = this.#share ?? REPEATS_BELOW
    const level = levelForShare(share)
    return level === BEST_LEVEL && (this.#sufficedAt !== undefined || this.#isTrialDue) ? NEAR_LEVEL : level
  }

  /** Slower level for a piece that `level` made `size` bytes long. `undefined`: the result stays. */
  next(level: number, bytes: number, size: number): number | undefined {
    if (this.#isAlwaysBest) return undefined
    this.#share = bytes > 0 ? size / bytes : 0
    if (level === NOISE_LEVEL) return this.#share < NOISE_FROM ? NEAR_LEVEL : undefined
    if (this.#share >= REPEATS_BELOW) return undefined
    if (level === NEAR_LEVEL && !this.#suffices(this.#share)) {
      this.#nearBytes = size
      return BEST_LEVEL
    }
    if (this.#nearBytes !== undefined) this.#judge(size, bytes)
    this.#pieces++
    return undefined
  }

  /** Compresses a piece. The slowest level that was tried is the result. */
  compress(bytes: Uint8Array, deflate: (bytes: Uint8Array, level: number) => Uint8Array): Uint8Array {
    let result: Uint8Array = new Uint8Array()
    for (let level: number | undefined = this.first(); level !== undefined; level = this.next(level, bytes.length, result.length))
      result = deflate(bytes, level)
    return result
  }

  get #isTrialDue(): boolean {
    return this.#pieces >= this.#nextTrial
  }

  #suffices(share: number): boolean {
    const at = this.#sufficedAt
    return at !== undefined && !this.#isTrialDue && share < at * SIMILAR_WITHIN && share * SIMILAR_WITHIN > at
  }

  /** Compares both sizes of a piece. */
  #judge(bestBytes: number, bytes: number): void {
    const nearBytes = this.#nearBytes!
    this.#nearBytes = undefined
    const didSuffice = this.#sufficedAt !== undefined
    const suffices = bestBytes > nearBytes * (1 - LEAST_SAVING)
    this.#sufficedAt = suffices ? nearBytes / bytes : undefined
    this.#distance = suffices === didSuffice ? Math.min(MAX_BETWEEN_TRIALS, this.#distance * TRIAL_GROWTH) : TRIAL_GROWTH
    this.#nextTrial = this.#pieces + this.#distance
  }
}
