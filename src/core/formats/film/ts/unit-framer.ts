/** Frames of pictures: units behind start codes, of which several make a frame (Rec. ITU-T H.264, annex B; ISO/IEC 13818-2, 6.2). */
import type { CutFrame, Framer } from './framer.ts'
import type { StreamBuffer } from './stream-buffer.ts'

/**
 * What a unit is. `before`: a frame starts with it or a later unit. `first`: it begins a picture. `field`: it begins the second picture of
 * the same frame. `more`: it is a further part of that picture. `same`: it belongs to the unit before.
 */
export type UnitKind = 'before' | 'first' | 'field' | 'more' | 'same'

/** Knows the units of a codec. */
export interface UnitSyntax {
  /** Bytes behind a start code that `kindOf` reads. */
  readonly startBytes: number
  /** True if MP4 stores units with their sizes instead of start codes. */
  readonly isSized: boolean
  kindOf(start: Uint8Array): UnitKind
  /** False for units that MP4 stores once for the whole track, by their first byte. */
  isStored(firstByte: number): boolean
  /** Reads a whole unit. Returns true if decoding may begin at its frame. */
  read(unit: Uint8Array): boolean
}

/** Units that are read one after another. */
interface Units {
  readonly from: number
  /** Position behind the last of them. */
  end: number
  /** Bytes as part of a sample. */
  size: number
  isKey: boolean
}

export class UnitFramer implements Framer {
  broken = 0
  readonly #syntax: UnitSyntax
  /** Frame whose picture has begun, and units behind it that may belong to the next one. */
  #frame: Units | undefined
  #next: Units | undefined
  /** Position of the start code of the unit that is being read. −1: none was found. */
  #unit = -1
  #scanned = 0

  constructor(syntax: UnitSyntax) {
    this.#syntax = syntax
  }

  cut(buffer: StreamBuffer, isLast: boolean, emit: (frame: CutFrame) => void): void {
    const { startBytes } = this.#syntax
    for (;;) {
      const code = buffer.startCode(Math.max(this.#scanned, buffer.start))
      if (code < 0) {
        this.#scanned = Math.max(this.#scanned, buffer.end - 2)
        break
      }
      // At least one byte must follow, which tells what the unit is.
      if (code + 3 + (isLast ? 1 : startBytes) > buffer.end) {
        this.#scanned = code
        break
      }
      this.#endUnit(buffer, code)
      this.#beginUnit(buffer, code, emit)
      this.#scanned = code + 3
    }
    if (isLast) this.#finish(buffer, emit)
  }

  #finish(buffer: StreamBuffer, emit: (frame: CutFrame) => void): void {
    this.#endUnit(buffer, buffer.end)
    if (this.#frame) this.#emit(this.#frame, this.#next?.from ?? buffer.end, emit)
    const rest = this.#next?.from ?? (this.#frame ? buffer.end : buffer.start)
    this.broken += buffer.end - rest
    this.#frame = this.#next = undefined
    buffer.drop(buffer.end)
  }

  /** Adds the unit that ends at `end` to its frame. */
  #endUnit(buffer: StreamBuffer, end: number): void {
    const units = this.#next ?? this.#frame
    if (this.#unit < 0 || !units) return
    const from = this.#unit + 3
    let to = end
    while (to > from && buffer.byte(to - 1) === 0) to--
    const isKey = this.#syntax.read(buffer.view(from, to))
    if (this.#syntax.isStored(to > from ? buffer.byte(from) : 0)) units.size += 4 + to - from
    units.isKey ||= isKey
    units.end = to
    this.#unit = -1
  }

  #beginUnit(buffer: StreamBuffer, code: number, emit: (frame: CutFrame) => void): void {
    const kind = this.#syntax.kindOf(buffer.view(code + 3, code + 3 + this.#syntax.startBytes))
    const fresh = (): Units => ({ from: code, end: code, size: 0, isKey: false })
    if (kind === 'before') this.#next ??= fresh()
    else if (kind === 'first') {
      if (this.#frame) this.#emit(this.#frame, this.#next?.from ?? code, emit)
      else this.broken += bytesBesidesZeros(buffer, this.#next?.from ?? code)
      this.#frame = this.#next ?? fresh()
      this.#next = undefined
      buffer.drop(this.#frame.from)
    } else if (kind !== 'same' && this.#next && this.#frame) {
      // Units between two pictures of a frame.
      this.#frame.size += this.#next.size
      this.#frame.isKey ||= this.#next.isKey
      this.#frame.end = this.#next.end
      this.#next = undefined
    }
    this.#unit = this.#frame || this.#next ? code : -1
  }

  #emit({ from, end, size, isKey }: Units, next: number, emit: (frame: CutFrame) => void): void {
    const { isSized } = this.#syntax
    const stored = (isSized ? end : next) - from
    emit({ at: from, from, stored, size: isSized ? size : stored, isKey, samples: 0 })
  }
}

/** Bytes in front of the first frame. Zeros may stand before a start code. */
function bytesBesidesZeros(buffer: StreamBuffer, end: number): number {
  const bytes = buffer.view(buffer.start, end)
  return bytes.every((byte) => byte === 0) ? 0 : bytes.length
}
