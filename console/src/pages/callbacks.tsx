import { useState } from 'preact/hooks'
import { call, type Delivery } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { CopyButton, Dialog, For, Loading, message, Problem, useLoaded } from '../parts.tsx'

interface Payload {
  url: string
  body: string
}

export function CallbacksPage() {
  const { value, error, reload, setError } = useLoaded(() =>
    call<{ webhook_secret?: string; alert_url: string | null; deliveries: Delivery[] }>('GET', '/callbacks'),
  )
  const [rotating, setRotating] = useState(false)
  const [payload, setPayload] = useState<Payload>()
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
      await reload()
    } catch (problem) {
      setError(message(problem))
    }
  }
  if (!value) return <Loading error={error} />
  return (
    <>
      <Problem error={error} />
      {value.webhook_secret !== undefined && <SigningSecret secret={value.webhook_secret} onRotate={() => setRotating(true)} />}
      <For atLeast="member">
        <SendTest onSend={(url) => attempt(() => call('POST', '/callbacks/test', { url }))} />
      </For>
      <For atLeast="admin">
        <Alerts
          key={value.alert_url}
          url={value.alert_url}
          onSave={(url) => attempt(() => call('POST', '/callbacks/alerts', { url: url || null }))}
        />
      </For>
      <h2>{t('Deliveries')}</h2>
      {value.deliveries.length === 0 && <p>{t('No deliveries yet.')}</p>}
      {value.deliveries.length > 0 && (
        <Deliveries
          deliveries={value.deliveries}
          onPayload={(id) => attempt(async () => setPayload(await call<Payload>('GET', `/callbacks/messages/${id}`)))}
          onReplay={(id) => attempt(() => call('POST', '/callbacks/replay', { task_id: id }))}
        />
      )}
      {payload && (
        <Dialog title={t('Payload')} onClose={() => setPayload(undefined)}>
          <p>{payload.url}</p>
          <pre>{JSON.stringify(JSON.parse(payload.body), null, 2)}</pre>
        </Dialog>
      )}
      {rotating && (
        <Dialog title={t('New secret')} onClose={() => setRotating(false)}>
          <p>{t('The next deliveries will be signed with a new secret. Receivers that check with the old one will refuse them.')}</p>
          <button
            type="button"
            class="main"
            onClick={() =>
              attempt(async () => {
                await call('POST', '/callbacks/rotate')
                setRotating(false)
              })
            }
          >
            {t('New secret')}
          </button>
        </Dialog>
      )}
    </>
  )
}

function SigningSecret({ secret, onRotate }: { secret: string; onRotate: () => void }) {
  const [revealed, setRevealed] = useState(false)
  return (
    <>
      <h2>{t('Signing secret')}</h2>
      <p class="actions">
        <code class="secret">{revealed ? secret : `${secret.slice(0, 8)}…`}</code>
        <button type="button" onClick={() => setRevealed(!revealed)}>
          {revealed ? t('Hide') : t('Show')}
        </button>
        <CopyButton text={secret} />
        <button type="button" onClick={onRotate}>
          {t('New secret')}
        </button>
      </p>
    </>
  )
}

function SendTest({ onSend }: { onSend: (url: string) => void }) {
  return (
    <>
      <h2>{t('Send a test')}</h2>
      <form
        class="wishes"
        onSubmit={(event) => {
          event.preventDefault()
          onSend(String(new FormData(event.currentTarget).get('url')))
        }}
      >
        <label>
          {t('Address')}
          <input type="url" name="url" required placeholder="https://hooks.example.com/whittle" />
        </label>
        <button type="submit" class="main">
          {t('Send')}
        </button>
      </form>
    </>
  )
}

function Alerts({ url, onSave }: { url: string | null; onSave: (url: string) => void }) {
  return (
    <>
      <h2>{t('Alerts')}</h2>
      <p>{t('Whittle sends an alert when the storage is 80 % full and when it is full, each at most once a month.')}</p>
      <form
        class="wishes"
        onSubmit={(event) => {
          event.preventDefault()
          onSave(String(new FormData(event.currentTarget).get('url')))
        }}
      >
        <label>
          {t('Address for alerts')}
          <input type="url" name="url" defaultValue={url ?? ''} placeholder={t('no address')} />
        </label>
        <button type="submit">{t('Save')}</button>
      </form>
    </>
  )
}

interface DeliveryActions {
  readonly onPayload: (taskId: string) => void
  readonly onReplay: (taskId: string) => void
}

function Deliveries({ deliveries, onPayload, onReplay }: DeliveryActions & { deliveries: readonly Delivery[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{t('Time')}</th>
          <th scope="col">{t('Address')}</th>
          <th scope="col">{t('Answer')}</th>
          <th scope="col">{t('Attempt')}</th>
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

const KINDS = { alert: 'an alert', test: 'a test' } as const

const isTaken = ({ status }: Delivery) => status >= 200 && status < 300

function DeliveryRow({ delivery, onPayload, onReplay }: DeliveryActions & { delivery: Delivery }) {
  const id = delivery.task_id
  return (
    <tr>
      <td>{dateTime(delivery.at)}</td>
      <td>
        {delivery.url} {delivery.kind !== 'task' && <small>{t(KINDS[delivery.kind])}</small>}
      </td>
      <td>
        <span class={isTaken(delivery) ? 'badge good' : 'badge bad'}>{delivery.status || t('no answer')}</span>{' '}
        {delivery.error && <small>{delivery.error}</small>} <small>{delivery.ms} ms</small>{' '}
        {delivery.answer && <small>{delivery.answer}</small>}
      </td>
      <td data-label={t('Attempt')}>{delivery.attempt}</td>
      <td class="actions">
        {id && (
          <>
            <button type="button" onClick={() => onPayload(id)}>
              {t('Payload')}
            </button>
            <For atLeast="member">
              <button type="button" onClick={() => onReplay(id)}>
                {t('Replay')}
              </button>
            </For>
          </>
        )}
      </td>
    </tr>
  )
}
