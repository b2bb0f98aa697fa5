/** Guests at the service: their account, their address, and refusals. */
import { Buffer } from 'node:buffer'
import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { addToAccountIndex } from '../store/account-index.ts'
import { GUEST_ACCOUNT, GUEST_WINDOW_MS } from '../store/guests.ts'
import { hmacSha256 } from '../store/hmac.ts'
import type { TokenGrant } from '../store/upload-tokens.ts'
import { ApiError } from './api-error.ts'

/** True if the operator has switched guests on. */
export const hasGuests = (env: Pick<Env, 'GUESTS'>): boolean => env.GUESTS === 'on'

/** Creates the account of all guests at the first one. Returns `false` if the operator has disabled it. */
export async function openGuestAccount(env: Env): Promise<boolean> {
  const account = env.ACCOUNTS.getByName(GUEST_ACCOUNT)
  const known = await account.get()
  if (known) return known.state === 'active'
  await account.put({ accountId: GUEST_ACCOUNT, name: 'Guests', plan: 'guest', createdAt: Date.now(), state: 'active' })
  await addToAccountIndex(env.BLOBS, GUEST_ACCOUNT)
  return true
}

/** Number of groups of an IPv6 address that name a network. Its holder may use all addresses of a /64 (RFC 6177). */
const NETWORK_GROUPS = 4

/** Network of an address: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [, shown = address] = /^\[(.*)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  const [head = '', tail] = shown.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)].slice(0, NETWORK_GROUPS).join(':')
}

/** Id of a network as hex. Addresses are personal data, so only this id is stored. */
export async function addressId(env: Env, address: string): Promise<string> {
  const digest = await hmacSha256(env.SECRET_KEY ?? GUEST_ACCOUNT, `guest ${networkOf(address)}`)
  return Buffer.from(digest.subarray(0, 16)).toString('hex')
}

/** Refusal of a guest whose address has used up its hour. @param until end of the hour in epoch milliseconds */
export function guestHourUsed(until: number): ApiError {
  const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000))
  const facts = { plan: 'guest', window_seconds: GUEST_WINDOW_MS / 1000, retry_after_seconds: seconds }
  const minutes = Math.ceil(seconds / 60)
  return new ApiError('rate_limited', apiMessage('guest_hour_used', { minutes }), facts, { 'Retry-After': String(seconds) })
}

/**
 * Counts the estimated CPU time of a guest's file before its task is created. Files of others are not counted here.
 * @throws ApiError `rate_limited` if the address has used up its hour
 */
export async function chargeGuestTime(env: Env, { gate, id, isGuest }: TokenGrant, seconds: number): Promise<void> {
  if (!isGuest) return
  const until = await env.KEY_GATES.getByName(gate).chargeGuest(id, { cpuMs: Math.ceil(seconds * 1000) })
  if (until !== undefined) throw guestHourUsed(until)
}
