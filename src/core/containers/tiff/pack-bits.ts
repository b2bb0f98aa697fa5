/** PackBits (TIFF 6.0 section 9): runs and literals behind a count byte, input in pieces. */
export class PackBitsDecoder {
  /** Literal bytes still to come; or, when negative, one byte that stands for this many. */
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
        // -128 does nothing
        if (count >= 0) this.#pending = count + 1
        else if (count > -128) this.#pending = count - 1
      }
    }
    if (filled > 0) emit(out.subarray(0, filled))
  }
}
