import { equalBytes } from '../../bytes/equal.ts'
import type { PacketHeader } from './packet.ts'

/** Follows the counter of one PID: finds packets that were sent twice, and gaps (ISO/IEC 13818-1, 2.4.3.3). */
export class Continuity {
  /** Places where packets are missing. */
  gaps = 0
  #counter = -1
  readonly #last = new Uint8Array(184)
  #lastBytes = 0

  /** Returns false if the packet repeats the one before. Call it for packets with payload. */
  isNew(bytes: Uint8Array, { counter, from, to, isDiscontinuous }: PacketHeader): boolean {
    const payload = bytes.subarray(from, to)
    const known = this.#counter
    if (counter === known && equalBytes(payload, this.#last.subarray(0, this.#lastBytes))) return false
    if (known >= 0 && counter !== ((known + 1) & 15) && !isDiscontinuous) this.gaps++
    this.#counter = counter
    this.#last.set(payload)
    this.#lastBytes = payload.length
    return true
  }
}
