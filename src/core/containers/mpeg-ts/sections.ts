/** Tables of programs (ISO/IEC 13818-1, 2.4.4): they come in sections with a checksum. */

/** Collects the sections of one PID. */
export class SectionReader {
  readonly #section = new Uint8Array(MAX_SECTION_BYTES)
  #filled = 0
  #isActive = false

  /** Returns sections that became complete and whose checksum is right. `isStart`: the first byte tells where a section starts. */
  add(payload: Uint8Array, isStart: boolean): Uint8Array[] {
    const found: Uint8Array[] = []
    if (!isStart) this.#push(payload, found)
    else {
      const pointer = payload[0] ?? 0
      this.#push(payload.subarray(1, 1 + pointer), found)
      this.#filled = 0
      this.#isActive = true
      this.#push(payload.subarray(1 + pointer), found)
    }
    return found
  }

  #push(bytes: Uint8Array, found: Uint8Array[]): void {
    for (let at = 0; at < bytes.length && this.#isActive; ) {
      const isHeadKnown = this.#filled >= HEAD_BYTES
      const wanted = isHeadKnown ? HEAD_BYTES + (((this.#section[1]! & 15) << 8) | this.#section[2]!) : HEAD_BYTES
      if (wanted > MAX_SECTION_BYTES || (this.#filled === 0 && bytes[at] === STUFFING)) {
        this.#isActive = false
        return
      }
      const part = bytes.subarray(at, at + wanted - this.#filled)
      this.#section.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (!isHeadKnown || this.#filled < wanted) continue
      const section = this.#section.slice(0, wanted)
      this.#filled = 0
      if (wanted >= LEAST_BYTES && (section[1]! & 0x80) !== 0 && mpegCrc(section) === 0) found.push(section)
    }
  }
}

const [HEAD_BYTES, LEAST_BYTES] = [3, 12]
const MAX_SECTION_BYTES = 1024
const STUFFING = 0xff

/** Checksum of ISO/IEC 13818-1, annex A. 0 over a section with its checksum: the section is whole. */
export function mpegCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0)
  }
  return crc >>> 0
}

const [PAT, PMT] = [0, 2]
/** True for a table that applies now, not later (`current_next_indicator`). */
const isCurrent = (section: Uint8Array, table: number) => section[0] === table && (section[5]! & 1) === 1

/** Program numbers and the PIDs of their maps. `undefined`: another table. */
export function programsIn(section: Uint8Array): { readonly program: number; readonly pid: number }[] | undefined {
  if (!isCurrent(section, PAT)) return undefined
  const found: { program: number; pid: number }[] = []
  for (let at = 8; at + 8 <= section.length; at += 4) {
    const program = (section[at]! << 8) | section[at + 1]!
    const pid = ((section[at + 2]! & 0x1f) << 8) | section[at + 3]!
    // Program 0 is the network information.
    if (program !== 0) found.push({ program, pid })
  }
  return found
}

/** Stream of a program. */
export interface ProgramStream {
  readonly pid: number
  /** `stream_type` (ISO/IEC 13818-1, table 2-34). */
  readonly type: number
  readonly descriptors: readonly Descriptor[]
}

export interface Descriptor {
  readonly tag: number
  readonly body: Uint8Array
}

export interface ProgramMap {
  readonly program: number
  readonly clockPid: number
  readonly descriptors: readonly Descriptor[]
  readonly streams: readonly ProgramStream[]
}

/** Reads a program map. `undefined`: another table, or a damaged one. */
export function mapIn(section: Uint8Array): ProgramMap | undefined {
  if (!isCurrent(section, PMT)) return undefined
  const end = section.length - 4
  const short = (at: number) => (((section[at] ?? 0) & 15) << 8) | (section[at + 1] ?? 0)
  let at = 12 + short(10)
  if (at > end) return undefined
  const streams: ProgramStream[] = []
  while (at + 5 <= end) {
    const next = at + 5 + short(at + 3)
    if (next > end) return undefined
    const pid = ((section[at + 1]! & 0x1f) << 8) | section[at + 2]!
    streams.push({ pid, type: section[at]!, descriptors: descriptorsIn(section.subarray(at + 5, next)) })
    at = next
  }
  return {
    program: (section[3]! << 8) | section[4]!,
    clockPid: ((section[8]! & 0x1f) << 8) | section[9]!,
    descriptors: descriptorsIn(section.subarray(12, 12 + short(10))),
    streams,
  }
}

function descriptorsIn(bytes: Uint8Array): Descriptor[] {
  const found: Descriptor[] = []
  for (let at = 0; at + 2 <= bytes.length; at += 2 + bytes[at + 1]!)
    found.push({ tag: bytes[at]!, body: bytes.slice(at + 2, at + 2 + bytes[at + 1]!) })
  return found
}
