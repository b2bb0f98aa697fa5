/** One file of the list: thumbnail, name, state in words, one action. */
import { savedPercent, sizeText, t } from '../language.ts'
import { LINKS } from '../links.ts'
import type { Desk } from '../model/desk.ts'
import { formatName } from '../model/format-names.ts'
import { currentAttempt, type DeskState, type Item } from '../model/items.ts'
import type { Compressed } from '../model/protocol.ts'
import { outputTitle } from '../model/settings.ts'
import { type Action, keptLine, type RowWords, rowWords, verdictOf } from '../model/words.ts'
import { Icon } from '../parts/icon.tsx'
import { Progress, StateTitle } from '../parts/progress.tsx'
import { saveBlob } from '../save.ts'
import { Details } from './details.tsx'
import { Thumbnail } from './thumbnail.tsx'

interface FileRowProps {
  readonly desk: Desk
  readonly state: DeskState
  readonly item: Item
}

export function FileRow({ desk, state, item }: FileRowProps) {
  const { id, file, format } = item
  const words = rowWords(item, state.common, state.guest)
  const attempt = currentAttempt(item, state.common)
  const result = attempt?.state === 'done' ? attempt.result : undefined
  const isOpen = state.openId === id
  const hasDetails = (item.place === 'here' || item.place === 'guest') && format !== undefined && (result !== undefined || isOpen)
  return (
    <>
      <li class={`file file--${words.tone}`}>
        <Thumbnail file={file} format={format} />
        <div>
          <p class="file__name" title={file.name}>
            {file.name}
          </p>
          <p class="file__sub num">
            {format ? formatName(format, file.name) : item.place === 'unknown' ? t('Unknown type') : t('File')}
            {result?.receipt.result.outcome === 'compressed' ? '' : ` · ${sizeText(file.size)}`}
          </p>
        </div>
        <div class="file__mid">{words.tone === 'good' && result ? <Saved result={result} /> : <State words={words} />}</div>
        <div class="file__end">
          {words.action && <ActionButton desk={desk} item={item} action={words.action} result={result} />}
          {hasDetails && (
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm file__toggle"
              aria-expanded={isOpen}
              aria-label={isOpen ? t('Close the details of {name}', { name: file.name }) : t('Details of {name}', { name: file.name })}
              onClick={() => desk.open(isOpen ? undefined : id)}
            >
              <Icon name="chevron-down" />
            </button>
          )}
          {!result && (
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm"
              aria-label={t('Remove {name}', { name: file.name })}
              onClick={() => desk.remove(id)}
            >
              <Icon name="x" />
            </button>
          )}
        </div>
      </li>
      {isOpen && hasDetails && (
        <li class="open">
          <Details desk={desk} state={state} item={item} />
        </li>
      )}
    </>
  )
}

/** Row of a smaller result. */
function Saved({ result: { receipt } }: { result: Compressed }) {
  const { original_size: before, compressed_size: after, output_format: output, format } = receipt
  const isOther = output !== format
  return (
    <>
      <div class="row file__saved">
        <span class="sizes">
          <s>
            <span class="vh">{t('was')} </span>
            {sizeText(before)}
          </s>
          <Icon name="arrow-right" />
          <b>
            <span class="vh">{t('is')} </span>
            {sizeText(after)}
          </b>
        </span>
        <span class="saved">−{savedPercent(before, after)} %</span>
      </div>
      <p class="file__sub">
        {isOther ? `${t('As {format}', { format: outputTitle(output) })} · ` : ''}
        {receipt.result.fidelity === 'perceptual' ? verdictOf(receipt).title : (keptLine(receipt) ?? verdictOf(receipt).title)}
      </p>
    </>
  )
}

function State({ words: { tone, title, detail, share } }: { words: RowWords }) {
  if (share !== undefined) return <Progress title={title} share={share} />
  return (
    <>
      <StateTitle tone={tone} title={title} />
      {detail && <p class="file__sub">{detail}</p>}
    </>
  )
}

interface ActionButtonProps {
  readonly desk: Desk
  readonly item: Item
  readonly action: Action
  readonly result: Compressed | undefined
}

function ActionButton({ desk, item, action, result }: ActionButtonProps) {
  const { id, file } = item
  const button = (text: string, onClick: () => void) => (
    <button type="button" class="btn btn--sm" onClick={onClick} aria-label={`${text}: ${file.name}`}>
      {text}
    </button>
  )
  switch (action.type) {
    case 'download':
      return (
        <button
          type="button"
          class="btn btn--sm"
          aria-label={t('Download {name}', { name: result?.name ?? file.name })}
          onClick={() => result && saveBlob(result.result, result.name)}
        >
          <Icon name="download" />
          <span class="file__word">{t('Download')}</span>
        </button>
      )
    case 'sign-in':
      return (
        <a class="btn btn--sm" href={LINKS.console}>
          {t('Sign in')}
        </a>
      )
    case 'send':
      return button(t('Send to the service'), () => desk.send(id))
    case 'pack':
      return button(t('Pack as zst'), () => desk.pack(id))
    case 'again':
      return button(t('Start again'), () => desk.again(id))
    case 'output':
      return button(t('Use {format}', { format: outputTitle(action.output) }), () => desk.accept(id, { output: action.output }))
    case 'take':
      return button(t('Take {size}', { size: sizeText(action.bytes) }), () => desk.accept(id, { targetSize: action.bytes }))
  }
}
