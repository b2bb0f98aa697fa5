/** Syncs of the account: list, start, stop, resume, details. */
import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { Card, ConfirmDialog, Empty, For, Loading, message, Problem } from '../parts.tsx'
import { StartDialog } from './start-dialog.tsx'
import { SyncDetails } from './sync-details.tsx'
import { MAX_STREAMS, routeText, useSyncs } from './sync-list.ts'
import { SyncRow } from './sync-row.tsx'
import { type Connection, isOpen, type Sync } from './types.ts'

type Asked = { readonly what: 'start' } | { readonly what: 'details' | 'stop'; readonly id: string }

export function SyncsCard({ connections }: { connections: readonly Connection[] | undefined }) {
  const { syncs, cursor, error, setError, more, put, news } = useSyncs()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const attempt = async (work: Promise<Sync>) => {
    close()
    try {
      put(await work)
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  if (!syncs) return <Loading error={error} />
  const streamed = new Set(syncs.filter(isOpen).slice(0, MAX_STREAMS))
  const found = asked && asked.what !== 'start' ? syncs.find(({ sync_id }) => sync_id === asked.id) : undefined
  return (
    <Card
      title={t('Syncs')}
      sub={t('Each compresses the objects of a bucket into another bucket or prefix. The service goes on when this page is closed.')}
      end={connections && connections.length > 0 && <NewButton onClick={() => setAsked({ what: 'start' })} />}
    >
      <Problem error={error} />
      <p role="status" class="vh">
        {news}
      </p>
      {syncs.length === 0 ? (
        <Empty
          icon="database"
          title={t('No syncs yet')}
          text={t('With a connection, a sync can compress a whole bucket. It estimates first.')}
        />
      ) : (
        <table class="table">
          <Head />
          <tbody>
            {syncs.map((sync) => (
              <SyncRow
                key={sync.sync_id}
                {...{ sync, put, isStreamed: streamed.has(sync) }}
                onDetails={() => setAsked({ what: 'details', id: sync.sync_id })}
                onStop={() => setAsked({ what: 'stop', id: sync.sync_id })}
                onResume={() => void attempt(call('POST', `/v1/syncs/${sync.sync_id}/resume`))}
              />
            ))}
          </tbody>
        </table>
      )}
      {cursor && (
        <p class="more card__foot">
          <button type="button" class="btn" onClick={() => void more(cursor)}>
            {t('Load more')}
          </button>
        </p>
      )}
      {asked?.what === 'start' && <StartDialog connections={connections ?? []} syncs={syncs} put={put} onClose={close} />}
      {found && asked?.what === 'details' && <SyncDetails sync={found} onClose={close} />}
      {found && asked?.what === 'stop' && (
        <ConfirmDialog
          title={t('Stop this sync?')}
          text={t('{route}. What was written stays, and a later sync skips it.', { route: routeText(found) })}
          action={t('Stop')}
          isDanger
          onConfirm={() => void attempt(call('DELETE', `/v1/syncs/${found.sync_id}`))}
          onClose={close}
        />
      )}
    </Card>
  )
}

const NewButton = ({ onClick }: { onClick: () => void }) => (
  <For atLeast="member">
    <button type="button" class="btn btn--sm" onClick={onClick}>
      <Icon name="plus" />
      {t('New sync')}
    </button>
  </For>
)

const Head = () => (
  <thead>
    <tr>
      <th scope="col">{t('From and to')}</th>
      <th scope="col">{t('State')}</th>
      <th scope="col">{t('Objects')}</th>
      <th scope="col">{t('Saved')}</th>
      <th scope="col" class="r">
        {t('Failed')}
      </th>
      <td />
    </tr>
  </thead>
)
