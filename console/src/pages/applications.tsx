import { useState } from 'preact/hooks'
import { type Application, call, type Key } from '../api.ts'
import { t } from '../language.ts'
import { CopyButton, Dialog, message, Problem, useLoaded } from '../parts.tsx'
import { KeyFields, Keys, keyWishes } from './keys.tsx'

const GRACE: [string, number][] = [
  ['It stops now', 0],
  ['One hour', 3600],
  ['One day', 86_400],
  ['One week', 604_800],
]

type Asked =
  | { what: 'application' }
  | { what: 'rename'; application: Application }
  | { what: 'key'; application: Application }
  | { what: 'change'; key: Key }
  | { what: 'reset'; key: Key }
  | { what: 'shown'; text: string }

export function ApplicationsPage() {
  const { value, error, reload, setError } = useLoaded(() => call<{ applications: Application[]; plans: string[] }>('GET', '/applications'))
  const [asked, setAsked] = useState<Asked>()
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
      await reload()
    } catch (problem) {
      setAsked(undefined)
      setError(message(problem))
    }
  }
  const submit = (work: (fields: FormData) => Promise<Asked | undefined>) => (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    void attempt(async () => setAsked(await work(fields)))
  }
  const toggle = (key: Key) =>
    attempt(async () => void (await call('PATCH', `/keys/${key.key_id}`, { state: key.state === 'disabled' ? 'active' : 'disabled' })))
  if (!value) return <Problem error={error} />
  return (
    <>
      <Problem error={error} />
      <p>{t('One application for each environment: keys of a test never open production.')}</p>
      <p>
        <button type="button" class="main" onClick={() => setAsked({ what: 'application' })}>
          {t('New application')}
        </button>
      </p>
      {value.applications.length === 0 && <p>{t('No applications yet.')}</p>}
      {value.applications.map((application) => (
        <section key={application.application_id} aria-label={application.name}>
          <h2>
            {application.name} <small>{application.environment}</small> <small>{application.plan}</small>
          </h2>
          <p class="actions">
            <button type="button" onClick={() => setAsked({ what: 'key', application })}>
              {t('New key')}
            </button>
            <button type="button" onClick={() => setAsked({ what: 'rename', application })}>
              {t('Rename')}
            </button>
          </p>
          {application.keys.length === 0 ? (
            <p>{t('No keys yet.')}</p>
          ) : (
            <Keys
              keys={application.keys}
              onChange={(key) => setAsked({ what: 'change', key })}
              onReset={(key) => setAsked({ what: 'reset', key })}
              onToggle={toggle}
            />
          )}
        </section>
      ))}
      {asked?.what === 'shown' && (
        <Dialog title={t('New key')} onClose={() => setAsked(undefined)}>
          <p>{t('This is the only time the key is shown. Keep it in a safe place.')}</p>
          <pre class="secret">{asked.text}</pre>
          <CopyButton text={asked.text} />
        </Dialog>
      )}
      {(asked?.what === 'application' || asked?.what === 'rename') && (
        <Dialog title={asked.what === 'rename' ? t('Rename') : t('New application')} onClose={() => setAsked(undefined)}>
          <form
            onSubmit={submit(async (fields) => {
              const body = { name: fields.get('name'), environment: fields.get('environment'), plan: fields.get('plan') }
              if (asked.what === 'rename') await call('PATCH', `/applications/${asked.application.application_id}`, body)
              else await call('POST', '/applications', body)
              return undefined
            })}
          >
            <label>
              {t('Name')}
              <input name="name" required maxLength={100} value={asked.what === 'rename' ? asked.application.name : ''} />
            </label>
            <label>
              {t('Environment')}
              <input
                name="environment"
                required
                maxLength={100}
                list="environments"
                value={asked.what === 'rename' ? asked.application.environment : 'production'}
              />
              <datalist id="environments">
                {['production', 'staging', 'development', 'test'].map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </label>
            <label>
              {t('Plan')}
              <select name="plan" value={asked.what === 'rename' ? asked.application.plan : value.plans.at(-1)}>
                {value.plans.map((plan) => (
                  <option key={plan}>{plan}</option>
                ))}
              </select>
            </label>
            <button type="submit" class="main">
              {asked.what === 'rename' ? t('Save') : t('Create')}
            </button>
          </form>
        </Dialog>
      )}
      {asked?.what === 'key' && (
        <Dialog title={t('New key')} onClose={() => setAsked(undefined)}>
          <form
            onSubmit={submit(async (fields) => {
              const { expires_at, scopes } = keyWishes(fields)
              const body = { application_id: asked.application.application_id, scopes, ...(expires_at ? { expires_at } : {}) }
              const made = await call<{ key: string }>('POST', '/keys', body)
              return { what: 'shown', text: made.key }
            })}
          >
            <KeyFields />
            <button type="submit" class="main">
              {t('Create')}
            </button>
          </form>
        </Dialog>
      )}
      {asked?.what === 'change' && (
        <Dialog title={`${t('Change')} ${asked.key.masked}`} onClose={() => setAsked(undefined)}>
          <form
            onSubmit={submit(async (fields) => {
              await call('PATCH', `/keys/${asked.key.key_id}`, keyWishes(fields))
              return undefined
            })}
          >
            <KeyFields of={asked.key} />
            <button type="submit" class="main">
              {t('Save')}
            </button>
          </form>
        </Dialog>
      )}
      {asked?.what === 'reset' && (
        <Dialog title={`${t('Reset')} ${asked.key.masked}`} onClose={() => setAsked(undefined)}>
          <form
            onSubmit={submit(async (fields) => {
              const made = await call<{ key: string }>('POST', `/keys/${asked.key.key_id}/reset`, {
                grace_seconds: Number(fields.get('grace')),
              })
              return { what: 'shown', text: made.key }
            })}
          >
            <label>
              {t('The new key works at once. How long should the old one go on?')}
              <select name="grace">
                {GRACE.map(([title, seconds]) => (
                  <option key={seconds} value={seconds}>
                    {t(title)}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit" class="main">
              {t('Reset')}
            </button>
          </form>
        </Dialog>
      )}
    </>
  )
}
