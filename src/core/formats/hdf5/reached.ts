/**
 * Which bytes of a file its reader came by. A writer drops what nothing leads to; so does a file whose directory is damaged, and to
 * the library that is an empty group like any other.
 */

const GRANULE_BYTES = 64
const BLOCK_BYTES = 256 * 1024
/** Of a sound file so much may lie about: padding, heaps and trees that were reserved or left behind when it grew. */
const MOST_SHARE = 0.05
const MOST_BYTES = 4096

interface Readable {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export class Reached {
  /** A bit a granule. */
  readonly #seen: Uint8Array

  constructor(size: number) {
    this.#seen = new Uint8Array(Math.ceil(size / GRANULE_BYTES / 8))
  }

  note(offset: number, length: number): void {
    const last = Math.floor((offset + length - 1) / GRANULE_BYTES)
    for (let granule = Math.floor(offset / GRANULE_BYTES); granule <= last; granule++) {
      if ((granule & 7) === 0 && granule + 7 <= last) {
        this.#seen[granule >> 3] = 0xff
        granule += 7
      } else this.#seen[granule >> 3]! |= 1 << (granule & 7)
    }
  }

  /** Does so much lie where nobody came that it must be content? Zeros are not. */
  async missedMuch(file: Readable): Promise<boolean> {
    const most = MOST_BYTES + MOST_SHARE * file.size
    let missed = 0
    for (let at = 0; at < file.size; at += BLOCK_BYTES) {
      const length = Math.min(BLOCK_BYTES, file.size - at)
      const unseen = this.#unseenIn(at, length)
      if (unseen.length === 0) continue
      const block = await file.read(at, length)
      for (const from of unseen) if (block.subarray(from, from + GRANULE_BYTES).some((byte) => byte !== 0)) missed += GRANULE_BYTES
      if (missed > most) return true
    }
    return false
  }

  /** Where granules that nobody read begin, from `at` on. */
  #unseenIn(at: number, length: number): number[] {
    const found: number[] = []
    for (let from = 0; from < length; from += GRANULE_BYTES) {
      const granule = (at + from) / GRANULE_BYTES
      if (!(this.#seen[granule >> 3]! & (1 << (granule & 7)))) found.push(from)
    }
    return found
  }
}
