/**
 * Guests: visitors of the front page, who have no account. All of them share one account, so that the queue counts them as one. Each
 * internet address has its own limits, which a few KeyGate objects count.
 */
import { createHash } from 'node:crypto'
import { type GuestUse, gateName, type KeyRecord } from './keys.ts'

/** Account of all guests. It exists from the first guest on, and the operator can disable it like any other. */
export const GUEST_ACCOUNT = 'acc_guests00000000000000'

/** First characters of browser tokens that guests have. Tokens of API keys begin with `wut_`. */
export const GUEST_PREFIX = 'wgt_'

/** Lifetime of a guest's token in milliseconds, and the window of the limits by address: an hour, as results are kept. */
export const GUEST_WINDOW_MS = 3_600_000

/** Files of one token. */
export const GUEST_FILES = 3

/** Limits of one address in an hour. */
export const GUEST_LIMITS: Required<GuestUse> = { tokens: 6, bytes: 100_000_000, cpuMs: 600_000 }

/** Number of KeyGate objects that share the guests. */
const GATES = 16

/**
 * Name of the KeyGate object that counts an address.
 * @param address id of the address in hex. `''`: the service is for this machine only, and has no limits by address
 */
export function guestGate(address: string): string {
  const shard = Number.parseInt(address.slice(0, 2) || '0', 16) % GATES
  return gateName(createHash('sha256').update(`guests/${shard}`).digest('hex'), undefined)
}

/** Record of the key that guests of one KeyGate object share. No text has the hash of this object, so nobody has the key. */
export const GUEST_KEY: KeyRecord = {
  keyId: 'guest',
  accountId: GUEST_ACCOUNT,
  applicationId: 'guests',
  plan: 'guest',
  scopes: ['compress', 'tasks:read', 'tokens'],
  state: 'active',
}
