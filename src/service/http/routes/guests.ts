/** Guests: the front page asks what they may send, and makes a token by itself. These routes are for that page only. */

import { apiMessage } from '../../i18n/message.ts'
import { GUEST_FILES, GUEST_PREFIX, GUEST_WINDOW_MS, guestGate } from '../../store/guests.ts'
import { hashKey } from '../../store/key-format.ts'
import { PLANS } from '../../store/plans.ts'
import { makeToken } from '../../store/token-format.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { addressId, guestHourUsed, hasGuests, openGuestAccount } from '../../tasks/guests.ts'
import { tokenRefusal } from '../../tasks/token-rules.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { limitsAddresses } from '../ip-rate-limit.ts'
import { json, type Route } from '../route.ts'

export const GUEST_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guests',
    access: 'asset',
    async handle(c) {
      const { maxFileBytes, retentionMs } = PLANS.guest
      return json({ guests: hasGuests(c.env) ? { max_bytes: maxFileBytes, kept_seconds: retentionMs / 1000 } : null })
    },
  },
  { method: 'POST', path: '/guests', access: 'public', bodyless: true, handle: createGuestToken },
]

/** Answers with a token for pages of this service, unless the address has used up its hour. */
async function createGuestToken(c: AppContext): Promise<Response> {
  if (!hasGuests(c.env)) throw noGuests(c)
  const origin = baseUrl(c)
  // Only a page of this origin can read the answer.
  c.set('readableBy', '')
  if (c.req.header('Origin') !== origin) throw tokenRefusal('origin', 'guests_only_on_front_page')
  if (!(await openGuestAccount(c.env))) throw noGuests(c)
  const guest = await guestOf(c)
  const gate = guestGate(guest)
  const text = makeToken(gate, GUEST_PREFIX)
  const expiresAt = Date.now() + GUEST_WINDOW_MS
  const token = { id: await hashKey(text), origin, expiresAt, maxFiles: GUEST_FILES, guest }
  const until = await c.env.KEY_GATES.getByName(gate).createGuestToken(token)
  if (until !== undefined) throw guestHourUsed(until)
  return json({ token: text, expires_at: new Date(expiresAt).toISOString(), max_files: GUEST_FILES })
}

const noGuests = (c: AppContext) => new ApiError('unknown_route', apiMessage('nothing_at', { path: c.get('url').pathname }))

/** Id of the guest's address. `''`: a service for this machine only, whose clients share one address. */
async function guestOf(c: AppContext): Promise<string> {
  return limitsAddresses(c) ? addressId(c.env, c.req.header('CF-Connecting-IP') ?? '') : ''
}
