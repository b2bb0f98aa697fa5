/** Sign-in with passkeys (WebAuthn Level 3): registration after an invitation, and sign-in with discoverable credentials. */

import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import * as z from 'zod'
import type { ApiMessageOrCode } from '../../i18n/message.ts'
import type { AccountApi } from '../../store/accounts.ts'
import type { ActionName } from '../../store/audit.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { readBody } from '../body.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { accountOfToken, closeSession, issueChallenge, openSession, takeChallenge } from './session.ts'

const NAME = 'Whittle'
const invitation = z.string().max(200)
const begin = z.strictObject({ invitation })
// Browsers create these objects and add fields of their own (WebAuthn, 5.1.7). The library validates the fields that it needs.
const credential = z.looseObject({ id: z.string().max(2000), response: z.looseObject({}) })
const finish = z.strictObject({ invitation, credential })
const signIn = z.strictObject({ credential })

/** User handle of a passkey: account and person in 61 of the 64 allowed bytes. */
const handleOf = (accountId: string, userId: string) => Uint8Array.from(new TextEncoder().encode(`${accountId}/${userId}`))

const INVITATION_IS_OVER = 'invitation_over'
const TOO_LATE = 'sign_in_too_late'
const NOT_VERIFIED = 'passkey_not_verified'

const refused = (why: ApiMessageOrCode) => new ApiError('invalid_key', why)

export const PASSKEY_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/console/api/register/options',
    access: 'public',
    async handle(c) {
      const { invitation: token } = await readBody(c, begin)
      const { account, accountId } = await accountFor(c, token)
      await refuseDisabled(account)
      const invited = await account.people.openInvitation(token)
      if (!invited) throw refused(INVITATION_IS_OVER)
      const options = await generateRegistrationOptions({
        rpName: NAME,
        rpID: c.get('url').hostname,
        userName: invited.name,
        userDisplayName: invited.name,
        userID: handleOf(accountId, invited.userId),
        challenge: fromBase64Url(invited.challenge),
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      return json({ name: invited.name, options })
    },
  },
  {
    method: 'POST',
    path: '/console/api/register',
    access: 'public',
    async handle(c) {
      const { invitation: token, credential: response } = await readBody(c, finish)
      const { account } = await accountFor(c, token)
      await refuseDisabled(account)
      const invited = await account.people.answerInvitation(token)
      if (!invited) throw refused(INVITATION_IS_OVER)
      if (invited.challenge === undefined) throw refused(TOO_LATE)
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: invited.challenge,
        expectedOrigin: c.get('url').origin,
        expectedRPID: c.get('url').hostname,
        requireUserVerification: true,
      }).catch(notVerified)
      if (!verified) throw refused(NOT_VERIFIED)
      const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential
      const accepted = await account.people.acceptInvitation(token, {
        credentialId,
        userId: invited.userId,
        publicKey,
        counter,
        transports,
      })
      if (accepted === 'known_passkey') throw refused('passkey_known_already')
      if (accepted === 'used') throw refused(INVITATION_IS_OVER)
      openSession(c, await account.people.openSession(invited.userId))
      await noteEntry(c, account, 'person.joined', { userId: invited.userId, name: invited.name })
      return signedIn(c)
    },
  },
  {
    method: 'POST',
    path: '/console/api/login/options',
    access: 'public',
    bodyless: true,
    async handle(c) {
      const challenge = fromBase64Url(await issueChallenge(c))
      const options = await generateAuthenticationOptions({ rpID: c.get('url').hostname, challenge, userVerification: 'required' })
      return withCookies(c, json({ options }))
    },
  },
  {
    method: 'POST',
    path: '/console/api/login',
    access: 'public',
    async handle(c) {
      const { credential: response } = await readBody(c, signIn)
      const expectedChallenge = await takeChallenge(c)
      if (!expectedChallenge) throw refused(TOO_LATE)
      const handle = (response.response as { userHandle?: unknown }).userHandle
      const [accountId = '', userId = ''] = typeof handle === 'string' ? decodeHandle(handle).split('/') : []
      const { account } = await accountFor(c, `${accountId}.${'x'.repeat(43)}`)
      const passkey = await account.people.passkey(response.id)
      if (!passkey || passkey.userId !== userId) throw refused('passkey_not_known')
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge,
        expectedOrigin: c.get('url').origin,
        expectedRPID: c.get('url').hostname,
        requireUserVerification: true,
        credential: { id: passkey.credentialId, publicKey: passkey.publicKey, counter: passkey.counter },
      }).catch(notVerified)
      if (!verified) throw refused(NOT_VERIFIED)
      await refuseDisabled(account)
      await account.people.countPasskeyUse(passkey.credentialId, authenticationInfo.newCounter)
      const token = await account.people.openSession(userId)
      openSession(c, token)
      const person = await account.people.session(token)
      if (person) await noteEntry(c, account, 'person.signed_in', person)
      return signedIn(c)
    },
  },
  {
    method: 'POST',
    path: '/console/api/logout',
    access: 'session',
    bodyless: true,
    async handle(c) {
      await closeSession(c)
      return withCookies(c, json({ signed_in: false }))
    },
  },
]

const signedIn = (c: AppContext) => withCookies(c, json({ signed_in: true }))

function noteEntry(
  c: AppContext,
  account: AccountApi,
  what: ActionName,
  { userId, name }: { userId: string; name: string },
): Promise<void> {
  return account.noteAction({
    at: Date.now(),
    by: { kind: 'person', userId, name },
    what,
    to: userId,
    called: name,
    requestId: c.get('requestId'),
  })
}

/** Copies cookies of the context to an answer that was created by hand. */
function withCookies(c: AppContext, answer: Response): Response {
  for (const [name, value] of c.res.headers) if (name === 'set-cookie') answer.headers.append(name, value)
  return answer
}

async function accountFor(c: AppContext, token: string) {
  const accountId = await accountOfToken(c, token)
  if (!accountId) throw refused('invitation_not_ours')
  return { accountId, account: c.env.ACCOUNTS.getByName(accountId) }
}

/** Converts errors of the library (wrong origin, invalid signature, missing field) to an API error without their text. */
function notVerified(): never {
  throw refused(NOT_VERIFIED)
}

/** Refuses sign-in and registration for a disabled account. */
async function refuseDisabled(account: AccountApi): Promise<void> {
  if ((await account.get())?.state === 'disabled') throw new ApiError('disabled_key', 'account_disabled')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}

function decodeHandle(handle: string): string {
  try {
    return new TextDecoder().decode(fromBase64Url(handle))
  } catch {
    return ''
  }
}
