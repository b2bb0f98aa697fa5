/** Receipt of a task: what the service did, quality figures, and how to verify them. */
import { BASE, type Task } from './api.ts'
import { countedKind, kindName } from './kind-names.ts'
import { bytes, t } from './language.ts'
import { CopyButton } from './parts.tsx'

/** Quality figure with a bar. `good`: value from which the bar counts as good, the minimum of the lowest level. */
interface Figure {
  readonly name: string
  readonly value: number
  readonly shown: string
  readonly from: number
  readonly to: number
  readonly good: number
}

const PLACES: Readonly<Record<string, string>> = {
  pixels: 'of the worst picture',
  page_144dpi: 'of the worst page at 144 dpi',
  second: 'of the worst second',
}

/** Why a file was returned unchanged, as a sentence for people. */
const REASONS: Readonly<Record<string, string>> = {
  no_gain: 'The file cannot get smaller.',
  below_floor: 'A smaller file would be below the minimum quality.',
  signed: 'The file is signed. A change would break the signature.',
  encrypted: 'The file is encrypted. Remove the password and try again.',
  malformed: 'The file is damaged.',
  over_budget: 'The file needs more memory or time than this service allows.',
  unsupported_feature: 'The file uses a feature that Whittle cannot compress yet.',
}

export function ReceiptCard({ task }: { task: Task }) {
  const { result } = task
  if (!result) return null
  return (
    <section class="receipt" aria-label={t('Receipt')}>
      <p class="verdict">
        <span class="badge good">✓ {t('Verified')}</span> {t(verdictOf(task))}
      </p>
      <Meters task={task} />
      {result.detail && result.outcome === 'unchanged' && <p class="steps">{result.detail}</p>}
      {result.suggestion && (
        <p class="steps">
          {t('As {format}, the file would have about {size}.', {
            format: result.suggestion.format,
            size: bytes(result.suggestion.estimated_size),
          })}
        </p>
      )}
      <InventoryList result={result} />
      {result.steps && result.steps.length > 0 && (
        <ul class="steps">
          {result.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      )}
      <CheckIt task={task} />
    </section>
  )
}

function verdictOf({ result }: Task): string {
  if (result?.outcome === 'unchanged') return REASONS[result.reason ?? ''] ?? 'The file stays unchanged.'
  if (result?.fidelity === 'lossless') return 'Lossless: Whittle decoded the result, and its content is identical to your file.'
  return 'Whittle decoded the result and compared it with your file.'
}

function Meters({ task: { result } }: { task: Task }) {
  const figures = result ? figuresOf(result) : []
  if (figures.length === 0) return null
  return (
    <>
      <dl class="meters">
        {figures.map(({ name, value, shown, from, to, good }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <meter
                min={from}
                max={to}
                low={from}
                optimum={to}
                high={good}
                value={Math.min(to, Math.max(from, value))}
                aria-label={`${name} ${shown}`}
              />
              <b>{shown}</b>
            </dd>
          </div>
        ))}
      </dl>
      {result?.measured_at && <small>{t(PLACES[result.measured_at] ?? '')}</small>}
    </>
  )
}

function figuresOf(result: NonNullable<Task['result']>): Figure[] {
  const { ssim, psnr_db, ssimulacra2, snr_db } = result
  const figure = (name: string, value: number | undefined, unit: string, scale: Pick<Figure, 'from' | 'to' | 'good'>): Figure[] =>
    value === undefined ? [] : [{ name, value, shown: `${value}${unit}`, ...scale }]
  return [
    ...figure('SSIM', ssim, '', { from: 0.9, to: 1, good: 0.93 }),
    ...figure('PSNR', psnr_db, ' dB', { from: 30, to: 50, good: 32 }),
    ...figure('SSIMULACRA 2', ssimulacra2, '', { from: 30, to: 100, good: 60 }),
    ...figure('SNR', snr_db, ' dB', { from: 0, to: 60, good: 26 }),
  ]
}

/** What the file holds besides pixels and samples: first what is gone and why, then what was kept. */
function InventoryList({ result: { inventory = {}, removed = [] } }: { result: NonNullable<Task['result']> }) {
  const kept = Object.entries(inventory).map(([kind, count]) => countedKind(count, kindName(kind)))
  if (kept.length === 0 && removed.length === 0) return null
  return (
    <dl class="inventory">
      {removed.length > 0 && (
        <>
          <dt>{t('Removed')}</dt>
          {removed.map(({ what, count, why }) => (
            <dd key={`${what} ${why}`}>{t('{what}: {why}', { what: countedKind(count, what), why })}</dd>
          ))}
        </>
      )}
      {kept.length > 0 && (
        <>
          <dt>{t('Kept')}</dt>
          <dd>{kept.join(t(', '))}</dd>
        </>
      )}
    </dl>
  )
}

function CheckIt({ task }: { task: Task }) {
  const { result } = task
  const command = `whittle verify '${task.file_name}' '${task.output_name ?? task.file_name}' receipt.jws --jwks ${location.origin}/.well-known/jwks.json`
  return (
    <details>
      <summary>{t('Check it yourself')}</summary>
      <dl class="hashes">
        <dt>{t('Sent')} (SHA-256)</dt>
        <dd>
          <code>{result?.original_sha256}</code>
        </dd>
        <dt>{t('Result')} (SHA-256)</dt>
        <dd>
          <code>{result?.sha256}</code>
        </dd>
      </dl>
      <p class="actions">
        <a class="button" href={`${BASE}/v1/tasks/${task.task_id}/receipt`} download="receipt.jws">
          {t('Signed receipt')}
        </a>
        <CopyButton text={command} />
      </p>
      <pre>{command}</pre>
      <details>
        <summary>JSON</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(task, null, 2)}</pre>
      </details>
    </details>
  )
}
