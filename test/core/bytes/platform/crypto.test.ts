import * as node from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { randomBytes } from '../../../../src/core/bytes/platform/crypto.ts'
import type { BlockCipher, CipherPort, HashName, HashPort } from '../../../../src/core/bytes/platform/crypto-port.ts'
import { nodeCrypto } from '../../../../src/core/bytes/platform/node.ts'
import { PORTABLE_CIPHERS } from '../../../../src/core/bytes/platform/portable-ciphers.ts'
import { PORTABLE_HASHES } from '../../../../src/core/bytes/platform/portable-hashes.ts'

const NAMES: readonly HashName[] = ['md5', 'sha1', 'sha256', 'sha384', 'sha512']
const PORTS: readonly [string, HashPort & CipherPort][] = [
  ['the platform', nodeCrypto()!],
  ['JavaScript', { ...PORTABLE_HASHES, ...PORTABLE_CIPHERS }],
]
const pieces = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 8 })
const blocks = fc.uint8Array({ minLength: 16, maxLength: 16 })
const key = fc.oneof(blocks, fc.uint8Array({ minLength: 32, maxLength: 32 }))

const run = (cipher: BlockCipher, parts: readonly Uint8Array[]) => concat([...parts.map((part) => cipher.update(part)), cipher.finish()])
const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - (bytes.length % 16))
const expected = (cipher: node.Cipheriv | node.Decipheriv, padded: boolean, bytes: Uint8Array) => {
  cipher.setAutoPadding(padded)
  return concat([cipher.update(bytes), cipher.final()])
}

describe.each(PORTS)('hashes and ciphers of %s', (_name, port) => {
  it.each(NAMES)('%s of data in pieces is that of Node', (name) => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const hash = port.createHash(name)
        for (const part of parts) hash.update(part)
        const found = hash.digest()
        expect(found).toEqual(new Uint8Array(node.createHash(name).update(concat(parts)).digest()))
        expect(port.digestOf(name, concat(parts))).toEqual(found)
      }),
    )
  })

  it.each(NAMES)('HMAC and key derivation with %s are those of Node', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), pieces, fc.integer({ min: 1, max: 90 }), (secret, parts, length) => {
        const hmac = port.createHmac(name, secret)
        for (const part of parts) hmac.update(part)
        expect(hmac.digest()).toEqual(new Uint8Array(node.createHmac(name, secret).update(concat(parts)).digest()))
        const derived = port.pbkdf2(name, secret, { salt: concat(parts), iterations: 3, length })
        expect(derived).toEqual(new Uint8Array(node.pbkdf2Sync(secret, concat(parts), 3, length, name)))
      }),
      { numRuns: 30 },
    )
  })

  it('AES in pieces is that of Node', () => {
    fc.assert(
      fc.property(key, blocks, pieces, (secret, iv, parts) => {
        const [bytes, bits] = [concat(parts), secret.length * 8]
        const padded = run(port.encryptCbc({ key: secret, iv }, true), parts)
        expect(padded).toEqual(expected(node.createCipheriv(`aes-${bits}-cbc`, secret, iv), true, bytes))
        const whole = cut(bytes)
        const encrypted = run(port.encryptCbc({ key: secret, iv }, false), [whole.subarray(0, 5), whole.subarray(5)])
        expect(encrypted).toEqual(expected(node.createCipheriv(`aes-${bits}-cbc`, secret, iv), false, whole))
        expect(run(port.decryptCbc({ key: secret, iv }), [encrypted.subarray(0, 21), encrypted.subarray(21)])).toEqual(whole)
        const single = run(port.encryptEcb(secret), [whole.subarray(0, 7), whole.subarray(7)])
        expect(single).toEqual(expected(node.createCipheriv(`aes-${bits}-ecb`, secret, null), false, whole))
      }),
    )
  })

  it('refuses a part of a block without padding', () => {
    const secret = { key: new Uint8Array(16), iv: new Uint8Array(16) }
    expect(() => run(port.encryptCbc(secret, false), [new Uint8Array(17)])).toThrow(RangeError)
    expect(() => run(port.decryptCbc(secret), [new Uint8Array(31)])).toThrow(RangeError)
  })

  it('gives bytes whose slice is a copy', () => {
    const digest = port.digestOf('sha256', new Uint8Array())
    digest.slice(0, 1).fill(0)
    expect(digest[0]).toBe(0xe3)
  })
})

it('random bytes of any length differ', () => {
  const [a, b] = [randomBytes(100_000), randomBytes(100_000)]
  expect(a).not.toEqual(b)
  expect(a.subarray(70_000).some((byte) => byte !== 0)).toBe(true)
  expect(randomBytes(0).length).toBe(0)
})
