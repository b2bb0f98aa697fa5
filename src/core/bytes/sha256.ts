/**
 * SHA-256 whose state can be stored and resumed in another process and another Worker: a resumable upload is hashed while it arrives,
 * over any number of requests. The platform's own hash has no state to store. The hash is `@stablelib/sha256`; this file adds the form in
 * which uploads store its state.
 */
import { BLOCK_SIZE, SHA256 } from '@stablelib/sha256'

const WORDS_BYTES = 32
/** What is stored: eight words, the bytes that do not fill a block yet, and the number of bytes so far, all big-endian. */
const STATE_BYTES = WORDS_BYTES + BLOCK_SIZE + 8

export class Sha256 {
  readonly #hash = new SHA256()

  /** Continues where `state` was taken. @throws Error if it is not 104 bytes long */
  static from(state: Uint8Array): Sha256 {
    if (state.length !== STATE_BYTES) throw new Error(`a SHA-256 state has ${STATE_BYTES} bytes, not ${state.length}`)
    const view = new DataView(state.buffer, state.byteOffset, state.length)
    const bytesHashed = Number(view.getBigUint64(WORDS_BYTES + BLOCK_SIZE))
    const hash = new Sha256()
    hash.#hash.restoreState({
      state: Int32Array.from({ length: WORDS_BYTES / 4 }, (_, word) => view.getInt32(word * 4)),
      buffer: state.subarray(WORDS_BYTES, WORDS_BYTES + BLOCK_SIZE),
      bufferLength: bytesHashed % BLOCK_SIZE,
      bytesHashed,
    })
    return hash
  }

  /** The state after the bytes so far, 104 bytes. */
  state(): Uint8Array {
    const { state: words, buffer, bufferLength, bytesHashed } = this.#hash.saveState()
    const state = new Uint8Array(STATE_BYTES)
    const view = new DataView(state.buffer)
    for (const [word, value] of words.entries()) view.setInt32(word * 4, value)
    if (buffer) state.set(buffer.subarray(0, bufferLength), WORDS_BYTES)
    view.setBigUint64(WORDS_BYTES + BLOCK_SIZE, BigInt(bytesHashed))
    return state
  }

  update(bytes: Uint8Array): this {
    this.#hash.update(bytes)
    return this
  }

  /** The hash of the bytes so far, in lower-case hexadecimal. More bytes may follow. */
  hex(): string {
    const digest = Sha256.from(this.state()).#hash.digest()
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}
