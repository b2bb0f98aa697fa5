const rotated = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))

/** Bytes that a step mixes, and the number to which the length is added at the start. */
const STEP_BYTES = 12
const START = 0xdeadbeef

/** Checksum of metadata: Bob Jenkins' lookup3, `hashlittle` with the initial value 0 (HDF5 File Format Specification 4.0, II.A). */
export function metadataChecksum(bytes: Uint8Array): number {
  const state = new Int32Array(3).fill(START + bytes.length)
  let at = 0
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (; bytes.length - at > STEP_BYTES; at += STEP_BYTES) {
    state[0] = state[0]! + view.getInt32(at, true)
    state[1] = state[1]! + view.getInt32(at + 4, true)
    state[2] = state[2]! + view.getInt32(at + 8, true)
    mix(state)
  }
  if (at < bytes.length) {
    add(state, bytes, at, bytes.length - at)
    finish(state)
  }
  return state[2]! >>> 0
}

function add(state: Int32Array, bytes: Uint8Array, from: number, length: number): void {
  for (let i = 0; i < length; i++) state[i >> 2] = state[i >> 2]! + (bytes[from + i]! << (8 * (i & 3)))
}

function mix(state: Int32Array): void {
  let [a, b, c] = [state[0]!, state[1]!, state[2]!]
  a = (a - c) ^ rotated(c, 4)
  c = (c + b) | 0
  b = (b - a) ^ rotated(a, 6)
  a = (a + c) | 0
  c = (c - b) ^ rotated(b, 8)
  b = (b + a) | 0
  a = (a - c) ^ rotated(c, 16)
  c = (c + b) | 0
  b = (b - a) ^ rotated(a, 19)
  a = (a + c) | 0
  c = (c - b) ^ rotated(b, 4)
  b = (b + a) | 0
  state[0] = a
  state[1] = b
  state[2] = c
}

function finish(state: Int32Array): void {
  let [a, b, c] = [state[0]!, state[1]!, state[2]!]
  c = ((c ^ b) - rotated(b, 14)) | 0
  a = ((a ^ c) - rotated(c, 11)) | 0
  b = ((b ^ a) - rotated(a, 25)) | 0
  c = ((c ^ b) - rotated(b, 16)) | 0
  a = ((a ^ c) - rotated(c, 4)) | 0
  b = ((b ^ a) - rotated(a, 14)) | 0
  state[2] = ((c ^ b) - rotated(b, 24)) | 0
}
