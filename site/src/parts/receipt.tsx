/** Receipt in words: how small, how it looks, what was removed, what was kept, and who says so. */
import type { ComponentChildren } from 'preact'
import { savedPercent, sizeText, t } from '../language.ts'
import type { Compressed, Receipt } from '../model/protocol.ts'
import { verdictOf } from '../model/words.ts'
import { Icon } from './icon.tsx'
import { kindName } from './kind-name.ts'
import { Scales } from './scale.tsx'

interface ReceiptCardProps {
  readonly receipt: Receipt
  readonly fileName: string
  /** Picture above the receipt. */
  readonly picture?: ComponentChildren
  /** Button beside the seal. */
  readonly children?: ComponentChildren
  /** True: the receipt is an example of the page, which was not measured on this device. */
  readonly isExample?: boolean
  /** Who says so. `undefined`: this device measured the result. */
  readonly stub?: ComponentChildren
}

export function ReceiptCard({ receipt, fileName, picture, children, isExample = false, stub }: ReceiptCardProps) {
  const { result } = receipt
  const hasFigures = (result.ssimulacra2 ?? result.ssim ?? result.snr_db) !== undefined
  return (
    <article class={picture ? 'receipt receipt--lift' : 'receipt'} aria-label={t('Receipt for {name}', { name: fileName })}>
      {picture && <div class="receipt__shot">{picture}</div>}
      <Size receipt={receipt} />
      <Appearance receipt={receipt} />
      {hasFigures && (
        <div class="receipt__part receipt__scales">
          <Scales receipt={receipt} />
        </div>
      )}
      {result.outcome === 'compressed' && <Contents receipt={receipt} />}
      {result.steps && result.steps.length > 0 && !isExample && <Steps steps={result.steps} />}
      <div class="tear" />
      {stub ?? (
        <OwnStub sha256={result.sha256} isExample={isExample}>
          {children}
        </OwnStub>
      )}
    </article>
  )
}

interface OwnStubProps {
  readonly sha256: string
  readonly isExample: boolean
  readonly children: ComponentChildren
}

const OwnStub = ({ sha256, isExample, children }: OwnStubProps) => (
  <div class="stub">
    <span class="stub__seal stub__seal--open">
      <Icon name="laptop" />
    </span>
    <div>
      <p>
        <b>{isExample ? t('An example of this version') : t('Measured on this device')}</b>
      </p>
      <p class="mono">
        {t('Not signed')} · SHA-256 <span title={sha256}>{shortHash(sha256)}</span>
      </p>
    </div>
    {children}
  </div>
)

/** Who says so, for a result of the service. The seal is filled only if this page has checked the signature and both files. */
export function ServiceStub({ result: { service, receipt } }: { result: Compressed }) {
  const signer = service?.signer
  const { sha256 } = receipt.result
  return (
    <div class="stub">
      <span class={signer === undefined ? 'stub__seal stub__seal--open' : 'stub__seal'}>
        <Icon name={signer === undefined ? 'server' : 'badge-check'} />
      </span>
      <div>
        <p>
          <b>{signer === undefined ? t('Measured by the service') : t('Signed by {host}', { host: signer })}</b>
        </p>
        <p class="small">
          {signer === undefined
            ? t('Not signed, or the signature could not be checked.')
            : t('This page checked the signature and both files.')}
        </p>
        <p class="mono">
          {signer !== undefined && 'Ed25519 · '}SHA-256 <span title={sha256}>{shortHash(sha256)}</span>
        </p>
      </div>
    </div>
  )
}

function Size({ receipt: { result, original_size: before, compressed_size: after } }: { receipt: Receipt }) {
  return (
    <div class="receipt__part receipt__top">
      <div>
        <p class="receipt__big">{sizeText(after)}</p>
        {result.outcome === 'compressed' && (
          <p class="receipt__from">
            {t('was {size}', { size: sizeText(before) })} ·{' '}
            <span class="saved">{t('{percent} % smaller', { percent: savedPercent(before, after) })}</span>
          </p>
        )}
      </div>
      {result.outcome === 'compressed' && (
        <span class="badge badge--ok">
          <Icon name="shield-check" />
          {t('Verified')}
        </span>
      )}
    </div>
  )
}

function Appearance({ receipt }: { receipt: Receipt }) {
  const { title, small } = verdictOf(receipt)
  return (
    <div class="receipt__part">
      <p class="verdict">
        <Icon name={receipt.result.outcome === 'compressed' ? 'circle-check' : 'circle-minus'} />
        <span>
          {title}
          <small>{small}</small>
        </span>
      </p>
    </div>
  )
}

const Steps = ({ steps }: { steps: readonly string[] }) => (
  <details class="receipt__part receipt__steps">
    <summary>
      {t('What was done')}
      <Icon name="chevron-down" />
    </summary>
    <ul>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ul>
  </details>
)

export const shortHash = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-8)}`

/** What the file held: first what is gone and why, then what was kept. */
function Contents({ receipt: { result } }: { receipt: Receipt }) {
  const { inventory = {}, removed = [] } = result
  return (
    <div class="receipt__part">
      <dl class="kept">
        {removed.length === 0 && (
          <div class="none">
            <dt>{t('Removed')}</dt>
            <dd>{t('nothing')}</dd>
          </div>
        )}
        {removed.map(({ what, count, why }) => (
          <div key={`${what} ${why}`} class="gone">
            <dt>
              <Icon name="circle-minus" />
              {what}
              <small>{why}</small>
            </dt>
            <dd>
              <span class="vh">{t('removed')} </span>
              {count.toLocaleString('en')}
            </dd>
          </div>
        ))}
        {Object.entries(inventory).map(([kind, count]) => (
          <div key={kind}>
            <dt>
              <Icon name="check" />
              {upper(kindName(kind))}
            </dt>
            <dd>
              <span class="vh">{t('kept')} </span>
              {count.toLocaleString('en')}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
