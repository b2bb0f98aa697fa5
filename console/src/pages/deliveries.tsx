/** Deliveries of callbacks and results, newest first. On a phone, a row is a labelled card. */
import type { Delivery } from '../api.ts'
import { dateTime, t, timeAgo } from '../language.ts'
import { For } from '../parts.tsx'

interface DeliveryActions {
  readonly onPayload: (taskId: string) => void
  readonly onReplay: (taskId: string) => void
}

export function Deliveries({ deliveries, onPayload, onReplay }: DeliveryActions & { deliveries: readonly Delivery[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('Address')}</th>
          <th scope="col">{t('Answer')}</th>
          <th scope="col" class="r">
            {t('Attempt')}
          </th>
          <th scope="col">{t('When')}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <DeliveryRow key={`${delivery.message_id} ${delivery.at}`} delivery={delivery} onPayload={onPayload} onReplay={onReplay} />
        ))}
      </tbody>
    </table>
  )
}

const KINDS = { destination: 'a result', alert: 'an alert', test: 'a test' } as const

const isTaken = ({ status }: Delivery) => status >= 200 && status < 300

function DeliveryRow({ delivery, onPayload, onReplay }: DeliveryActions & { delivery: Delivery }) {
  const id = delivery.kind === 'task' ? delivery.task_id : null
  const facts = [delivery.error, `${delivery.ms} ms`, delivery.answer].filter(Boolean)
  return (
    <tr>
      <th scope="row" class="breaks">
        {delivery.url} {delivery.kind !== 'task' && <span class="badge">{t(KINDS[delivery.kind])}</span>}
      </th>
      <td data-label={t('Answer')}>
        <span>
          <span class={isTaken(delivery) ? 'badge badge--ok' : 'badge badge--bad'}>{delivery.status || t('no answer')}</span>{' '}
          <span class="faint breaks">{facts.join(' · ')}</span>
        </span>
      </td>
      <td class="r" data-label={t('Attempt')}>
        {delivery.attempt}
      </td>
      <td class="muted nowrap" data-label={t('When')}>
        <time dateTime={delivery.at} title={dateTime(delivery.at)}>
          {timeAgo(delivery.at)}
        </time>
      </td>
      <td class="acts">
        {id && (
          <span class="acts__in">
            <button type="button" class="btn btn--quiet btn--sm" onClick={() => onPayload(id)}>
              {t('Payload')}
            </button>
            <For atLeast="member">
              <button type="button" class="btn btn--quiet btn--sm" onClick={() => onReplay(id)}>
                {t('Replay')}
              </button>
            </For>
          </span>
        )}
      </td>
    </tr>
  )
}
