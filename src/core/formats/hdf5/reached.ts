/**
 * Records which bytes of a file were read. A rewrite drops unreferenced bytes. If a damaged directory hides content, the HDF5 library sees
 * an empty group, so many unread bytes are an error.
 */

import { GRANULE_BYTES, MAX_UNREAD_BYTES, MAX_UNREAD_SHARE, SCAN_BLOCK_BYTES } from './tuning.ts'

interface Readable {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export class ReadCoverage {
  /** Bit array with one bit per granule: 1 if the granule was read. */
  readonly #seen: Uint8Array

  constructor(size: number) {
    this.#seen = new Uint8Array(Math.ceil(size / GRANULE_BYTES / 8))
  }

  record(offset: number, length: number): void {
    const last = Math.floor((offset + length - 1) / GRANULE_BYTES)
    for (let granule = Math.floor(offset / GRANULE_BYTES); granule <= last; granule++) {
      if ((granule & 7) === 0 && granule + 7 <= last) {
        this.#seen[granule >> 3] = 0xff
        granule += 7
      } else this.#seen[granule >> 3]! |= 1 << (granule & 7)
    }
  }

  /** True if so many non-zero bytes were not read that they must be content. */
  async hasUnreadContent(file: Readable): Promise<boolean> {
    const most = MAX_UNREAD_BYTES + MAX_UNREAD_SHARE * file.size
    let missed = 0
    for (let at = 0; at < file.size; at += SCAN_BLOCK_BYTES) {
      const length = Math.min(SCAN_BLOCK_BYTES, file.size - at)
      const unseen = this.#unseenIn(at, length)
      if (unseen.length === 0) continue
      const block = await file.read(at, length)
      for (const from of unseen) if (block.subarray(from, from + GRANULE_BYTES).some((byte) => byte !== 0)) missed += GRANULE_BYTES
      if (missed > most) return true
    }
    return false
  }

  /** Offsets from `at` of granules that were not read. */
  #unseenIn(at: number, length: number): number[] {
    const found: number[] = []
    for (let from = 0; from < length; from += GRANULE_BYTES) {
      const granule = (at + from) / GRANULE_BYTES
      if (!(this.#seen[granule >> 3]! & (1 << (granule & 7)))) found.push(from)
    }
    return found
  }
}
