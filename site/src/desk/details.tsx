/** Details of one file: levels, before and after, receipt, options, and how to do the same in code. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../language.ts'
import type { Desk } from '../model/desk.ts'
import { FACTS } from '../model/facts.ts'
import { currentAttempt, currentSettings, type DeskState, type Item } from '../model/items.ts'
import type { Compressed, Finding } from '../model/protocol.ts'
import { isWrapper } from '../model/settings.ts'
import { CodeSamples } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { ReceiptCard, ServiceStub } from '../parts/receipt.tsx'
import { Levels } from './levels.tsx'
import { OwnOptions } from './options.tsx'
import { isPlayed, Player } from './player.tsx'
import { Viewer } from './viewer.tsx'

interface DetailsProps {
  readonly desk: Desk
  readonly state: DeskState
  readonly item: Item
}

export function Details({ desk, state, item }: DetailsProps) {
  const attempt = currentAttempt(item, state.common)
  const settings = currentSettings(item, state.common)
  const result = attempt?.state === 'done' ? attempt.result : undefined
  // While another level is compressed, the last result stays on the page.
  const [shown, setShown] = useState(result)
  useEffect(() => {
    if (result) setShown(result)
  }, [result])
  const isRunning = attempt === undefined || attempt.state === 'waiting' || attempt.state === 'working'
  const last = result ?? (isRunning ? shown : undefined)
  if (!item.format || !settings) return null
  const isService = last?.service !== undefined
  const { file, format } = item
  return (
    <>
      <div class="open__grid">
        <div class="open__left">
          <Levels desk={desk} state={state} item={item} />
          {last && isPlayed(last.result) ? (
            <Player name={file.name} result={last.result} />
          ) : (
            <Viewer file={file} format={format} result={last} />
          )}
        </div>
        <div class="open__right">
          {last && isService && <ReceiptCard receipt={last.receipt} fileName={file.name} stub={<ServiceStub result={last} />} />}
          {last && !isService && <CheckedReceipt key={last.receipt.result.sha256} desk={desk} file={file} result={last} />}
        </div>
      </div>
      <OwnOptions desk={desk} item={{ ...item, format }} settings={settings} />
      <div class="open__code">
        <h2 class="small">{t('Do the same in your code')}</h2>
        <CodeSamples name={file.name} output={smallName(file.name, settings.output)} settings={settings} id={`file-${item.id}`} />
      </div>
    </>
  )
}

/** Name for the result that differs from that of the file: `photo.small.jpg`. */
function smallName(name: string, output: string | undefined): string {
  const extension = output === undefined ? '' : FACTS.outputs[output]?.extension
  if (output !== undefined && isWrapper(output)) return `${name}.${extension}`
  const [, stem = name, own = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
  return `${stem}.small${extension ? `.${extension}` : own}`
}

type Check = 'none' | 'running' | 'failed' | readonly Finding[]

/** A receipt with the button that checks it: both files are decoded and measured again. */
function CheckedReceipt({ desk, file, result }: { desk: Desk; file: File; result: Compressed }) {
  const [check, setCheck] = useState<Check>('none')
  const run = () => {
    setCheck('running')
    desk.verify(file, result).then(setCheck, () => setCheck('failed'))
  }
  return (
    <>
      <ReceiptCard receipt={result.receipt} fileName={file.name}>
        {result.receipt.result.outcome === 'compressed' && (
          <button type="button" class="btn btn--sm" disabled={check === 'running'} onClick={run}>
            {check === 'running' ? t('Checking …') : t('Check it')}
          </button>
        )}
      </ReceiptCard>
      <div role="status">
        {typeof check === 'object' ? (
          <Findings findings={check} />
        ) : check === 'failed' ? (
          <p class="note note--bad">{t('The check could not run.')}</p>
        ) : null}
      </div>
    </>
  )
}

/** Groups of statements that a check confirms. Statements that are not listed are figures. */
const GROUPS: readonly (readonly [name: string, fields: readonly string[]])[] = [
  ['Your file', ['original_size', 'original_sha256', 'format']],
  ['Result', ['compressed_size', 'sha256', 'output_format', 'outcome', 'result', 'fidelity']],
  ['Contents', ['inventory', 'removed', 'metadata']],
]
const FIGURES = 'Figures'
const groupOf = (field: string): string => GROUPS.find(([, fields]) => fields.includes(field))?.[0] ?? FIGURES

function Findings({ findings }: { findings: readonly Finding[] }) {
  const told = findings.filter(({ field, verdict }) => field !== 'signature' && verdict !== 'unchecked')
  const wrong = told.filter(({ verdict }) => verdict === 'false')
  const names = [...new Set(told.map(({ field }) => groupOf(field)))]
  return (
    <div class="card checks__card">
      <p class="verdict">
        <Icon name={wrong.length === 0 ? 'circle-check' : 'circle-alert'} />
        <span>
          {wrong.length === 0 ? t('This receipt is true') : t('This receipt is not true')}
          <small>{t('Both files were decoded and measured again on this device.')}</small>
        </span>
      </p>
      <ul class="checks">
        {names.map((name) => {
          const contradiction = wrong.find(({ field }) => groupOf(field) === name)
          return (
            <li key={name} class={contradiction ? 'bad' : ''}>
              <Icon name={contradiction ? 'x' : 'check'} />
              <b>{t(name)}</b>
              <span>{contradiction ? `${contradiction.field}: ${contradiction.detail ?? ''}` : t('confirmed')}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
