/** Walks through the packets of a transport stream (ISO/IEC 13818-1, 2.4.3), and collects its tables. */
import type { FileView } from '../file-view.ts'
import { be16, nameAt } from '../media/numbers.ts'

export interface Packet {
  readonly pid: number
  readonly isStart: boolean
  /** Content behind the header. Valid until the next packet. */
  readonly payload: Uint8Array
}

const [PACKET, STAMP, SYNC, NOTHING] = [188, 4, 0x47, 0x1fff]
/** Packets that are read at once. */
const ROWS = 4096

/** Yields packets that have content and no transport error. */
export async function* packetsOf(view: FileView): AsyncGenerator<Packet, void> {
  const head = (await view.bytesUpTo(0, 2 * PACKET + STAMP)).slice()
  const isPlain = head[0] === SYNC && head[PACKET] === SYNC
  const [step, first] = isPlain ? [PACKET, 0] : [PACKET + STAMP, STAMP]
  for (let at = 0; at + first + PACKET <= view.size; at += ROWS * step) {
    const rows = (await view.bytesUpTo(at, ROWS * step)).slice()
    for (let row = first; row + PACKET <= rows.length; row += step) {
      const [flags, control] = [be16(rows, row + 1), rows[row + 3]!]
      if (rows[row] !== SYNC) throw view.malformed(at + row)
      const from = row + 4 + (control & 0x20 ? 1 + rows[row + 4]! : 0)
      const pid = flags & 0x1fff
      if (pid === NOTHING || flags & 0x8000 || !(control & 0x10) || from >= row + PACKET) continue
      yield { pid, isStart: (flags & 0x4000) !== 0, payload: rows.subarray(from, row + PACKET) }
    }
  }
}

/** Stream of a program as its map describes it. */
export interface Described {
  readonly pid: number
  readonly type: number
  /** Tags of descriptors, each with its content. */
  readonly descriptors: readonly (readonly [tag: number, body: Uint8Array])[]
  /** Registration of the whole program, for example `HDMV`. */
  readonly program: string
}

const REGISTRATION = 5
const MAX_TABLE_BYTES = 1024
const [PROGRAMS, MAP] = [0, 2]

/** Reads the tables that tell which PIDs have which streams. Sections that are not whole are left out. */
export class Tables {
  /** PIDs of tables: that of the programs, and of each map. */
  readonly pids = new Set([0])
  readonly streams = new Map<number, Described>()
  readonly #parts = new Map<number, number[]>()

  add({ pid, isStart, payload }: Packet): void {
    const rest = isStart ? payload.subarray(1 + payload[0]!) : payload
    if (isStart) this.#parts.set(pid, [])
    const part = this.#parts.get(pid)
    if (!part || part.length > MAX_TABLE_BYTES) return
    for (const byte of rest) part.push(byte)
    const table = Uint8Array.from(part)
    const end = 3 + (be16(table, 1) & 0xfff)
    if (table.length < end || end < 12) return
    if (table[0] === PROGRAMS && pid === 0)
      for (let at = 8; at + 8 <= end; at += 4) if (be16(table, at) !== 0) this.pids.add(be16(table, at + 2) & 0x1fff)
    if (table[0] === MAP) this.#map(table.subarray(0, end - 4))
    this.#parts.delete(pid)
  }

  #map(table: Uint8Array): void {
    const first = 12 + (be16(table, 10) & 0xfff)
    const program = registration(descriptorsIn(table.subarray(12, first)))
    for (let at = first; at + 5 <= table.length; at += 5 + (be16(table, at + 3) & 0xfff)) {
      const descriptors = descriptorsIn(table.subarray(at + 5, at + 5 + (be16(table, at + 3) & 0xfff)))
      const pid = be16(table, at + 1) & 0x1fff
      if (!this.streams.has(pid)) this.streams.set(pid, { pid, type: table[at]!, descriptors, program })
    }
  }
}

function descriptorsIn(bytes: Uint8Array): (readonly [number, Uint8Array])[] {
  const found: (readonly [number, Uint8Array])[] = []
  for (let at = 0; at + 2 <= bytes.length; at += 2 + bytes[at + 1]!) found.push([bytes[at]!, bytes.slice(at + 2, at + 2 + bytes[at + 1]!)])
  return found
}

/** Four letters of a registration descriptor. Empty: none. */
export const registration = (descriptors: Described['descriptors']): string =>
  nameAt(descriptors.find(([tag]) => tag === REGISTRATION)?.[1] ?? new Uint8Array(), 0)
