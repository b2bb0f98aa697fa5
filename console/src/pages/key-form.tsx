/** Sign-in with an API key. The service allows it only on this machine. */
import { useState } from 'preact/hooks'
import { whoAmI } from '../api.ts'
import { forgetKey, signInWithKey } from '../connection.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { message } from '../parts.tsx'

/** `whl_live_` or `whl_test_`, the key itself, and its checksum. The service has the last word. */
const KEY = /^whl_(live|test)_\w{20,}$/

export function KeyForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget as HTMLFormElement).get('key')).trim()
    if (!KEY.test(key)) return setError(t('A key begins with whl_live_ or whl_test_. Copy it from .dev/keys.json.'))
    setBusy(true)
    signInWithKey(key)
    try {
      await whoAmI()
      onSignedIn()
    } catch (problem) {
      forgetKey()
      setError(message(problem))
      setBusy(false)
    }
  }
  return (
    <>
      <p class="or small muted">
        <span>{t('or, on this computer only')}</span>
      </p>
      <form class="field" onSubmit={(event) => void submit(event)}>
        <label for="api-key">{t('API key')}</label>
        <div class="key-form">
          <input
            id="api-key"
            class="input mono"
            name="key"
            type="password"
            autoComplete="off"
            spellcheck={false}
            required
            placeholder="whl_live_…"
            aria-invalid={error !== undefined}
            aria-describedby="api-key-hint"
          />
          <button type="submit" class="btn" disabled={busy}>
            {t('Sign in')}
          </button>
        </div>
        <div id="api-key-hint" role="alert">
          {error ? (
            <p class="hint hint--bad">
              <Icon name="circle-alert" />
              {error}
            </p>
          ) : (
            <p class="hint">{t('The key stays in this tab. You can do what the key may do.')}</p>
          )}
        </div>
      </form>
    </>
  )
}
