import { useState } from 'preact/hooks'
import { type Application, call, type Key } from '../api.ts'
import { t } from '../language.ts'
import { For, Loading, message, Problem, useLoaded } from '../parts.tsx'
import { ApplicationsPageDialog, type DialogRequest } from './application-dialogs.tsx'
import { Keys } from './keys.tsx'

export function ApplicationsPage() {
  const { value, error, reload, setError } = useLoaded(() => call<{ applications: Application[]; plans: string[] }>('GET', '/applications'))
  const [asked, setAsked] = useState<DialogRequest>()
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
      await reload()
    } catch (problem) {
      setAsked(undefined)
      setError(message(problem))
    }
  }
  const submit = (work: (fields: FormData) => Promise<DialogRequest | undefined>) => (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    void attempt(async () => setAsked(await work(fields)))
  }
  const toggle = (key: Key) =>
    attempt(async () => void (await call('PATCH', `/keys/${key.key_id}`, { state: key.state === 'disabled' ? 'active' : 'disabled' })))
  if (!value) return <Loading error={error} />
  return (
    <>
      <Problem error={error} />
      <p>
        {t('Create an application for each program or environment, so that you can distinguish, limit and disable its keys separately.')}
      </p>
      <For atLeast="admin" else={<p>{t('Admins and owners can change this.')}</p>}>
        <p>
          <button type="button" class="main" onClick={() => setAsked({ what: 'application' })}>
            {t('New application')}
          </button>
        </p>
      </For>
      {value.applications.length === 0 && <p>{t('No applications yet.')}</p>}
      {value.applications.map((application) => (
        <ApplicationSection key={application.application_id} application={application} onAsk={setAsked} onToggle={toggle} />
      ))}
      {asked && (
        <ApplicationsPageDialog key={asked.what} asked={asked} plans={value.plans} onClose={() => setAsked(undefined)} onSubmit={submit} />
      )}
    </>
  )
}

function ApplicationSection(props: { application: Application; onAsk: (asked: DialogRequest) => void; onToggle: (key: Key) => void }) {
  const { application, onAsk, onToggle } = props
  return (
    <section aria-label={application.name}>
      <h2>
        {application.name} <small>{application.environment}</small> <small>{application.plan}</small>
      </h2>
      <For atLeast="admin">
        <p class="actions">
          <button type="button" onClick={() => onAsk({ what: 'key', application })}>
            {t('New key')}
          </button>
          <button type="button" onClick={() => onAsk({ what: 'rename', application })}>
            {t('Change')}
          </button>
          {application.keys.length === 0 && (
            <button
              type="button"
              onClick={() =>
                onAsk({
                  what: 'remove',
                  path: `/applications/${application.application_id}`,
                  question: t('{name} has no keys. You cannot undo the deletion.', { name: application.name }),
                })
              }
            >
              {t('Delete')}
            </button>
          )}
        </p>
      </For>
      {application.keys.length === 0 ? (
        <p>{t('No keys yet.')}</p>
      ) : (
        <Keys
          keys={application.keys}
          onChange={(key) => onAsk({ what: 'change', key })}
          onReset={(key) => onAsk({ what: 'reset', key })}
          onToggle={onToggle}
          onRemove={(key) =>
            onAsk({
              what: 'remove',
              path: `/keys/${key.key_id}`,
              question: t('You cannot enable {name} again. Its usage figures are kept.', { name: key.name ?? key.masked }),
            })
          }
        />
      )}
    </section>
  )
}
