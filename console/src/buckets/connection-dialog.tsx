/** Form that saves a connection. The service checks the bucket before it saves. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, Refusal } from '../api.ts'
import { t } from '../language.ts'
import { Dialog, message, Problem } from '../parts.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { fieldsOf, SERVICES, type ServiceId, serviceOf } from './services.ts'
import type { Connection } from './types.ts'

interface DialogProps {
  /** Connection to change. Its credentials are not known here, so they are asked for again. `undefined`: a new one. */
  readonly of: Connection | undefined
  /** Names that are taken. */
  readonly names: readonly string[]
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Input of the form by the name of the API's field. */
const INPUTS: Readonly<Record<string, string>> = {
  ...{ container: 'bucket', account_name: 'place', endpoint: 'place' },
  ...{ secret_access_key: 'secret', account_key: 'secret', sas_token: 'secret' },
}

export function ConnectionDialog({ of, names, onClose, onSaved }: DialogProps) {
  const [service, setService] = useState<ServiceId>(of ? serviceOf(of).service : 'aws')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  }, [error])
  /** Shows the error, and moves to the field that it is about. */
  const refuse = (text: string, input?: string) => {
    setError(text)
    const element = input === undefined ? null : form.current?.elements.namedItem(input)
    if (element instanceof HTMLElement) element.focus()
  }
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy || !form.current) return
    const fields = new FormData(form.current)
    const name = of?.name ?? String(fields.get('name'))
    if (!of && names.includes(name)) return refuse(t('There is a connection with this name already.'), 'name')
    setBusy(true)
    setError(undefined)
    try {
      await call('PUT', `/v1/connections/${encodeURIComponent(name)}`, fieldsOf(service, fields, of))
      onSaved()
    } catch (problem) {
      const param = problem instanceof Refusal ? problem.detail.param : undefined
      refuse(message(problem), param === undefined ? undefined : (INPUTS[param] ?? param))
    }
    setBusy(false)
  }
  return (
    <Dialog title={of ? t('Change {name}', { name: of.name }) : t('New connection')} onClose={onClose}>
      <form class="form" ref={form} autoComplete="off" onSubmit={(event) => void save(event)}>
        {!of && <NameField />}
        <label class="field">
          <span class="lab">{t('Service')}</span>
          <select class="select" name="service" value={service} onChange={(event) => setService(event.currentTarget.value as ServiceId)}>
            {Object.entries(SERVICES).map(([id, title]) => (
              <option key={id} value={id}>
                {t(title)}
              </option>
            ))}
          </select>
        </label>
        <ConnectionFields key={service} service={service} of={of} />
        <p class="small muted">
          {t(
            'Whittle lists one object, and saves the connection only if that works. Credentials are stored encrypted and never shown again.',
          )}
        </p>
        <Problem error={error} />
        <div class="row">
          <button type="submit" class="btn btn--primary" aria-disabled={isBusy}>
            {t('Check and save')}
          </button>
          <button type="button" class="btn" onClick={onClose}>
            {t('Cancel')}
          </button>
          <span role="status" class="small muted">
            {isBusy && t('Checking the bucket…')}
          </span>
        </div>
      </form>
    </Dialog>
  )
}

const NameField = () => (
  <label class="field">
    <span class="lab">{t('Name')}</span>
    <input
      class="input"
      name="name"
      required
      maxLength={64}
      pattern="[a-z0-9][a-z0-9_\-]*"
      placeholder="shop"
      aria-describedby="name-hint"
    />
    <span id="name-hint" class="hint">
      {t('Small letters, digits, “-” and “_”. Requests name the bucket by it.')}
    </span>
  </label>
)
