import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../api.ts'
import { t } from '../language.ts'
import { message, Problem } from '../parts.tsx'

type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']
type SignInOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** The invitation token is in the URL fragment, which browsers never send to a server. */
const invitationIn = (hash: string) => /^#invitation=([\w.-]+)$/.exec(hash)?.[1]
const isAddress = /^[\d.]+$|^\[/.test(location.hostname)

/** Creates a passkey for the invited person. */
async function register(invitation: string | undefined): Promise<void> {
  // Requests new options, because a challenge is valid for five minutes and one attempt.
  const { options } = await call<{ options: RegistrationOptions }>('POST', '/register/options', { invitation })
  const credential = await startRegistration({ optionsJSON: options })
  await call('POST', '/register', { invitation, credential })
}

async function signIn(): Promise<void> {
  const { options } = await call<{ options: SignInOptions }>('POST', '/login/options')
  await call('POST', '/login', { credential: await startAuthentication({ optionsJSON: options }) })
}

/** Replaces the browser's technical message for a cancelled passkey dialog. */
const chosenNone = (problem: unknown) => problem instanceof Error && problem.name === 'NotAllowedError'

export function SignInPage(props: { language: ComponentChildren; onSignedIn: () => void }) {
  const invitation = invitationIn(location.hash)
  const [invited, setInvited] = useState<{ name: string }>()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    if (!invitation) return
    call<{ name: string }>('POST', '/register/options', { invitation }).then(setInvited, (problem: unknown) => setError(message(problem)))
  }, [invitation])

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      if (invitation) history.replaceState(null, '', '#compress')
      props.onSignedIn()
    } catch (problem) {
      setError(chosenNone(problem) ? 'No passkey was chosen. Please try again.' : message(problem))
      setBusy(false)
    }
  }
  const elsewhere = `${location.protocol}//localhost${location.port ? `:${location.port}` : ''}${location.pathname}${location.hash}`
  return (
    <main class="sign-in">
      <p class="brand">Whittle</p>
      <h1>{invited ? t('Welcome, {name}', { name: invited.name }) : t('Sign in')}</h1>
      {isAddress && <p>{t('A passkey needs a host name instead of an IP address. Open this page at {url}.', { url: elsewhere })}</p>}
      <p>
        {invited
          ? t('This browser will create a passkey for you. There is no password to remember.')
          : t('To sign in for the first time, you need an invitation from the operator of this service.')}
      </p>
      <Problem error={error} />
      <p>
        {invited ? (
          <button type="button" class="main" disabled={busy} onClick={() => attempt(() => register(invitation))}>
            {t('Create a passkey')}
          </button>
        ) : (
          <button type="button" class="main" disabled={busy} onClick={() => attempt(signIn)}>
            {t('Sign in with a passkey')}
          </button>
        )}
      </p>
      {props.language}
    </main>
  )
}
