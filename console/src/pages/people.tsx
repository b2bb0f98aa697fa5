import { useState } from 'preact/hooks'
import { call, isAtLeast, type Me, type People, type Person, ROLES, type Role } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { CopyButton, Dialog, Loading, message, Problem, useLoaded } from '../parts.tsx'

/** Object to remove, and the text of the confirmation. */
interface Doomed {
  path: string
  question: string
}
type Ask = (doomed: Doomed) => void

export function PeoplePage({ me }: { me: Me }) {
  const { value, error, reload, setError } = useLoaded(() => call<People>('GET', '/people'))
  const [doomed, setDoomed] = useState<Doomed>()
  const [inviting, setInviting] = useState(false)
  const setRole = (person: Person, role: Role) =>
    call('PATCH', `/people/${person.user_id}`, { role }).then(reload, async (problem: unknown) => {
      await reload()
      setError(message(problem))
    })
  const remove = async (path: string) => {
    try {
      await call('DELETE', path)
      await reload()
    } catch (problem) {
      setError(message(problem))
    }
    setDoomed(undefined)
  }
  if (!value) return <Loading error={error} />
  return (
    <>
      <Problem error={error} />
      <p>
        {t(
          'Viewers can view tasks and usage. Members can also compress and delete files. Admins can also manage keys and people. Owners can do everything. Everybody can remove themselves.',
        )}
      </p>
      {isAtLeast(me.role, 'admin') && (
        <p>
          <button type="button" class="main" onClick={() => setInviting(true)}>
            {t('Invite a person')}
          </button>
        </p>
      )}
      {value.people.map((person) => (
        <PersonSection key={`${person.user_id} ${person.role}`} person={person} me={me} onAsk={setDoomed} onRole={setRole} />
      ))}
      {inviting && (
        <InviteDialog
          me={me}
          onClose={() => {
            setInviting(false)
            void reload()
          }}
        />
      )}
      {value.invitations.length > 0 && (
        <Invitations invitations={value.invitations} onAsk={isAtLeast(me.role, 'admin') ? setDoomed : undefined} />
      )}
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

/** Roles that a person may assign to others. */
const rolesUpTo = (role: Role) => ROLES.filter((one) => isAtLeast(role, one))

function InviteDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const [made, setMade] = useState<string>()
  const [error, setError] = useState<string>()
  const invite = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const body = { name: fields.get('name'), role: fields.get('role') }
    try {
      setMade((await call<{ invitation_url: string }>('POST', '/invitations', body)).invitation_url)
    } catch (problem) {
      setError(message(problem))
    }
  }
  return (
    <Dialog title={t('Invite a person')} onClose={onClose}>
      <Problem error={error} />
      {made ? (
        <>
          <p>{t('One person can use this link once, within seven days. The link is shown only now.')}</p>
          <pre class="secret">{made}</pre>
          <CopyButton text={made} />
        </>
      ) : (
        <form onSubmit={invite}>
          <label>
            {t('Name')}
            <input name="name" required maxLength={100} />
          </label>
          <label>
            {t('Role')}
            <select name="role" value="member">
              {rolesUpTo(me.role).map((role) => (
                <option key={role} value={role}>
                  {t(role)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="main">
            {t('Invite')}
          </button>
        </form>
      )}
    </Dialog>
  )
}

interface SectionProps {
  person: Person
  me: Me
  onAsk: Ask
  onRole: (person: Person, role: Role) => void
}

function PersonSection({ person, me, onAsk, onRole }: SectionProps) {
  const { name, passkeys, sessions, role } = person
  const isInCharge = isAtLeast(me.role, 'admin') && isAtLeast(me.role, role)
  const rows: Row[] = [
    ...passkeys.map((passkey) => ({
      id: passkey.passkey_id,
      what: t('Passkey'),
      since: passkey.created_at,
      note: `${t('Last used')}: ${passkey.last_used_at ? dateTime(passkey.last_used_at) : t('never')}`,
      doomed: {
        path: `/passkeys/${passkey.passkey_id}`,
        question: t('This passkey can no longer sign in, and all sessions of {name} end.', { name }),
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
        {isInCharge ? (
          <label>
            {t('Role')}{' '}
            <select value={role} onChange={(event) => onRole(person, event.currentTarget.value as Role)}>
              {rolesUpTo(me.role).map((one) => (
                <option key={one} value={one}>
                  {t(one)}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <span class="badge">{t(role)}</span>
        )}
        {(isInCharge || person.you) && (
          <button type="button" onClick={() => onAsk({ path: `/people/${person.user_id}`, question })}>
            {t('Remove person')}
          </button>
        )}
      </p>
      {rows.length > 0 && <Rows rows={rows} onAsk={isInCharge || person.you ? onAsk : undefined} />}
    </section>
  )
}

function Invitations({ invitations, onAsk }: { invitations: People['invitations']; onAsk: Ask | undefined }) {
  const rows = invitations.map(({ invitation_id, name, role, expires_at }) => ({
    id: invitation_id,
    what: name,
    note: `${t(role)} · ${t('Expires')}: ${dateTime(expires_at)}`,
    doomed: { path: `/invitations/${invitation_id}`, question: t('The invitation of {name} becomes invalid.', { name }) },
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

/** Without `onAsk`, the list is read-only. */
function Rows({ rows, onAsk }: { rows: Row[]; onAsk: Ask | undefined }) {
  return (
    <table class="cards">
      <tbody>
        {rows.map(({ id, what, since, note, doomed }) => (
          <tr key={id}>
            <th scope="row">{what}</th>
            <td>{since && dateTime(since)}</td>
            <td>{note}</td>
            <td class="actions">
              {onAsk && (
                <button type="button" onClick={() => onAsk(doomed)}>
                  {t('Remove')}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
