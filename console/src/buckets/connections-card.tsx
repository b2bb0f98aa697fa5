/** Connections of the account: list, form, deletion. */
import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { dateTime, t, timeAgo } from '../language.ts'
import { Card, ConfirmDialog, Empty, Loading, message, Problem } from '../parts.tsx'
import { ConnectionDialog } from './connection-dialog.tsx'
import { bucketOf, hostOf, SERVICES, serviceOf } from './services.ts'
import type { Connection } from './types.ts'

interface CardProps {
  /** `undefined`: they are being loaded. */
  readonly connections: readonly Connection[] | undefined
  readonly error: string | undefined
  readonly reload: () => Promise<void>
  /** True if this person or key may change connections. */
  readonly mayChange: boolean
}

export function ConnectionsCard({ connections, error, reload, mayChange }: CardProps) {
  const [asked, setAsked] = useState<{ readonly of?: Connection; readonly remove?: Connection }>()
  const [problem, setProblem] = useState<string>()
  const close = () => setAsked(undefined)
  const remove = async ({ name }: Connection) => {
    close()
    try {
      await call('DELETE', `/v1/connections/${name}`)
      setProblem(undefined)
    } catch (failure) {
      setProblem(message(failure))
    }
    await reload()
  }
  const saved = async () => {
    close()
    await reload()
  }
  if (!connections) return <Loading error={error} />
  return (
    <Card
      title={t('Connections')}
      sub={t('Buckets of other services, by a name that requests use.')}
      end={mayChange && <NewButton onClick={() => setAsked({})} />}
    >
      <Problem error={problem ?? error} />
      {connections.length === 0 ? (
        <Empty
          icon="database"
          title={t('No connections yet')}
          text={t(
            mayChange ? 'Connect a bucket of S3, R2, Google Cloud Storage, B2, MinIO or Azure.' : 'Admins and owners can change this.',
          )}
        />
      ) : (
        <ConnectionTable
          connections={connections}
          mayChange={mayChange}
          onChange={(of) => setAsked({ of })}
          onRemove={(one) => setAsked({ remove: one })}
        />
      )}
      {asked && !asked.remove && (
        <ConnectionDialog of={asked.of} names={connections.map(({ name }) => name)} onClose={close} onSaved={() => void saved()} />
      )}
      {asked?.remove && (
        <ConfirmDialog
          title={t('Delete {name}?', { name: asked.remove.name })}
          text={t(
            'Syncs and tasks that need it fail, and its pictures on the fly are no longer fetched. The bucket itself stays as it is.',
          )}
          action={t('Delete')}
          isDanger
          onConfirm={() => void remove(asked.remove!)}
          onClose={close}
        />
      )}
    </Card>
  )
}

const NewButton = ({ onClick }: { onClick: () => void }) => (
  <button type="button" class="btn btn--sm" onClick={onClick}>
    <Icon name="plus" />
    {t('New connection')}
  </button>
)

interface TableProps {
  readonly connections: readonly Connection[]
  readonly mayChange: boolean
  readonly onChange: (connection: Connection) => void
  readonly onRemove: (connection: Connection) => void
}

const ConnectionTable = ({ connections, mayChange, onChange, onRemove }: TableProps) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{t('Name')}</th>
        <th scope="col">{t('Service')}</th>
        <th scope="col">{t('Bucket')}</th>
        <th scope="col">{t('Endpoint')}</th>
        <th scope="col">{t('Checked')}</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {connections.map((one) => (
        <tr key={one.name}>
          <th scope="row">
            <b>{one.name}</b>
          </th>
          <td data-label={t('Service')}>{t(SERVICES[serviceOf(one).service])}</td>
          <td class="breaks" data-label={t('Bucket')}>
            {bucketOf(one)}
          </td>
          <td class="muted breaks" data-label={t('Endpoint')}>
            {hostOf(one)}
          </td>
          <td class="muted nowrap" data-label={t('Checked')}>
            <time dateTime={one.saved_at} title={dateTime(one.saved_at)}>
              {timeAgo(one.saved_at)}
            </time>
          </td>
          <td class="acts">{mayChange && <Actions of={one} onChange={onChange} onRemove={onRemove} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Actions = ({ of, onChange, onRemove }: Pick<TableProps, 'onChange' | 'onRemove'> & { of: Connection }) => (
  <span class="acts__in">
    <button type="button" class="btn btn--quiet btn--sm" aria-label={t('Change {name}', { name: of.name })} onClick={() => onChange(of)}>
      {t('Change')}
    </button>
    <button
      type="button"
      class="btn btn--quiet btn--sm btn--danger"
      aria-label={t('Delete {name}', { name: of.name })}
      onClick={() => onRemove(of)}
    >
      {t('Delete')}
    </button>
  </span>
)
