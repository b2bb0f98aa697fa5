/** Passkeys (WebAuthn Level 3) in this browser. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { call } from '../api.ts'

type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']
type SignInOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Creates a passkey for the invited person. */
export async function register(invitation: string | undefined): Promise<void> {
  // Requests new options, because a challenge is valid for five minutes and one attempt.
  const { options } = await call<{ options: RegistrationOptions }>('POST', '/register/options', { invitation })
  const credential = await startRegistration({ optionsJSON: options })
  await call('POST', '/register', { invitation, credential })
}

export async function signIn(): Promise<void> {
  const { options } = await call<{ options: SignInOptions }>('POST', '/login/options')
  await call('POST', '/login', { credential: await startAuthentication({ optionsJSON: options }) })
}
