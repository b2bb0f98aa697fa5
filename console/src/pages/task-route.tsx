/** Where the file of a task came from, and where its result was sent. */
import { useState } from 'preact/hooks'
import { call, type Task } from '../api.ts'
import { t } from '../language.ts'
import { For, message, Problem } from '../parts.tsx'

const STATES = { pending: 'being sent', delivered: 'delivered', failed: 'not delivered' } as const

/** An address, or the connection and key of a bucket. */
const shownPlace = ({ url, connection, key, prefix }: NonNullable<Task['destination']>) => url ?? `${connection}: ${key ?? prefix}`

/** Nothing for a task whose file was sent and whose result is only kept here. */
export function TaskRoute({ task }: { task: Task }) {
  if (!task.source && !task.destination) return null
  return (
    <dl class="hashes">
      {task.source && (
        <>
          <dt>{t('Fetched from')}</dt>
          <dd class="breaks">{shownPlace(task.source)}</dd>
        </>
      )}
      {task.destination && (
        <>
          <dt>{t('Sent to')}</dt>
          <dd class="breaks">
            {shownPlace(task.destination)} <DeliveryState task={task} />
          </dd>
        </>
      )}
    </dl>
  )
}

function DeliveryState({ task }: { task: Task }) {
  const [delivery, setDelivery] = useState(task.delivery)
  const [error, setError] = useState('')
  if (!delivery) return null
  const { status, attempts, last_status: answer } = delivery
  const sendAgain = async () => {
    try {
      setDelivery((await call<Task>('POST', `/v1/tasks/${task.task_id}/deliveries`, {})).delivery)
    } catch (problem) {
      setError(message(problem))
    }
  }
  return (
    <span>
      <span class={status === 'delivered' ? 'badge badge--ok' : status === 'failed' ? 'badge badge--bad' : 'badge'}>
        {t(STATES[status])}
      </span>{' '}
      {attempts > 0 && <span class="faint">{[`${t('Attempt')} ${attempts}`, answer ?? t('no answer')].join(' · ')}</span>}{' '}
      {task.result && (
        <For atLeast="member">
          <button type="button" class="btn btn--quiet btn--sm" onClick={() => void sendAgain()}>
            {t('Send again')}
          </button>
        </For>
      )}
      <Problem error={error} />
    </span>
  )
}
