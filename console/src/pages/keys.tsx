import type { Key } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { For } from '../parts.tsx'

const SCOPES = ['compress', 'tasks:read', 'tasks:delete', 'usage:read']

const STATES = { active: 'badge good', disabled: 'badge bad', expired: 'badge' } as const

type Handlers = Record<'onChange' | 'onReset' | 'onToggle' | 'onRemove', (key: Key) => void>

export function Keys(props: Handlers & { keys: Key[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{t('Key')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Plan')}</th>
          <th scope="col">{t('Scopes')}</th>
          <th scope="col">{t('Last used')}</th>
          <th scope="col">{t('Expires')}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {props.keys.map((key) => (
          <tr key={key.key_id}>
            <th scope="row">
              {key.name && <>{key.name} </>}
              <code>{key.masked}</code>
            </th>
            <td>
              <span class={STATES[key.state]}>{t(key.state)}</span>
            </td>
            <td data-label={t('Plan')}>{key.plan}</td>
            <td data-label={t('Scopes')}>{key.scopes.length === SCOPES.length ? t('all') : key.scopes.join(', ')}</td>
            <td class="number" data-label={t('Last used')}>
              {key.last_used_at ? dateTime(key.last_used_at) : t('never')}
            </td>
            <td class="number" data-label={t('Expires')}>
              {key.expires_at ? dateTime(key.expires_at) : t('never')}
            </td>
            <td class="actions">
              <For atLeast="admin">
                {key.state !== 'expired' && (
                  <>
                    <button type="button" onClick={() => props.onChange(key)}>
                      {t('Change')}
                    </button>
                    {key.disabled_by !== 'operator' && (
                      <>
                        <button type="button" onClick={() => props.onReset(key)}>
                          {t('Reset')}
                        </button>
                        <button type="button" onClick={() => props.onToggle(key)}>
                          {key.state === 'disabled' ? t('Enable') : t('Disable')}
                        </button>
                      </>
                    )}
                  </>
                )}
                {key.state !== 'active' && key.disabled_by !== 'operator' && (
                  <button type="button" onClick={() => props.onRemove(key)}>
                    {t('Delete')}
                  </button>
                )}
              </For>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Fields for the scopes and the expiry date of a key. */
export function KeyFields({ of: key }: { of?: Key }) {
  return (
    <>
      <label>
        {t('Name')} ({t('optional')})
        <input name="name" maxLength={100} defaultValue={key?.name ?? ''} />
      </label>
      <fieldset>
        <legend>{t('Scopes')}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" name="scopes" value={scope} defaultChecked={!key || key.scopes.includes(scope)} /> {scope}
          </label>
        ))}
      </fieldset>
      <label>
        {t('Expires')} ({t('optional')})
        <input type="date" name="expires" defaultValue={key?.expires_at?.slice(0, 10)} />
      </label>
    </>
  )
}

/** Converts the form fields to the API's format. No date: the key never expires. */
export function keyOptionsFrom(fields: FormData) {
  const day = String(fields.get('expires') ?? '')
  return {
    name: String(fields.get('name') ?? '').trim(),
    scopes: fields.getAll('scopes'),
    expires_at: day ? new Date(day).toISOString() : null,
  }
}
