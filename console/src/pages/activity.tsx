/** Audit log of the account, newest entry first. */
import { useState } from 'preact/hooks'
import { type Action, call } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { message, Problem, useLoaded } from '../parts.tsx'

interface Page {
  actions: Action[]
  next_cursor: string | null
}

/** Names of actions. Unknown actions are shown with the name that the service uses. */
const WORDS: Readonly<Record<string, string>> = {
  'application.created': 'created the application',
  'application.changed': 'changed the application',
  'application.removed': 'deleted the application',
  'key.created': 'created the key',
  'key.changed': 'changed the key',
  'key.reset': 'reset the key',
  'key.removed': 'deleted the key',
  'secret.rotated': 'changed the signing secret',
  'secret.read': 'viewed the signing secret',
  'alerts.changed': 'changed the address for alerts',
  'person.invited': 'invited',
  'person.joined': 'joined',
  'person.signed_in': 'signed in',
  'person.changed': 'changed the role of',
  'person.removed': 'removed the person',
  'passkey.removed': 'removed a passkey',
  'session.removed': 'ended a session',
  'invitation.removed': 'withdrew an invitation',
  'account.created': 'created the account',
  'account.changed': 'changed the account',
  'account.imported': 'imported the account',
}

export function ActivityPage() {
  const first = useLoaded(() => call<Page>('GET', '/audit'))
  const [later, setLater] = useState<Page>()
  const [error, setError] = useState<string>()
  if (!first.value) return first.error ? <Problem error={first.error} /> : <p>{t('Loading…')}</p>
  const cursor = (later ?? first.value).next_cursor
  const actions = [...first.value.actions, ...(later?.actions ?? [])]
  const more = () =>
    call<Page>('GET', `/audit?cursor=${cursor}`).then(
      (page) => setLater({ ...page, actions: [...(later?.actions ?? []), ...page.actions] }),
      (problem: unknown) => setError(message(problem)),
    )
  return (
    <>
      <Problem error={error} />
      <p>{t('Changes that people and the operator of the service made to keys, applications, people and secrets.')}</p>
      <Actions actions={actions} />
      {cursor && (
        <p>
          <button type="button" onClick={more}>
            {t('Load more')}
          </button>
        </p>
      )}
    </>
  )
}

function Actions({ actions }: { actions: readonly Action[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{t('Time')}</th>
          <th scope="col">{t('Who')}</th>
          <th scope="col">{t('What')}</th>
          <th scope="col">{t('Request')}</th>
        </tr>
      </thead>
      <tbody>
        {actions.map(({ at, by, action, to, called, asked, request_id }) => (
          <tr key={`${at} ${request_id}`}>
            <td class="number">{dateTime(at)}</td>
            <td class="number">{by.kind === 'person' ? by.name : t('Operator')}</td>
            <td>
              {t(WORDS[action] ?? action)}{' '}
              {!(by.kind === 'person' && by.user_id === to) && (called ? <code>{called}</code> : <small>{to}</small>)}
            </td>
            <td>{asked && <code>{JSON.stringify(asked).slice(1, -1)}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
