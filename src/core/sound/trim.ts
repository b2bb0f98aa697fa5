/** Cuts samples at the start and at the end of decoded sound. */
export class Trim {
  #skip: number
  #left: number

  /**
   * @param skip samples to drop at the start
   * @param count samples to keep
   */
  constructor(skip: number, count: number) {
    this.#skip = skip
    this.#left = count
  }

  /** Samples that are missing so far. */
  get left(): number {
    return this.#left
  }

  /** Yields the part of a block that is kept, if any. */
  *cut(planar: readonly Float32Array[]): Generator<Float32Array[]> {
    const length = planar[0]?.length ?? 0
    const from = Math.min(this.#skip, length)
    this.#skip -= from
    const to = Math.min(length, from + this.#left)
    this.#left -= to - from
    if (to > from) yield planar.map((channel) => channel.subarray(from, to))
  }

  /** Yields silence for all samples that are missing. */
  *silence(channels: number): Generator<Float32Array[]> {
    const count = this.#left
    this.#left = 0
    if (count > 0) yield Array.from({ length: channels }, () => new Float32Array(count))
  }
}
