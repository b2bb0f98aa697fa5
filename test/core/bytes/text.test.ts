/** Conversions between bytes and text, compared with Node's Buffer, and comparison and checksum of bytes. */
import { Buffer } from 'node:buffer'
import { crc32 as nodeCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { base64Of, bytesOfBase64 } from '../../../src/core/bytes/base64.ts'
import { crc32 } from '../../../src/core/bytes/crc32.ts'
import { equalBytes, equalSecrets } from '../../../src/core/bytes/equal.ts'
import { bytesOfHex, hex } from '../../../src/core/bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import { utf16Bytes } from '../../../src/core/bytes/utf16.ts'

/** Views at any offset, which decide how words are read. */
const views = fc.tuple(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 9 })).map(([bytes, start]) => bytes.subarray(start))
const ascii = fc.uint8Array({ min: 1, max: 127, minLength: 200, maxLength: 600 })
const plain = (bytes: Uint8Array) => new Uint8Array(bytes)

it('Latin-1 round trip of any bytes and of long ASCII', () => {
  fc.assert(
    fc.property(fc.oneof(views, ascii), (bytes) => {
      expect(latin1Of(bytes)).toBe(Buffer.from(bytes).toString('latin1'))
      expect(latin1Bytes(latin1Of(bytes))).toEqual(plain(bytes))
    }),
  )
  const long = Uint8Array.from({ length: 50_000 }, (_, at) => (at < 20_000 ? 65 + (at % 26) : at))
  expect(latin1Of(long)).toBe(Buffer.from(long).toString('latin1'))
  expect(latin1Bytes('ÿĀA')).toEqual(Uint8Array.of(255, 0, 65))
})

it('Latin-1 keeps the characters that windows-1252 replaces', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => 0x80 + (at % 32))
  expect(latin1Bytes(latin1Of(bytes))).toEqual(bytes)
})

it('base64 is that of Buffer, with and without padding, for URLs and between line breaks', () => {
  fc.assert(
    fc.property(views, (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      expect(base64Of(bytes)).toBe(text)
      const url = Buffer.from(bytes).toString('base64url')
      for (const form of [text, url, text.replace(/=+$/, ''), text.replace(/.{5}/g, '$&\r\n')])
        expect(bytesOfBase64(form)).toEqual(plain(bytes))
    }),
  )
  expect(bytesOfBase64('QUJD=QUJD')).toEqual(latin1Bytes('ABC'))
})

it('hexadecimal digits end at the first pair that is none', () => {
  fc.assert(
    fc.property(views, fc.string(), (bytes, text) => {
      expect(bytesOfHex(hex(bytes))).toEqual(plain(bytes))
      expect(bytesOfHex(hex(bytes) + text)).toEqual(plain(Buffer.from(hex(bytes) + text, 'hex')))
    }),
  )
  expect(bytesOfHex('00Ff0g11')).toEqual(Uint8Array.of(0, 255))
})

it('UTF-16 is that of Buffer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(utf16Bytes(text)).toEqual(plain(Buffer.from(text, 'utf16le')))
    }),
  )
})

it('bytes are equal as Buffer says', () => {
  fc.assert(
    fc.property(views, views, fc.nat(), fc.nat({ max: 7 }), (a, b, at, shift) => {
      const copy = new Uint8Array(a.length + shift).subarray(shift)
      copy.set(a)
      for (const equal of [equalBytes, equalSecrets]) {
        expect(equal(a, copy)).toBe(true)
        expect(equal(a, b)).toBe(Buffer.compare(a, b) === 0)
      }
      if (copy.length === 0) return
      copy[at % copy.length]! ^= 1
      for (const equal of [equalBytes, equalSecrets]) expect(equal(a, copy)).toBe(false)
    }),
  )
})

it('CRC-32 is that of zlib, in pieces and at any offset', () => {
  fc.assert(
    fc.property(views, fc.nat({ max: 400 }), (bytes, at) => {
      expect(crc32(bytes)).toBe(nodeCrc32(bytes))
      expect(crc32(bytes.subarray(at), crc32(bytes.subarray(0, at)))).toBe(nodeCrc32(bytes))
    }),
  )
})
