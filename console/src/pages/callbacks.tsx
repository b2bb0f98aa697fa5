import { useState } from 'preact/hooks'
import { call, type Delivery } from '../api.ts'
import { dateTime, t } from '../language.ts'
import { CopyButton, Dialog, message, Problem, useLoaded } from '../parts.tsx'

export function CallbacksPage() {
  const { value, error, reload, setError } = useLoaded(() => call<{ webhook_secret: string; deliveries: Delivery[] }>('GET', '/callbacks'))
  const [revealed, setRevealed] = useState(false)
  const [rotating, setRotating] = useState(false)
  const [payload, setPayload] = useState<{ url: string; body: string }>()
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
      await reload()
    } catch (problem) {
      setError(message(problem))
    }
  }
  if (!value) return <Problem error={error} />
  return (
    <>
      <Problem error={error} />
      <h2>{t('Signing secret')}</h2>
      <p class="actions">
        <code class="secret">{revealed ? value.webhook_secret : `${value.webhook_secret.slice(0, 8)}…`}</code>
        <button type="button" onClick={() => setRevealed(!revealed)}>
          {revealed ? t('Hide') : t('Show')}
        </button>
        <CopyButton text={value.webhook_secret} />
        <button type="button" onClick={() => setRotating(true)}>
          {t('New secret')}
        </button>
      </p>
      <h2>{t('Send a test')}</h2>
      <form
        class="wishes"
        onSubmit={(event) => {
          event.preventDefault()
          const url = new FormData(event.currentTarget).get('url')
          void attempt(() => call('POST', '/callbacks/test', { url }))
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
      <h2>{t('Deliveries')}</h2>
      {value.deliveries.length === 0 && <p>{t('No deliveries yet.')}</p>}
      {value.deliveries.length > 0 && (
        <div class="scroll">
          <table>
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
              {value.deliveries.map((delivery) => (
                <tr key={`${delivery.message_id} ${delivery.at}`}>
                  <td>{dateTime(delivery.at)}</td>
                  <td>{delivery.url}</td>
                  <td>
                    {delivery.status || (delivery.error ?? t('no answer'))} <small>{delivery.ms} ms</small>{' '}
                    {delivery.answer && <small>{delivery.answer}</small>}
                  </td>
                  <td>{delivery.attempt}</td>
                  <td class="actions">
                    {delivery.task_id && (
                      <>
                        <button
                          type="button"
                          onClick={() =>
                            attempt(async () =>
                              setPayload(await call<{ url: string; body: string }>('GET', `/callbacks/messages/${delivery.task_id}`)),
                            )
                          }
                        >
                          {t('Payload')}
                        </button>
                        <button
                          type="button"
                          onClick={() => attempt(() => call('POST', '/callbacks/replay', { task_id: delivery.task_id }))}
                        >
                          {t('Replay')}
                        </button>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
