/** Callbacks: signing secret, test, alerts, and what was delivered. */
import { useState } from 'preact/hooks'
import { call, type Delivery } from '../api.ts'
import { t } from '../language.ts'
import { Card, ConfirmDialog, CopyButton, Dialog, Empty, For, Loading, message, Problem, useLoaded } from '../parts.tsx'
import { Deliveries } from './deliveries.tsx'

interface Payload {
  url: string
  body: string
}

interface Callbacks {
  webhook_secret?: string
  alert_url: string | null
  deliveries: Delivery[]
}

export function CallbacksPage() {
  const { value, error, reload, setError } = useLoaded(() => call<Callbacks>('GET', '/callbacks'))
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
  const rotate = () =>
    attempt(async () => {
      await call('POST', '/callbacks/rotate')
      setRotating(false)
    })
  if (!value) return <Loading error={error} />
  const saveAlerts = (url: string) => attempt(() => call('POST', '/callbacks/alerts', { url: url || null }))
  return (
    <div class="stack">
      <Problem error={error} />
      {value.webhook_secret !== undefined && <SigningSecret secret={value.webhook_secret} onRotate={() => setRotating(true)} />}
      <For atLeast="member">
        <div class="pair">
          <SendTest onSend={(url) => attempt(() => call('POST', '/callbacks/test', { url }))} />
          <For atLeast="admin">
            <Alerts key={value.alert_url} url={value.alert_url} onSave={saveAlerts} />
          </For>
        </div>
      </For>
      <Card title={t('Deliveries')}>
        {value.deliveries.length === 0 ? (
          <Empty icon="webhook" title={t('No deliveries yet')} text={t('Send a file with callback_url, or send a test above.')} />
        ) : (
          <Deliveries
            deliveries={value.deliveries}
            onPayload={(id) => attempt(async () => setPayload(await call<Payload>('GET', `/callbacks/messages/${id}`)))}
            onReplay={(id) => attempt(() => call('POST', '/callbacks/replay', { task_id: id }))}
          />
        )}
      </Card>
      {payload && <PayloadDialog payload={payload} onClose={() => setPayload(undefined)} />}
      {rotating && (
        <ConfirmDialog
          title={t('New secret')}
          text={t('The next deliveries will be signed with a new secret. Receivers that check with the old one will refuse them.')}
          action={t('New secret')}
          onConfirm={() => void rotate()}
          onClose={() => setRotating(false)}
        />
      )}
    </div>
  )
}

const PayloadDialog = ({ payload, onClose }: { payload: Payload; onClose: () => void }) => (
  <Dialog title={t('Payload')} onClose={onClose} isWide>
    <p class="muted breaks">{payload.url}</p>
    <pre class="snippet">{JSON.stringify(JSON.parse(payload.body), null, 2)}</pre>
  </Dialog>
)

function SigningSecret({ secret, onRotate }: { secret: string; onRotate: () => void }) {
  const [revealed, setRevealed] = useState(false)
  return (
    <Card title={t('Signing secret')} sub={t('Whittle signs every callback with it, so that receivers can check the sender.')}>
      <div class="card__body row">
        <code class="mono secret-line">{revealed ? secret : `${secret.slice(0, 8)}…`}</code>
        <button type="button" class="btn btn--sm" onClick={() => setRevealed(!revealed)}>
          {revealed ? t('Hide') : t('Show')}
        </button>
        <CopyButton text={secret} />
        <button type="button" class="btn btn--quiet btn--sm" onClick={onRotate}>
          {t('New secret')}
        </button>
      </div>
    </Card>
  )
}

const submitting = (send: (url: string) => void) => (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
  event.preventDefault()
  send(String(new FormData(event.currentTarget).get('url')))
}

const SendTest = ({ onSend }: { onSend: (url: string) => void }) => (
  <Card title={t('Send a test')} sub={t('A signed message to an address of yours.')}>
    <form class="card__body form" onSubmit={submitting(onSend)}>
      <label class="field">
        <span class="lab">{t('Address')}</span>
        <input class="input" type="url" name="url" required placeholder="https://hooks.example.com/whittle" />
      </label>
      <button type="submit" class="btn btn--primary">
        {t('Send')}
      </button>
    </form>
  </Card>
)

const Alerts = ({ url, onSave }: { url: string | null; onSave: (url: string) => void }) => (
  <Card title={t('Alerts')} sub={t('Sent when the storage is 80 % full and when it is full, each at most once a month.')}>
    <form class="card__body form" onSubmit={submitting(onSave)}>
      <label class="field">
        <span class="lab">{t('Address for alerts')}</span>
        <input class="input" type="url" name="url" defaultValue={url ?? ''} placeholder={t('no address')} />
      </label>
      <button type="submit" class="btn">
        {t('Save')}
      </button>
    </form>
  </Card>
)
