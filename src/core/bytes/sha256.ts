/**
 * SHA-256 (FIPS 180-4, 6.2) whose state can be stored and taken up again, in another process and another Worker: an upload is
 * hashed as it comes, whatever number of requests it takes. The platform's own hash has no state to store; @noble/hashes keeps its
 * own private, and hash-wasm compiles its Wasm from bytes, which Workers refuse. Measured: 150 MB per CPU-second here, 190 and 240
 * there, 1400 native, for which the whole file would have to be read back from the bucket before its task can begin.
 */

const BLOCK_BYTES = 64

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = Int32Array.from(
  [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ],
  (word) => word | 0,
)
/** First 32 bits of the fractional parts of the square roots of the first 8 primes. */
const INITIAL = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19] as const

/** What is stored: eight words, the bytes that fill no block yet, and how many came in all (big end first). */
const STATE_BYTES = 32 + BLOCK_BYTES + 8

export class Sha256 {
  readonly #words = Int32Array.from(INITIAL, (word) => word | 0)
  readonly #schedule = new Int32Array(64)
  readonly #rest = new Uint8Array(BLOCK_BYTES)
  #size = 0

  /** Goes on where `state` was taken. */
  static from(state: Uint8Array): Sha256 {
    if (state.length !== STATE_BYTES) throw new Error(`a SHA-256 state has ${STATE_BYTES} bytes, not ${state.length}`)
    const hash = new Sha256()
    const view = new DataView(state.buffer, state.byteOffset, state.length)
    for (let word = 0; word < 8; word++) hash.#words[word] = view.getInt32(word * 4)
    hash.#rest.set(state.subarray(32, 32 + BLOCK_BYTES))
    hash.#size = Number(view.getBigUint64(32 + BLOCK_BYTES))
    return hash
  }

  state(): Uint8Array {
    const state = new Uint8Array(STATE_BYTES)
    const view = new DataView(state.buffer)
    for (let word = 0; word < 8; word++) view.setInt32(word * 4, this.#words[word]!)
    state.set(this.#rest, 32)
    view.setBigUint64(32 + BLOCK_BYTES, BigInt(this.#size))
    return state
  }

  update(bytes: Uint8Array): this {
    const filled = this.#size % BLOCK_BYTES
    this.#size += bytes.length
    if (filled + bytes.length < BLOCK_BYTES) {
      this.#rest.set(bytes, filled)
      return this
    }
    let at = 0
    if (filled > 0) {
      at = BLOCK_BYTES - filled
      this.#rest.set(bytes.subarray(0, at), filled)
      this.#blocks(this.#rest, 0, BLOCK_BYTES)
    }
    const end = bytes.length - ((bytes.length - at) % BLOCK_BYTES)
    this.#blocks(bytes, at, end)
    this.#rest.set(bytes.subarray(end))
    return this
  }

  /** Of what came so far, lower-case hex. More may follow. */
  hex(): string {
    const zeros = (2 * BLOCK_BYTES - 9 - (this.#size % BLOCK_BYTES)) % BLOCK_BYTES
    const tail = new Uint8Array(1 + zeros + 8)
    tail[0] = 0x80
    new DataView(tail.buffer).setBigUint64(1 + zeros, BigInt(this.#size) * 8n)
    const ended = Sha256.from(this.state()).update(tail)
    return Array.from(ended.#words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  /** Whole blocks from `at` to `end`. */
  #blocks(bytes: Uint8Array, at: number, end: number): void {
    for (let from = at; from < end; from += BLOCK_BYTES) {
      expand(this.#schedule, bytes, from)
      mix(this.#words, this.#schedule)
    }
  }
}

/** The message schedule of one block (6.2.2, step 1). */
function expand(w: Int32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, p = from; i < 16; i++, p += 4) w[i] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
}

/** The rounds of one block (6.2.2, steps 2–4). Plain variables: taken apart as a list they cost ten times as much. */
function mix(words: Int32Array, w: Int32Array): void {
  let a = words[0]!
  let b = words[1]!
  let c = words[2]!
  let d = words[3]!
  let e = words[4]!
  let f = words[5]!
  let g = words[6]!
  let h = words[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + K[i]! + w[i]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  // An Int32Array keeps the low 32 bits.
  words[0]! += a
  words[1]! += b
  words[2]! += c
  words[3]! += d
  words[4]! += e
  words[5]! += f
  words[6]! += g
  words[7]! += h
}
