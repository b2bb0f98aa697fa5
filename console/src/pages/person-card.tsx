/** One person with passkeys and sessions, and the open invitations. */
import { isAtLeast, type Me, type People, type Person, type Role } from '../api.ts'
import { dateTime, t, timeAgo } from '../language.ts'
import { Card } from '../parts.tsx'
import { rolesUpTo } from './invite-dialog.tsx'

/** Object to remove, and the text of the confirmation. */
export interface Doomed {
  readonly path: string
  readonly question: string
}

type Ask = (doomed: Doomed) => void

interface PersonCardProps {
  readonly person: Person
  readonly me: Me
  readonly onAsk: Ask
  readonly onRole: (person: Person, role: Role) => void
}

export function PersonCard({ person, me, onAsk, onRole }: PersonCardProps) {
  const { name, role } = person
  const isInCharge = isAtLeast(me.role, 'admin') && isAtLeast(me.role, role)
  const rows = rowsOf(person)
  const question = t('{name} will be signed out, and will need a new invitation.', { name })
  const end = (
    <div class="row">
      {isInCharge ? (
        <label class="row inline-field">
          <span class="small muted">{t('Role')}</span>
          <select class="select" value={role} onChange={(event) => onRole(person, event.currentTarget.value as Role)}>
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
        <button
          type="button"
          class="btn btn--quiet btn--sm btn--danger"
          onClick={() => onAsk({ path: `/people/${person.user_id}`, question })}
        >
          {t('Remove person')}
        </button>
      )}
    </div>
  )
  return (
    <Card title={name} sub={person.you ? t('you') : undefined} end={end} isNamed>
      {rows.length > 0 && <Rows rows={rows} onAsk={isInCharge || person.you ? onAsk : undefined} />}
    </Card>
  )
}

const rowsOf = ({ name, passkeys, sessions }: Person): Row[] => [
  ...passkeys.map((passkey) => ({
    id: passkey.passkey_id,
    what: t('Passkey'),
    since: passkey.created_at,
    note: [t('Last used'), passkey.last_used_at ? timeAgo(passkey.last_used_at) : t('never')] as const,
    doomed: {
      path: `/passkeys/${passkey.passkey_id}`,
      question: t('This passkey can no longer sign in, and all sessions of {name} end.', { name }),
    },
  })),
  ...sessions.map((session) => ({
    id: session.session_id,
    what: session.current ? t('This session') : t('Session'),
    since: session.created_at,
    note: [t('Expires'), dateTime(session.expires_at)] as const,
    doomed: { path: `/sessions/${session.session_id}`, question: t('This session of {name} ends now.', { name }) },
  })),
]

export function Invitations({ invitations, onAsk }: { invitations: People['invitations']; onAsk: Ask | undefined }) {
  const rows = invitations.map(({ invitation_id, name, role, expires_at }) => ({
    id: invitation_id,
    what: `${name} · ${t(role)}`,
    note: [t('Expires'), dateTime(expires_at)] as const,
    doomed: { path: `/invitations/${invitation_id}`, question: t('The invitation of {name} becomes invalid.', { name }) },
  }))
  return (
    <Card title={t('Invitations')} sub={t('Not used yet.')}>
      <Rows rows={rows} onAsk={onAsk} />
    </Card>
  )
}

interface Row {
  readonly id: string
  readonly what: string
  readonly since?: string | undefined
  /** Label and value. */
  readonly note: readonly [label: string, value: string]
  readonly doomed: Doomed
}

/** Without `onAsk`, the list is read-only. */
const Rows = ({ rows, onAsk }: { rows: readonly Row[]; onAsk: Ask | undefined }) => (
  <table class="table table--rows">
    <tbody>
      {rows.map(({ id, what, since, note, doomed }) => (
        <tr key={id}>
          <th scope="row">{what}</th>
          <td class="muted" {...(since && { 'data-label': t('Created') })}>
            {since && dateTime(since)}
          </td>
          <td class="muted" data-label={note[0]}>
            <span class="only-wide">{note[0]}: </span>
            {note[1]}
          </td>
          <td class="acts">
            {onAsk && (
              <button type="button" class="btn btn--quiet btn--sm btn--danger" onClick={() => onAsk(doomed)}>
                {t('Remove')}
              </button>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
