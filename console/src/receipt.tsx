/** Receipt of a task. The filled seal stands only over a signature that this page has checked. */
import { useEffect, useState } from 'preact/hooks'
import type { Receipt } from '../../site/src/model/protocol.ts'
import { ReceiptCard as SharedCard, shortHash } from '../../site/src/parts/receipt.tsx'
import { saveBlob } from '../../site/src/save.ts'
import { load, type Task } from './api.ts'
import { Icon } from './icons.tsx'
import { isKept } from './kept.ts'
import { t } from './language.ts'
import { CopyButton } from './parts.tsx'
import { type Check, checkAll, checkedReceipt, MAX_HASHED_BYTES, type SignedReceipt } from './signature.ts'

export const receiptOf = (task: Task): Receipt =>
  ({
    ...{ format: task.format, output_format: task.output_format ?? task.format, quality: task.quality, result: task.result },
    ...{ original_size: task.original_size, compressed_size: task.compressed_size ?? task.original_size },
  }) as Receipt

/** @param file file of the person, if this page has it */
export function ReceiptCard({ task, file }: { task: Task; file?: File | undefined }) {
  if (!task.result) return null
  return (
    <div class="receipt-block">
      <SharedCard receipt={receiptOf(task)} fileName={task.file_name} stub={<Stub task={task} file={file} />} />
    </div>
  )
}

/** `undefined`: the signature is being checked. `null`: it could not be confirmed. */
function useSignature(task: Task): SignedReceipt | null | undefined {
  const [signed, setSigned] = useState<SignedReceipt | null>()
  useEffect(() => {
    let isGone = false
    checkedReceipt(task).then(
      (found) => !isGone && setSigned(found),
      () => !isGone && setSigned(null),
    )
    return () => {
      isGone = true
    }
  }, [task.task_id])
  return signed
}

function Stub({ task, file }: { task: Task; file: File | undefined }) {
  const signed = useSignature(task)
  const [checks, setChecks] = useState<readonly Check[]>()
  const [isChecking, setChecking] = useState(false)
  const check = async () => {
    setChecking(true)
    setChecks(await checkAll(task, file).catch(() => []))
    setChecking(false)
  }
  const canCheck = isKept(task) && (task.compressed_size ?? 0) <= MAX_HASHED_BYTES
  return (
    <>
      <div class="stub">
        <span class={signed ? 'stub__seal' : 'stub__seal stub__seal--open'}>
          <Icon
            name={signed ? 'badge-check' : signed === null ? 'shield-alert' : 'loader-circle'}
            class={signed === undefined ? 'spin' : ''}
          />
        </span>
        <div aria-live="polite">
          <p>
            <b>{sealText(signed)}</b>
          </p>
          <p class="mono">
            {signed && 'Ed25519 · '}SHA-256 <span title={task.result?.sha256}>{shortHash(task.result?.sha256 ?? '')}</span>
          </p>
        </div>
        {canCheck && !checks && (
          <button type="button" class="btn btn--sm" disabled={isChecking} onClick={() => void check()}>
            {isChecking ? t('Checking…') : t('Check it')}
          </button>
        )}
      </div>
      {checks && <Checks checks={checks} />}
      <Proofs task={task} />
    </>
  )
}

function sealText(signed: SignedReceipt | null | undefined): string {
  if (signed === undefined) return t('Checking the signature…')
  return signed ? t('Signed by {name}', { name: new URL(signed.iss).host }) : t('Signature not confirmed')
}

const CLAIMS: Readonly<Record<Check['what'], readonly [name: string, good: string, bad: string]>> = {
  signature: ['Signature', 'valid, key of this service', 'not valid'],
  result: ['Result', 'SHA-256 is the same', 'another file'],
  original: ['Your file', 'SHA-256 is the same', 'another file'],
}

const Checks = ({ checks }: { checks: readonly Check[] }) => (
  <div class="receipt__part receipt__checks" role="status">
    <p class="verdict">
      <Icon name={checks.length > 0 && checks.every(({ isTrue }) => isTrue) ? 'circle-check' : 'circle-alert'} />
      <span>{verdictOf(checks)}</span>
    </p>
    <ul class="checks">
      {checks.map(({ what, isTrue }) => (
        <li key={what} class={isTrue ? '' : 'bad'}>
          <Icon name={isTrue ? 'check' : 'x'} />
          <b>{t(CLAIMS[what][0])}</b>
          <span>{t(CLAIMS[what][isTrue ? 1 : 2])}</span>
        </li>
      ))}
    </ul>
  </div>
)

function verdictOf(checks: readonly Check[]): string {
  if (checks.length === 0) return t('The check could not be carried out.')
  return checks.every(({ isTrue }) => isTrue) ? t('This receipt is true') : t('This receipt does not belong to this file.')
}

/** What others need to check the receipt without this page. */
function Proofs({ task }: { task: Task }) {
  const command = `whittle verify '${task.file_name}' '${task.output_name ?? task.file_name}' receipt.jws --jwks ${location.origin}/.well-known/jwks.json`
  const save = async () => saveBlob(await (await load(`/v1/tasks/${task.task_id}/receipt`)).blob(), 'receipt.jws')
  return (
    <details class="receipt__part receipt__proofs">
      <summary>
        {t('Check it elsewhere')}
        <Icon name="chevron-down" />
      </summary>
      <dl class="hashes">
        <dt>{t('Sent')} (SHA-256)</dt>
        <dd class="mono">{task.result?.original_sha256}</dd>
        <dt>{t('Result')} (SHA-256)</dt>
        <dd class="mono">{task.result?.sha256}</dd>
      </dl>
      <pre class="snippet">{command}</pre>
      <p class="row">
        <button type="button" class="btn btn--sm" onClick={() => void save().catch(() => undefined)}>
          <Icon name="download" />
          {t('Signed receipt')}
        </button>
        <CopyButton text={command} />
      </p>
    </details>
  )
}
