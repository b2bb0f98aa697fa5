/** RC4 cipher for files that are already encrypted with it (ISO 32000-2, 7.6.3.2). Crypto libraries no longer offer RC4. */
export class Rc4 {
  private readonly state = new Uint8Array(256)
  private i = 0
  private j = 0

  constructor(key: Uint8Array) {
    const state = this.state
    for (let i = 0; i < 256; i++) state[i] = i
    for (let i = 0, j = 0; i < 256; i++) {
      const value = state[i]!
      j = (j + value + key[i % key.length]!) & 255
      state[i] = state[j]!
      state[j] = value
    }
  }

  /** Encrypts or decrypts the next bytes of the data. */
  apply(bytes: Uint8Array): Uint8Array {
    const state = this.state
    let i = this.i
    let j = this.j
    const out = new Uint8Array(bytes.length)
    for (let at = 0; at < bytes.length; at++) {
      i = (i + 1) & 255
      const a = state[i]!
      j = (j + a) & 255
      const b = state[j]!
      state[i] = b
      state[j] = a
      out[at] = bytes[at]! ^ state[(a + b) & 255]!
    }
    this.i = i
    this.j = j
    return out
  }
}
