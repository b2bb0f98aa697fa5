/** Sign-in: with a passkey, after an invitation, or on this machine with an API key. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, Refusal } from '../api.ts'
import { isLoopback } from '../connection.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { message, Problem } from '../parts.tsx'
import { KeyForm } from './key-form.tsx'
import { register, signIn } from './passkey.ts'

/** The invitation token is in the URL fragment, which browsers never send to a server. */
const invitationIn = (hash: string) => /^#invitation=([\w.-]+)$/.exec(hash)?.[1]
const isAddress = /^[\d.]+$|^\[/.test(location.hostname)

/** Replaces the browser's technical message for a cancelled passkey dialog. */
const chosenNone = (problem: unknown) => problem instanceof Error && problem.name === 'NotAllowedError'

interface SignInProps {
  readonly language: ComponentChildren
  /** Why the person has to sign in again. */
  readonly problem?: string | undefined
  readonly onSignedIn: () => void
}

export function SignInPage(props: SignInProps) {
  const invitation = invitationIn(location.hash)
  const [invited, setInvited] = useState<{ name: string }>()
  const [isUsed, setUsed] = useState(false)
  const [error, setError] = useState(props.problem)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (!invitation) return
    call<{ name: string }>('POST', '/register/options', { invitation }).then(setInvited, (problem: unknown) => {
      // The service does not say whether an invitation was used, has expired, or never existed.
      if (problem instanceof Refusal && problem.status === 401) setUsed(true)
      else setError(message(problem))
    })
  }, [invitation])
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      if (invitation) history.replaceState(null, '', '#overview')
      props.onSignedIn()
    } catch (problem) {
      setError(chosenNone(problem) ? 'No passkey was chosen. Please try again.' : message(problem))
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <a class="brand" href="/">
        <Icon name="mark" class="brand__mark" />
        Whittle
      </a>
      <div class="card sign-in__card">
        {isUsed ? (
          <UsedInvitation busy={busy} onSignIn={() => void attempt(signIn)} />
        ) : invited ? (
          <Welcome name={invited.name} busy={busy} onCreate={() => void attempt(() => register(invitation))} />
        ) : invitation && error === undefined ? (
          <p aria-busy="true" class="muted">
            {t('Loading…')}
          </p>
        ) : (
          <Doors busy={busy} onPasskey={() => void attempt(signIn)} onSignedIn={props.onSignedIn} />
        )}
        <Problem error={error} />
      </div>
      <p class="row sign-in__foot small">
        <a href="/">{t('Compress files without an account')}</a>
        {props.language}
      </p>
    </main>
  )
}

const PasskeyButton = ({ label, busy, onClick }: { label: string; busy: boolean; onClick: () => void }) => (
  <button type="button" class="btn btn--primary btn--lg" disabled={busy} onClick={onClick}>
    <Icon name="fingerprint" />
    {label}
  </button>
)

function Welcome({ name, busy, onCreate }: { name: string; busy: boolean; onCreate: () => void }) {
  return (
    <>
      <h1>{t('Welcome, {name}', { name })}</h1>
      <p>{t('This browser will create a passkey for you. There is no password to remember.')}</p>
      <PasskeyButton label={t('Create a passkey')} busy={busy} onClick={onCreate} />
    </>
  )
}

const UsedInvitation = ({ busy, onSignIn }: { busy: boolean; onSignIn: () => void }) => (
  <>
    <h1>{t('This invitation no longer works')}</h1>
    <p>{t('An invitation works once, within seven days.')}</p>
    <p>{t('If you have used it, sign in with your passkey. If not, ask the person who invited you for a new one.')}</p>
    <PasskeyButton label={t('Sign in with a passkey')} busy={busy} onClick={onSignIn} />
  </>
)

function Doors({ busy, onPasskey, onSignedIn }: { busy: boolean; onPasskey: () => void; onSignedIn: () => void }) {
  const elsewhere = `${location.protocol}//localhost${location.port ? `:${location.port}` : ''}${location.pathname}${location.hash}`
  return (
    <>
      <h1>{t('Sign in to Whittle')}</h1>
      {isAddress ? (
        <p class="note">
          <Icon name="info" />
          <span>
            {t('Passkeys need a host name instead of an IP address.')} <a href={elsewhere}>{t('Open {url}', { url: elsewhere })}</a>
          </span>
        </p>
      ) : (
        <PasskeyButton label={t('Sign in with a passkey')} busy={busy} onClick={onPasskey} />
      )}
      {isLoopback && <KeyForm onSignedIn={onSignedIn} />}
      <p class="small muted">{t('To sign in for the first time, you need an invitation from the operator of this service.')}</p>
    </>
  )
}
