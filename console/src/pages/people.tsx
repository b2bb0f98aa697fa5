import { useState } from 'preact/hooks'
import { call, type People, type Person } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { Dialog, message, Problem, useLoaded } from '../parts.tsx'

/** What is to be removed, and the words that ask for it. */
interface Doomed {
  path: string
  question: string
}
type Ask = (doomed: Doomed) => void

export function PeoplePage() {
  const { value, error, reload, setError } = useLoaded(() => call<People>('GET', '/people'))
  const [doomed, setDoomed] = useState<Doomed>()
  const remove = async (path: string) => {
    try {
      await call('DELETE', path)
      await reload()
    } catch (problem) {
      setError(message(problem))
    }
    setDoomed(undefined)
  }
  if (!value) return <Problem error={error} />
  return (
    <>
      <Problem error={error} />
      <p>{t('Everybody here manages this account. The operator of the service invites others.')}</p>
      {value.people.map((person) => (
        <PersonSection key={person.user_id} person={person} onAsk={setDoomed} />
      ))}
      {value.invitations.length > 0 && <Invitations invitations={value.invitations} onAsk={setDoomed} />}
      {doomed && (
        <Dialog title={t('Are you sure?')} onClose={() => setDoomed(undefined)}>
          <p>{doomed.question}</p>
          <p class="actions">
            <button type="button" class="main" onClick={() => remove(doomed.path)}>
              {t('Remove')}
            </button>
          </p>
        </Dialog>
      )}
    </>
  )
}

function PersonSection({ person, onAsk }: { person: Person; onAsk: Ask }) {
  const { name, passkeys, sessions } = person
  const rows: Row[] = [
    ...passkeys.map((passkey) => ({
      id: passkey.passkey_id,
      what: t('Passkey'),
      since: passkey.created_at,
      note: `${t('Last used')}: ${passkey.last_used_at ? dateTime(passkey.last_used_at) : t('never')}`,
      doomed: {
        path: `/passkeys/${passkey.passkey_id}`,
        question: t('This passkey will sign in no more, and the sessions of {name} end.', { name }),
      },
    })),
    ...sessions.map((session) => ({
      id: session.session_id,
      what: session.current ? t('This session') : t('Session'),
      since: session.created_at,
      note: `${t('Expires')}: ${dateTime(session.expires_at)}`,
      doomed: { path: `/sessions/${session.session_id}`, question: t('This session of {name} ends now.', { name }) },
    })),
  ]
  const question = t('{name} will be signed out, and will need a new invitation.', { name })
  return (
    <section aria-label={name}>
      <h2>
        {name} {person.you && <small>{t('you')}</small>}
      </h2>
      <p class="actions">
        <button type="button" onClick={() => onAsk({ path: `/people/${person.user_id}`, question })}>
          {t('Remove person')}
        </button>
      </p>
      {rows.length > 0 && <Rows rows={rows} onAsk={onAsk} />}
    </section>
  )
}

function Invitations({ invitations, onAsk }: { invitations: People['invitations']; onAsk: Ask }) {
  const rows = invitations.map(({ invitation_id, name, expires_at }) => ({
    id: invitation_id,
    what: name,
    note: `${t('Expires')}: ${dateTime(expires_at)}`,
    doomed: { path: `/invitations/${invitation_id}`, question: t('The invitation of {name} will let nobody in.', { name }) },
  }))
  return (
    <section aria-label={t('Invitations')}>
      <h2>{t('Invitations')}</h2>
      <Rows rows={rows} onAsk={onAsk} />
    </section>
  )
}

interface Row {
  id: string
  what: string
  since?: string | undefined
  note: string
  doomed: Doomed
}

function Rows({ rows, onAsk }: { rows: Row[]; onAsk: Ask }) {
  return (
    <div class="scroll">
      <table>
        <tbody>
          {rows.map(({ id, what, since, note, doomed }) => (
            <tr key={id}>
              <th scope="row">{what}</th>
              <td>{since && dateTime(since)}</td>
              <td>{note}</td>
              <td class="actions">
                <button type="button" onClick={() => onAsk(doomed)}>
                  {t('Remove')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
