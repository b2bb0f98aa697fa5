/**
 * SHA-256 whose state can be stored and restored in another process or Worker, so that a resumable upload is hashed over several requests.
 * The platform's own hash has no storable state. This file wraps `@stablelib/sha256` and defines the stored form of its state.
 */
import { BLOCK_SIZE, SHA256 } from '@stablelib/sha256'

const WORDS_BYTES = 32
/** Length of a stored state: eight words, the bytes of the incomplete block, and the number of bytes so far, all big-endian. */
const STATE_BYTES = WORDS_BYTES + BLOCK_SIZE + 8

export class Sha256 {
  readonly #hash = new SHA256()

  /**
   * Restores a hash from `state`.
   * @throws Error if `state` is not 104 bytes long
   */
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

  /** Returns the state after all bytes so far, 104 bytes. */
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

  /** Returns the hash of all bytes so far, in lower-case hexadecimal. More bytes may be added afterwards. */
  hex(): string {
    const digest = Sha256.from(this.state()).#hash.digest()
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}
