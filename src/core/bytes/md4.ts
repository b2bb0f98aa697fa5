/** MD4 (RFC 1320). Office documents identify pictures by it. It protects nothing, so its weakness does not matter here. */

const BLOCK_BYTES = 64
const SHIFTS = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
] as const
/** Words of a block in the order of each round. */
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
] as const
const CONSTANTS = [0, 0x5a827999, 0x6ed9eba1] as const

const mix = (round: number, x: number, y: number, z: number) =>
  round === 0 ? (x & y) | (~x & z) : round === 1 ? (x & y) | (x & z) | (y & z) : x ^ y ^ z

/** Returns the 16 bytes of the digest. */
export function md4(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  const whole = bytes.length - (bytes.length % BLOCK_BYTES)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < whole; at += BLOCK_BYTES) addBlock(state, view, at)
  const rest = bytes.length - whole
  const end = new Uint8Array(rest < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES)
  end.set(bytes.subarray(whole))
  end[rest] = 0x80
  const tail = new DataView(end.buffer)
  tail.setBigUint64(end.length - 8, BigInt(bytes.length) * 8n, true)
  for (let at = 0; at < end.length; at += BLOCK_BYTES) addBlock(state, tail, at)
  const digest = new Uint8Array(16)
  const out = new DataView(digest.buffer)
  for (const [index, word] of state.entries()) out.setInt32(4 * index, word, true)
  return digest
}

function addBlock(state: Int32Array, view: DataView, at: number): void {
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!]
  for (let round = 0; round < 3; round++) {
    for (let step = 0; step < 16; step++) {
      const word = view.getInt32(at + 4 * ORDERS[round]![step]!, true)
      const sum = (a + mix(round, b, c, d) + word + CONSTANTS[round]!) | 0
      const shift = SHIFTS[round]![step % 4]!
      a = d
      d = c
      c = b
      b = (sum << shift) | (sum >>> (32 - shift))
    }
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}
