/** Starts a sync: its places and level, then an estimate, then the confirmation. */
import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { bytes, countText, plural, t } from '../language.ts'
import { Dialog, message, Problem } from '../parts.tsx'
import { upper } from '../wishes.ts'
import { cpuTime, EstimateTable } from './sync-details.tsx'
import { routeText } from './sync-list.ts'
import { type Connection, isOpen, type Place, type Sync } from './types.ts'

interface Fields {
  readonly source: Place
  readonly destination: Place
  readonly quality: string
}

interface StartProps {
  readonly connections: readonly Connection[]
  /** Known syncs. The one that estimates is among them, and up to date. */
  readonly syncs: readonly Sync[]
  readonly put: (sync: Sync) => void
  readonly onClose: () => void
}

export function StartDialog({ connections, syncs, put, onClose }: StartProps) {
  const [fields, setFields] = useState<Fields>()
  const [estimateId, setEstimateId] = useState<string>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const estimate = syncs.find(({ sync_id }) => sync_id === estimateId)
  const begin = async (wanted: Fields, isDry: boolean) => {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const sync = await call<Sync>('POST', '/v1/syncs', { ...wanted, dry_run: isDry })
      put(sync)
      if (isDry) setEstimateId(sync.sync_id)
      else onClose()
    } catch (problem) {
      setError(message(problem))
    }
    setBusy(false)
  }
  const back = () => {
    setEstimateId(undefined)
    if (estimate && isOpen(estimate)) void call<Sync>('DELETE', `/v1/syncs/${estimate.sync_id}`).then(put, () => undefined)
  }
  return (
    <Dialog title={estimate ? routeText(estimate) : t('New sync')} onClose={onClose} isWide>
      <Problem error={error} />
      {estimate && fields ? (
        <EstimateStep estimate={estimate} isBusy={isBusy} onStart={() => void begin(fields, false)} onBack={back} />
      ) : (
        <PlacesStep
          {...{ connections, fields, isBusy, onClose }}
          onNext={(wanted) => {
            setFields(wanted)
            void begin(wanted, true)
          }}
        />
      )}
    </Dialog>
  )
}

interface PlacesProps {
  readonly connections: readonly Connection[]
  /** What the person wrote before they went back. */
  readonly fields: Fields | undefined
  readonly isBusy: boolean
  readonly onNext: (fields: Fields) => void
  readonly onClose: () => void
}

const LEVELS = ['low', 'medium', 'high', 'ultra'] as const

function PlacesStep({ connections, fields, isBusy, onNext, onClose }: PlacesProps) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    onNext({
      source: { connection: text('source'), prefix: text('source_prefix') },
      destination: { connection: text('destination'), prefix: text('destination_prefix') },
      quality: text('quality'),
    })
  }
  return (
    <form class="form" onSubmit={submit}>
      <PlaceFields name="source" title={t('From')} {...{ connections, place: fields?.source, placeholder: 'photos/' }} />
      <PlaceFields name="destination" title={t('To')} {...{ connections, place: fields?.destination, placeholder: 'small/' }} />
      <label class="field">
        <span class="lab">{t('Quality')}</span>
        <select class="select" name="quality" value={fields?.quality ?? 'medium'}>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {upper(t(level))}
            </option>
          ))}
        </select>
      </label>
      <p class="small muted">{t('The next step only lists and estimates. Nothing is written before you confirm.')}</p>
      <div class="row">
        <button type="submit" class="btn btn--primary" aria-disabled={isBusy}>
          {t('Estimate')}
        </button>
        <button type="button" class="btn" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  )
}

interface PlaceProps {
  readonly name: string
  readonly title: string
  readonly connections: readonly Connection[]
  readonly place: Place | undefined
  readonly placeholder: string
}

const PlaceFields = ({ name, title, connections, place, placeholder }: PlaceProps) => (
  <fieldset class="field sync-place">
    <legend class="lab">{title}</legend>
    <label class="field">
      <span class="hint">{t('Connection')}</span>
      <select class="select" name={name} value={place?.connection ?? connections[0]?.name}>
        {connections.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
    </label>
    <label class="field">
      <span class="hint">{t('Beginning of the keys; empty: the whole bucket')}</span>
      <input
        class="input"
        name={`${name}_prefix`}
        defaultValue={place?.prefix ?? ''}
        placeholder={placeholder}
        autoCapitalize="none"
        spellcheck={false}
      />
    </label>
  </fieldset>
)

interface EstimateProps {
  readonly estimate: Sync
  readonly isBusy: boolean
  readonly onStart: () => void
  readonly onBack: () => void
}

function EstimateStep({ estimate, isBusy, onStart, onBack }: EstimateProps) {
  const isDone = estimate.status === 'completed'
  const open = estimate.found - estimate.skipped
  return (
    <>
      <p role="status">{summaryOf(estimate)}</p>
      {estimate.reason && <Problem error={estimate.reason.message} />}
      {isDone && estimate.estimates.length > 0 && <EstimateTable sync={estimate} />}
      <div class="row">
        {isDone && open > 0 && (
          <button type="button" class="btn btn--primary" aria-disabled={isBusy} onClick={onStart}>
            {plural(open, 'Compress 1 object', 'Compress {count} objects')}
          </button>
        )}
        <button type="button" class="btn" onClick={onBack}>
          {t('Back')}
        </button>
      </div>
    </>
  )
}

/** What the estimate says, in one or two sentences. */
function summaryOf({ status, found, skipped, estimates, estimated_size, estimated_cpu_seconds }: Sync): string {
  if (status === 'estimating' || status === 'paused') return t('Listing the objects: {count} found so far.', { count: countText(found) })
  if (status !== 'completed') return t('The estimate has ended early.')
  if (found === 0) return t('No key begins like this.')
  if (found === skipped) return t('An earlier sync has written the results of all {count} objects.', { count: countText(found) })
  const before = estimates.reduce((sum, { original_size }) => sum + original_size, 0)
  const sizes = { before: bytes(before), after: bytes(estimated_size), time: cpuTime(estimated_cpu_seconds) }
  const text = t('{before} become about {after}, in about {time} of CPU time.', sizes)
  return skipped === 0
    ? text
    : `${text} ${t('{count} objects are skipped, because an earlier sync has written their results.', { count: countText(skipped) })}`
}
