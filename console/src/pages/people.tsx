/** People of the account: roles, passkeys, sessions and invitations. */
import { useState } from 'preact/hooks'
import { call, isAtLeast, type People, type Person, type Role } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { ConfirmDialog, Loading, message, Problem, useLoaded } from '../parts.tsx'
import type { PageProps } from './compress.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { type Doomed, Invitations, PersonCard } from './person-card.tsx'

export function PeoplePage({ me }: PageProps) {
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
  const endInviting = () => {
    setInviting(false)
    void reload()
  }
  if (!value) return <Loading error={error} />
  const isAdmin = isAtLeast(me.role, 'admin')
  return (
    <>
      <div class="intro">
        <Roles />
        {isAdmin && (
          <button type="button" class="btn btn--primary" onClick={() => setInviting(true)}>
            <Icon name="plus" />
            {t('Invite a person')}
          </button>
        )}
      </div>
      <Problem error={error} />
      <div class="stack">
        {value.people.map((person) => (
          <PersonCard key={`${person.user_id} ${person.role}`} person={person} me={me} onAsk={setDoomed} onRole={setRole} />
        ))}
        {value.invitations.length > 0 && <Invitations invitations={value.invitations} onAsk={isAdmin ? setDoomed : undefined} />}
      </div>
      {inviting && <InviteDialog me={me} onClose={endInviting} />}
      {doomed && (
        <ConfirmDialog
          title={t('Are you sure?')}
          text={doomed.question}
          action={t('Remove')}
          isDanger
          onConfirm={() => void remove(doomed.path)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </>
  )
}

const Roles = () => (
  <p class="muted">
    {t(
      'Viewers can view tasks and usage. Members can also compress and delete files. Admins can also manage keys, connections and people. Owners can do everything. Everybody can remove themselves.',
    )}
  </p>
)
