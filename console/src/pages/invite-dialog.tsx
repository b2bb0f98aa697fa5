import { useState } from 'preact/hooks'
import { call, isAtLeast, type Me, ROLES, type Role } from '../api.ts'
import { t } from '../language.ts'
import { CopyButton, Dialog, message, Problem } from '../parts.tsx'

/** Roles that a person may assign to others. */
export const rolesUpTo = (role: Role) => ROLES.filter((one) => isAtLeast(role, one))

export function InviteDialog({ me, onClose }: { me: Me; onClose: () => void }) {
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
          <CopyButton text={made} isMain />
        </>
      ) : (
        <form class="form" onSubmit={invite}>
          <label class="field">
            <span class="lab">{t('Name')}</span>
            <input class="input" name="name" required maxLength={100} />
          </label>
          <label class="field">
            <span class="lab">{t('Role')}</span>
            <select class="select" name="role" value="member">
              {rolesUpTo(me.role).map((role) => (
                <option key={role} value={role}>
                  {t(role)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="btn btn--primary">
            {t('Invite')}
          </button>
        </form>
      )}
    </Dialog>
  )
}
