/** Applications and their API keys. */
import { useState } from 'preact/hooks'
import { type Application, call, type Key } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { Card, Empty, For, Loading, message, Problem, useLoaded } from '../parts.tsx'
import { ApplicationsPageDialog, type DialogRequest } from './key-dialogs.tsx'
import { Keys } from './key-table.tsx'

interface Listed {
  applications: Application[]
  plans: string[]
}

export function KeysPage() {
  const { value, error, reload, setError } = useLoaded(() => call<Listed>('GET', '/applications'))
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
      <div class="intro">
        <p class="muted">{t('One application for each program, so that you can limit and stop each on its own.')}</p>
        <For atLeast="admin" else={<p class="muted">{t('Admins and owners can change this.')}</p>}>
          <button type="button" class="btn btn--primary" onClick={() => setAsked({ what: 'application' })}>
            <Icon name="plus" />
            {t('New application')}
          </button>
        </For>
      </div>
      <Problem error={error} />
      {value.applications.length === 0 && (
        <div class="card">
          <Empty
            icon="key-round"
            title={t('No applications yet')}
            text={t('Create an application, and then a key with which your program calls the API.')}
          />
        </div>
      )}
      <div class="stack">
        {value.applications.map((application) => (
          <ApplicationCard key={application.application_id} application={application} onAsk={setAsked} onToggle={toggle} />
        ))}
      </div>
      {asked && (
        <ApplicationsPageDialog key={asked.what} asked={asked} plans={value.plans} onClose={() => setAsked(undefined)} onSubmit={submit} />
      )}
    </>
  )
}

interface CardProps {
  readonly application: Application
  readonly onAsk: (asked: DialogRequest) => void
  readonly onToggle: (key: Key) => void
}

function ApplicationCard({ application, onAsk, onToggle }: CardProps) {
  const { name, environment, plan, keys } = application
  // Many applications are named like their environment.
  const facts = [...(environment.toLowerCase() === name.toLowerCase() ? [] : [environment]), t('{plan} plan', { plan })]
  const remove = (key: Key): DialogRequest => ({
    what: 'remove',
    path: `/keys/${key.key_id}`,
    question: t('You cannot enable {name} again. Its usage figures are kept.', { name: key.name ?? key.masked }),
  })
  return (
    <Card title={name} sub={facts.join(' · ')} end={<ApplicationActions application={application} onAsk={onAsk} />} isNamed>
      {keys.length === 0 ? (
        <Empty icon="key-round" title={t('No keys yet')} />
      ) : (
        <Keys
          keys={keys}
          onChange={(key) => onAsk({ what: 'change', key })}
          onReset={(key) => onAsk({ what: 'reset', key })}
          onToggle={onToggle}
          onRemove={(key) => onAsk(remove(key))}
        />
      )}
    </Card>
  )
}

function ApplicationActions({ application, onAsk }: Pick<CardProps, 'application' | 'onAsk'>) {
  const { application_id: id, name, keys } = application
  const remove: DialogRequest = {
    what: 'remove',
    path: `/applications/${id}`,
    question: t('{name} has no keys. You cannot undo the deletion.', { name }),
  }
  return (
    <For atLeast="admin">
      <div class="row">
        {keys.length === 0 && (
          <button type="button" class="btn btn--quiet btn--sm btn--danger" onClick={() => onAsk(remove)}>
            {t('Delete')}
          </button>
        )}
        <button type="button" class="btn btn--quiet btn--sm" onClick={() => onAsk({ what: 'rename', application })}>
          {t('Change')}
        </button>
        <button type="button" class="btn btn--sm" onClick={() => onAsk({ what: 'key', application })}>
          <Icon name="plus" />
          {t('New key')}
        </button>
      </div>
    </For>
  )
}
