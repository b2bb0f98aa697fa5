/** PackBits decoder (TIFF 6.0 section 9): a count byte, then a run or literal bytes. Input is split into pieces. */
export class PackBitsDecoder {
  /** If positive, literal bytes that remain. If negative, the next byte repeats this many times. */
  #pending = 0

  push(input: Uint8Array, emit: (bytes: Uint8Array) => void): void {
    let out = new Uint8Array(65_536)
    let filled = 0
    const reserve = (bytes: number) => {
      if (filled + bytes <= out.length) return
      emit(out.subarray(0, filled))
      out = new Uint8Array(65_536)
      filled = 0
    }
    for (let at = 0; at < input.length; ) {
      if (this.#pending > 0) {
        const literal = input.subarray(at, at + this.#pending)
        reserve(literal.length)
        out.set(literal, filled)
        filled += literal.length
        at += literal.length
        this.#pending -= literal.length
      } else if (this.#pending < 0) {
        reserve(-this.#pending)
        out.fill(input[at++]!, filled, filled - this.#pending)
        filled -= this.#pending
        this.#pending = 0
      } else {
        const count = (input[at++]! << 24) >> 24
        // PackBits: count -128 is a no-op.
        if (count >= 0) this.#pending = count + 1
        else if (count > -128) this.#pending = count - 1
      }
    }
    if (filled > 0) emit(out.subarray(0, filled))
  }
}
