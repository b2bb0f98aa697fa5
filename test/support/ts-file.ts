/** Builds transport streams (ISO/IEC 13818-1). */
import { concat } from '../../src/core/bytes/concat.ts'
import { mpegCrc } from '../../src/core/containers/mpeg-ts/sections.ts'

export interface TsStream {
  readonly pid: number
  /** `stream_type`. */
  readonly type: number
  /** Descriptors as bytes: tag, length, content. */
  readonly descriptors?: Uint8Array
  /** Stream identifier of its PES packets; default: pictures. */
  readonly id?: number
}

export interface TsUnit {
  readonly pid: number
  readonly bytes: Uint8Array
  /** Time in units of 90 kHz. `undefined`: not told. */
  readonly pts?: number | undefined
}

export interface TsOptions {
  /** Bytes of a packet: 188 (default) or 192. */
  readonly step?: number
  readonly program?: number
  /** Packets in front of the tables. */
  readonly before?: readonly Uint8Array[]
}

export const language = (letters: string): Uint8Array =>
  concat([Uint8Array.of(0x0a, 4), new TextEncoder().encode(letters), Uint8Array.of(0)])

const short = (value: number) => Uint8Array.of(value >> 8, value & 255)

function section(table: number, number: number, body: Uint8Array): Uint8Array {
  const rest = concat([short(number), Uint8Array.of(0xc1, 0, 0), body])
  const head = concat([Uint8Array.of(table), short(0xb000 | (rest.length + 4)), rest])
  const crc = mpegCrc(head)
  return concat([head, Uint8Array.of(crc >>> 24, (crc >> 16) & 255, (crc >> 8) & 255, crc & 255)])
}

/** Tables of one program, whose map has PID 0x1000. */
export function tablesOf(streams: readonly TsStream[], program = 1, mapPid = 0x1000): readonly [pat: Uint8Array, pmt: Uint8Array] {
  const rows = streams.map(({ pid, type, descriptors = new Uint8Array() }) =>
    concat([Uint8Array.of(type), short(0xe000 | pid), short(0xf000 | descriptors.length), descriptors]),
  )
  const pmt = section(2, program, concat([short(0xe000 | streams[0]!.pid), short(0xf000), ...rows]))
  return [section(0, 1, concat([short(program), short(0xe000 | mapPid)])), pmt]
}

/** Writes packets with a counter for each PID. */
export class TsPackets {
  readonly packets: Uint8Array[] = []
  readonly #counters = new Map<number, number>()
  readonly #step: number

  constructor(step = 188) {
    this.#step = step
  }

  add(pid: number, content: Uint8Array): void {
    for (let at = 0; at < content.length; at += 184) {
      const part = content.subarray(at, at + 184)
      const counter = ((this.#counters.get(pid) ?? 15) + 1) & 15
      this.#counters.set(pid, counter)
      const filling = 184 - part.length
      // An adaptation field of 1 byte is its length alone.
      const adaptation = filling === 0 ? [] : filling === 1 ? [0] : [filling - 1, 0, ...new Array<number>(filling - 2).fill(255)]
      const head = [0x47, (at === 0 ? 0x40 : 0) | (pid >> 8), pid & 255, (filling > 0 ? 0x30 : 0x10) | counter]
      this.packets.push(concat([new Uint8Array(this.#step - 188), Uint8Array.from([...head, ...adaptation]), part]))
    }
  }

  bytes(): Uint8Array {
    return concat(this.packets)
  }
}

/** PES packet. @param isSized false: its length is not told, as pictures may do */
export function pes({ bytes, pts }: Pick<TsUnit, 'bytes' | 'pts'>, id: number, isSized: boolean): Uint8Array {
  const time = pts === undefined ? [] : timeOf(pts)
  const length = isSized ? 3 + time.length + bytes.length : 0
  const head = [0, 0, 1, id, (length >> 8) & 255, length & 255, 0x80, time.length > 0 ? 0x80 : 0, time.length, ...time]
  return concat([Uint8Array.from(head), bytes])
}

function timeOf(pts: number): number[] {
  const time = ((pts % 2 ** 33) + 2 ** 33) % 2 ** 33
  const [high, low] = [Math.floor(time / 2 ** 30), time % 2 ** 30]
  return [0x21 | (high << 1), (low >> 22) & 255, 1 | ((low >> 14) & 254), (low >> 7) & 255, 1 | ((low << 1) & 254)]
}

export function tsOf(
  streams: readonly TsStream[],
  units: readonly TsUnit[],
  { step = 188, program = 1, before = [] }: TsOptions = {},
): Uint8Array {
  const packets = new TsPackets(step)
  const [pat, pmt] = tablesOf(streams, program)
  packets.packets.push(...before)
  packets.add(0, concat([Uint8Array.of(0), pat]))
  packets.add(0x1000, concat([Uint8Array.of(0), pmt]))
  for (const unit of units) {
    const { id = 0xe0 } = streams.find(({ pid }) => pid === unit.pid) ?? {}
    packets.add(unit.pid, pes(unit, id, id < 0xe0))
  }
  return packets.bytes()
}

/** AAC LC frame in ADTS: 48 kHz, two channels. */
export function adtsFrame(content: Uint8Array, rateIndex = 3): Uint8Array {
  const bytes = content.length + 7
  const head = [0xff, 0xf1, 0x40 | (rateIndex << 2), 0x80 | (bytes >> 11), (bytes >> 3) & 255, ((bytes & 7) << 5) | 0x1f, 0xfc]
  return concat([Uint8Array.from(head), content])
}

/** Unit of H.264 behind a start code. */
export const unit = (...bytes: readonly (number | Uint8Array)[]): Uint8Array =>
  concat([Uint8Array.of(0, 0, 0, 1), ...bytes.map((one) => (typeof one === 'number' ? Uint8Array.of(one) : one))])
