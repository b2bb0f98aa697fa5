/**
 * Browser tokens as text: `wut_`, or `wgt_` for guests, the region of the key if it has one, the name of the KeyGate object that keeps the token (the SHA-256 of
 * the key, base64url), and 30 random base62 characters. The hash of a key reveals nothing, because a key has at least 154 random bits.
 */
import { Buffer } from 'node:buffer'
import { GUEST_PREFIX } from './guests.ts'
import { randomBase62 } from './key-format.ts'
import { gateName } from './keys.ts'
import { REGIONS, type Region } from './regions.ts'

/** Length of the random part: 178 bits. */
const SECRET_LENGTH = 30
const TOKEN = new RegExp(`^w[ug]t_(?:(${REGIONS.join('|')})\\.)?([\\w-]{43})\\.[0-9A-Za-z]{${SECRET_LENGTH}}$`)

/** Creates a token for the key whose KeyGate object has this name. */
export function makeToken(gate: string, prefix: 'wut_' | typeof GUEST_PREFIX = 'wut_'): string {
  const [hash = '', region] = gate.split('/').reverse()
  const place = region === undefined ? '' : `${region}.`
  return `${prefix}${place}${Buffer.from(hash, 'hex').toString('base64url')}.${randomBase62(SECRET_LENGTH)}`
}

export const looksLikeToken = (text: string): boolean => text.startsWith('wut_') || isGuestToken(text)

export const isGuestToken = (text: string): boolean => text.startsWith(GUEST_PREFIX)

/** Returns the name of the KeyGate object that a token names. `undefined`: the text has another form. */
export function gateOfToken(text: string): string | undefined {
  const [, region, hash] = TOKEN.exec(text) ?? []
  if (hash === undefined) return undefined
  return gateName(Buffer.from(hash, 'base64url').toString('hex'), region as Region | undefined)
}
