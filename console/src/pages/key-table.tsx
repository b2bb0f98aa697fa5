/** Keys of an application. On a phone, a row is a labelled card. */
import type { Key } from '../api.ts'
import { dateTime, plural, t, timeAgo } from '../language.ts'
import { For } from '../parts.tsx'
import { SCOPES, scopesText } from '../scopes.ts'

type Handlers = Record<'onChange' | 'onReset' | 'onToggle' | 'onRemove', (key: Key) => void>

export function Keys(props: Handlers & { keys: Key[] }) {
  return (
    <table class="table table--keys">
      <thead>
        <tr>
          <th scope="col">{t('Key')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('May')}</th>
          <th scope="col">{t('Last used')}</th>
          <th scope="col">{t('Expires')}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {props.keys.map((key) => (
          <tr key={key.key_id}>
            <th scope="row">
              {key.name && <b>{key.name}</b>} <code class="mono faint">{key.masked}</code>
            </th>
            <td data-label={t('State')}>
              <State of={key} />
            </td>
            <td data-label={t('May')}>{scopesText(key.scopes)}</td>
            <td class="muted nowrap" data-label={t('Last used')}>
              {key.last_used_at ? <time dateTime={key.last_used_at}>{timeAgo(key.last_used_at)}</time> : t('never')}
            </td>
            <td class="muted nowrap" data-label={t('Expires')}>
              {key.expires_at ? dateTime(key.expires_at) : t('never')}
            </td>
            <td class="acts">
              <For atLeast="admin">
                <Actions of={key} {...props} />
              </For>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const DAY_MS = 86_400_000
/** Days before the end of a key from which the table warns. */
const SOON_DAYS = 7

function State({ of: { state, disabled_by, expires_at } }: { of: Key }) {
  if (state === 'expired') return <span class="badge badge--bad">{t('Expired')}</span>
  if (state === 'disabled') {
    return (
      <>
        <span class="badge">{t('Disabled')}</span>
        {disabled_by === 'operator' && <small class="faint">{t('by the operator')}</small>}
      </>
    )
  }
  const days = expires_at === undefined ? Number.POSITIVE_INFINITY : Math.ceil((Date.parse(expires_at) - Date.now()) / DAY_MS)
  if (days <= SOON_DAYS) return <span class="badge badge--warn">{plural(days, 'Expires in 1 day', 'Expires in {count} days')}</span>
  return <span class="badge badge--ok">{t('Active')}</span>
}

/** A key that the operator disabled can only be viewed. An expired key can only be deleted. */
function Actions({ of: key, onChange, onReset, onToggle, onRemove }: Handlers & { of: Key }) {
  const isOurs = key.disabled_by !== 'operator'
  const quiet = 'btn btn--quiet btn--sm'
  return (
    <span class="acts__in">
      {isOurs && key.state === 'disabled' && (
        <button type="button" class="btn btn--sm" onClick={() => onToggle(key)}>
          {t('Enable')}
        </button>
      )}
      {isOurs && key.state === 'active' && (
        <button type="button" class={quiet} onClick={() => onToggle(key)}>
          {t('Disable')}
        </button>
      )}
      {key.state !== 'expired' && (
        <button type="button" class={quiet} onClick={() => onChange(key)}>
          {t('Change')}
        </button>
      )}
      {isOurs && key.state !== 'expired' && (
        <button type="button" class={quiet} onClick={() => onReset(key)}>
          {t('Reset')}
        </button>
      )}
      {isOurs && key.state !== 'active' && (
        <button type="button" class={`${quiet} btn--danger`} onClick={() => onRemove(key)}>
          {t('Delete')}
        </button>
      )}
    </span>
  )
}

/** Fields for the name, the scopes and the expiry date of a key. */
export function KeyFields({ of: key }: { of?: Key }) {
  return (
    <>
      <label class="field">
        <span class="lab">
          {t('Name')} ({t('optional')})
        </span>
        <input class="input" name="name" maxLength={100} defaultValue={key?.name ?? ''} />
      </label>
      <fieldset class="field">
        <legend class="lab">{t('May')}</legend>
        {Object.entries(SCOPES).map(([scope, words]) => (
          <label key={scope} class="check">
            <input type="checkbox" name="scopes" value={scope} defaultChecked={!key || key.scopes.includes(scope)} /> {t(words)}{' '}
            <code class="mono faint">{scope}</code>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span class="lab">
          {t('Expires')} ({t('optional')})
        </span>
        <input class="input" type="date" name="expires" defaultValue={key?.expires_at?.slice(0, 10)} />
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
