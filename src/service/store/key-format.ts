/**
 * API keys as text: `whl_live_` or `whl_test_`, 30 random base62 characters, and 6 base62 characters of their CRC-32.
 * The checksum lets the edge reject a mistyped key without a call to a Durable Object. Only the SHA-256 of a key is stored.
 * If the account has a region, the first four random characters name it: `eu00`, `apac`.
 */
import { createHash } from 'node:crypto'
import { REGIONS, type Region } from './regions.ts'

const LIVE = 'whl_live_'
const TEST = 'whl_test_'
/** Length of both prefixes, `whl_live_` and `whl_test_`. */
const PREFIX_LENGTH = LIVE.length
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KEY_PATTERN = /^whl_(live|test)_[0-9A-Za-z]{36}$/

/** Returns random base62 text with equally likely characters. Bytes from 248 (= 4 × 62) on are discarded to avoid bias. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}

/** CRC-32 (IEEE 802.3, reflected polynomial EDB88320) of ASCII text. For 30 characters, calling native code would take longer. */
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

/** Returns the CRC-32 of the secret in base62, most significant digit first, padded with zeros to 6 digits (62⁶ > 2³²). */
function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const REGION_MARK_LENGTH = 4
const regionMark = (region: Region) => region.padEnd(REGION_MARK_LENGTH, '0')

/** Creates a new API key with 178 bits of randomness, or 154 bits if it contains a region. */
export function makeKey(region?: Region, isTest = false): string {
  const mark = region === undefined ? '' : regionMark(region)
  const secret = mark + randomBase62(SECRET_LENGTH - mark.length)
  return (isTest ? TEST : LIVE) + secret + checksum(secret)
}

/** True if the text has the form of an API key with a correct checksum. The key may still be unknown. */
export function isWellFormedKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false
  const secret = text.slice(PREFIX_LENGTH, PREFIX_LENGTH + SECRET_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(secret)
}

/** Region in an API key. `undefined`: none. One in two million keys without a region appears to have one by chance. */
export function regionOfKey(key: string): Region | undefined {
  return REGIONS.find((region) => key.startsWith(regionMark(region), PREFIX_LENGTH))
}

/** Returns the SHA-256 of an API key as hex: the name of its KeyGate object. */
export async function hashKey(key: string): Promise<string> {
  return createHash('sha256').update(key).digest('hex')
}

/** Returns the key with its middle hidden, for lists: `whl_live_abcd…wxyz`. */
export function maskKey(key: string): string {
  return `${key.slice(0, PREFIX_LENGTH + 4)}…${key.slice(-4)}`
}
