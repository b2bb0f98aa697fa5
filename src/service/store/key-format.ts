/**
 * API keys as text: `whl_live_`, or `whl_test_` of a test key, + 30 random base62 characters + 6 base62 characters of their CRC-32. The checksum lets the
 * edge refuse a mistyped key without asking a Durable Object; only the SHA-256 of a key is ever stored. Of an account with a region
 * the first four characters say which: `eu00`, `apac`.
 */
import { createHash } from 'node:crypto'
import { REGIONS, type Region } from './regions.ts'

const LIVE = 'whl_live_'
const TEST = 'whl_test_'
/** Of both. */
const PREFIX_LENGTH = LIVE.length
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^whl_(live|test)_[0-9A-Za-z]{36}$/

/** Random base62 text, every character equally likely: bytes from 248 on are thrown away (248 = 4 × 62). */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}

/** CRC-32 (IEEE 802.3, reflected polynomial EDB88320) of ASCII text. Thirty characters do not repay a call into native code. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff]!
  return ~crc >>> 0
}

/** The CRC-32 of the secret's characters, big end first, padded with zeros. 62⁶ exceeds 2³². */
function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const MARK_LENGTH = 4
const markOf = (region: Region) => region.padEnd(MARK_LENGTH, '0')

/** A new key: 178 bits of randomness, or 154 beside a region. */
export function makeKey(region?: Region, isTest = false): string {
  const mark = region === undefined ? '' : markOf(region)
  const secret = mark + randomBase62(SECRET_LENGTH - mark.length)
  return (isTest ? TEST : LIVE) + secret + checksum(secret)
}

/** Is this text shaped like a key, checksum included? Says nothing about whether the key exists. */
export function checkKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const secret = text.slice(PREFIX_LENGTH, PREFIX_LENGTH + SECRET_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(secret)
}

/** Where its account may be. By chance one key in two million without a region looks as if it had one. */
export function regionOfKey(key: string): Region | undefined {
  return REGIONS.find((region) => key.startsWith(markOf(region), PREFIX_LENGTH))
}

/** SHA-256 of the key, hex: the name of its KeyGate. */
export async function hashKey(key: string): Promise<string> {
  return createHash('sha256').update(key).digest('hex')
}

/** For lists: `whl_live_abcd…wxyz`. */
export function maskKey(key: string): string {
  return `${key.slice(0, PREFIX_LENGTH + 4)}…${key.slice(-4)}`
}
