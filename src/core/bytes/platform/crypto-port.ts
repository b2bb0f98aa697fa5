/** Hashes and ciphers that the core needs from a platform. All are synchronous and take their data in pieces. */

export type Sha2Name = 'sha256' | 'sha384' | 'sha512'

/** Hashes with those that only old files need. */
export type HashName = Sha2Name | 'md5' | 'sha1'

/** Hash of bytes that arrive in pieces. */
export interface Hash {
  update(bytes: Uint8Array): this
  /** Returns the hash of all bytes. The object cannot be used afterwards. */
  digest(): Uint8Array
}

/** Block cipher in some mode for data that arrives in pieces. */
export interface BlockCipher {
  /** Returns the output that is ready: whole blocks of 16 bytes. */
  update(bytes: Uint8Array): Uint8Array
  /**
   * Returns the rest of the output. The object cannot be used afterwards.
   * @throws RangeError if the input has no whole number of blocks and padding is not added
   */
  finish(): Uint8Array
}

/** A key of 16 or 32 bytes (AES-128 or AES-256) and an initialisation vector of 16 bytes. */
export interface CbcKey {
  readonly key: Uint8Array
  readonly iv: Uint8Array
}

export interface HashPort<Name extends HashName = HashName> {
  createHash(name: Name): Hash
  /** Returns the hash of bytes that are all there, faster than `createHash`. */
  digestOf(name: Name, bytes: Uint8Array): Uint8Array
}

export interface CipherPort {
  createHmac(name: HashName, key: Uint8Array): Hash
  /** Derives a key from a password (PBKDF2, RFC 8018). @param length bytes of the key */
  pbkdf2(name: HashName, password: Uint8Array, settings: { salt: Uint8Array; iterations: number; length: number }): Uint8Array
  /** AES in CBC mode. `padded`: ends with PKCS #7 padding; otherwise whole blocks are expected. */
  encryptCbc(key: CbcKey, padded: boolean): BlockCipher
  /** AES in CBC mode. Padding stays in the output. */
  decryptCbc(key: CbcKey): BlockCipher
  /** AES of single blocks, without padding. */
  encryptEcb(key: Uint8Array): BlockCipher
}
