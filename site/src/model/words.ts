/** What the page says about a file: the state of its row, and the verdict of its receipt. */
import { plural, sizeText, t } from '../language.ts'
import { countedKind } from '../parts/kind-name.ts'
import { formatName } from './format-names.ts'
import { type Attempt, currentAttempt, type GuestState, type Item, NO_GUESTS, needsService } from './items.ts'
import type { Compressed, Quality, Receipt, Settings } from './protocol.ts'
import { keepsMetadata, outputTitle } from './settings.ts'

/** What a button in the row does. */
export type Action =
  | { readonly type: 'download' | 'pack' | 'sign-in' | 'send' | 'again' }
  /** Compresses the file to another format. */
  | { readonly type: 'output'; readonly output: string }
  /** Accepts the smallest possible result. */
  | { readonly type: 'take'; readonly bytes: number }

/** State of a row in words. `tone`: `bad` and `warn` have an icon, too. */
export interface RowWords {
  readonly tone: 'quiet' | 'busy' | 'good' | 'plain' | 'warn' | 'bad'
  readonly title: string
  readonly detail?: string
  readonly action?: Action
  /** Share of the work that is done, 0 to 1. `undefined`: the file is not being worked on. */
  readonly share?: number
}

const signIn: Action = { type: 'sign-in' }
const again: Action = { type: 'again' }
const send: Action = { type: 'send' }
const WITHOUT_GUESTS: GuestState = { ...NO_GUESTS, facts: null }

/** @param guest what the page knows of sending files without an account. Default: the service has no guests */
export function rowWords(item: Item, common: Settings, guest = WITHOUT_GUESTS): RowWords {
  const words = wordsOf(item, common)
  if (words.action !== signIn || !needsService(item, common)) return words
  const { action: _, ...others } = words
  if (guest.facts === undefined) return others
  if (guest.facts === null || item.format === undefined) return words
  const { maxBytes } = guest.facts
  if (item.file.size > maxBytes)
    return { ...words, detail: t('The service takes files up to {size} without an account.', { size: sizeText(maxBytes) }) }
  // Until the person has decided, a card above the list asks for all files.
  return guest.consent === 'declined' ? { ...words, action: send } : others
}

function wordsOf(item: Item, common: Settings): RowWords {
  if (item.place !== 'here' && item.place !== 'guest') return placeWords(item)
  const attempt = currentAttempt(item, common)
  if (item.place === 'guest' && attempt?.state !== 'done') return guestWords(attempt)
  if (attempt?.state !== 'done') return attemptWords(attempt)
  const words = resultWords(attempt.result)
  const kept = item.format !== undefined && keepsMetadata(item.format, common, item.own)
  return kept ? { ...words, tone: 'warn', detail: t('The metadata stays. This page cannot remove that of this format.') } : words
}

function placeWords({ place, format, file }: Item): RowWords {
  if (file.size === 0) return { tone: 'plain', title: t('Empty'), detail: t('The file has no bytes.') }
  switch (place) {
    case 'large':
      return {
        ...{ tone: 'plain', title: t('Not started'), action: signIn },
        detail: t('The file is larger than 200 MB, the most this page takes. The service takes more.'),
      }
    case 'service':
      return {
        ...{ tone: 'plain', title: t('Not started'), action: signIn },
        detail: t('{format} needs an engine that this page does not have. The service has it.', {
          format: format ? formatName(format, file.name) : '',
        }),
      }
    case 'unknown':
      return {
        ...{ tone: 'plain', title: t('Not supported yet'), action: { type: 'pack' } },
        detail: t('It can be packed as data and comes back byte for byte.'),
      }
    case 'unreadable':
      return {
        ...{ tone: 'bad', title: t('Cannot be read'), action: again },
        detail: t('The browser could not read the file, or could not load the code for it.'),
      }
    default:
      return { tone: 'busy', title: t('Reading') }
  }
}

function attemptWords(attempt: Exclude<Attempt, { state: 'done' }> | undefined): RowWords {
  switch (attempt?.state) {
    case 'working':
      return { tone: 'busy', title: attempt.share === 0 ? t('Starting') : t('Compressing and comparing'), share: attempt.share }
    case 'stopped':
      return { tone: 'quiet', title: t('Stopped'), action: again }
    case 'unreachable':
      return {
        ...{ tone: 'warn', title: t('Cannot get that small'), action: { type: 'take', bytes: attempt.bestSize } },
        detail: t('The smallest result that still looks clean is {size}.', { size: sizeText(attempt.bestSize) }),
      }
    case 'failed':
      return failureWords(attempt.why)
    default:
      return { tone: 'quiet', title: t('Waiting') }
  }
}

/** Words about a file at the service. */
function guestWords(attempt: Exclude<Attempt, { state: 'done' }> | undefined): RowWords {
  if (attempt === undefined)
    return { tone: 'plain', title: t('Not sent'), detail: t('Its options have changed since it was sent.'), action: send }
  if (attempt.state === 'working' && attempt.share === 0) return { tone: 'busy', title: t('Sending to the service'), share: 0 }
  if (attempt.state === 'working') return { tone: 'busy', title: t('The service compresses and compares'), share: attempt.share }
  if (attempt.state === 'failed') return { tone: 'warn', title: t('Not compressed'), detail: attempt.text, action: again }
  return attemptWords(attempt)
}

function failureWords(why: Extract<Attempt, { state: 'failed' }>['why']): RowWords {
  if (why === 'offline') {
    const detail = t('Its engine could not be loaded. Connect to the network, or reload the page.')
    return { tone: 'warn', title: t('Engine missing'), detail, action: again }
  }
  if (why === 'error') return { tone: 'bad', title: t('Failed'), detail: t('Whittle has a defect here. Your file is not changed.') }
  const detail = t('The engine stopped, probably for lack of memory. Your file is not changed. The service has more memory.')
  return { tone: 'bad', title: t('Failed'), detail, action: signIn }
}

/** Why a file is returned unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  no_gain: 'It cannot get smaller in this format.',
  below_floor: 'A smaller file would be below the minimum quality.',
  signed: 'It is signed. A change would break the signature.',
  encrypted: 'It is encrypted, so it cannot be read.',
  unsupported_feature: 'It uses a feature that Whittle cannot compress yet.',
}

function resultWords({ receipt: { result } }: Compressed): RowWords {
  if (result.outcome === 'compressed') return { tone: 'good', title: '', action: { type: 'download' } }
  if (result.reason === 'malformed') return { tone: 'bad', title: t('Damaged'), detail: damage(result.detail) }
  if (result.reason === 'over_budget') {
    return {
      tone: 'plain',
      title: t('Unchanged'),
      detail: t('It needs more memory than this page may use. The service has more.'),
      action: signIn,
    }
  }
  const { reason = '', suggestion } = result
  if (!suggestion) return { tone: 'plain', title: t('Unchanged'), detail: t(REASONS[reason] ?? 'It stays as it is.') }
  const isForeign = reason === 'unsupported_feature'
  const why = isForeign ? t('Whittle cannot make it smaller in its own format.') : t(REASONS[reason] ?? 'It stays as it is.')
  const [format, size] = [outputTitle(suggestion.format), sizeText(suggestion.estimated_size)]
  const detail = `${why} ${t('{format} would be about {size}.', { format, size })}`
  return { tone: 'plain', title: t('Unchanged'), detail, action: { type: 'output', output: suggestion.format } }
}

/** Where the damage is, in the words of the reader that found it. */
const damage = (detail: string | undefined): string =>
  detail ? t('It cannot be read to the end ({detail}).', { detail }) : t('It cannot be read to the end.')

/** What a result looks like beside its file. `small`: one more sentence. */
export interface Verdict {
  readonly title: string
  readonly small: string
}

const BY_LEVEL: { readonly [level in Quality]: Verdict } = {
  high: { title: 'No visible difference at 100 %', small: 'Pixel for pixel, side by side.' },
  medium: { title: 'No visible difference at normal size', small: 'At 100 % a trained eye may find some.' },
  low: { title: 'Looks clean', small: 'Small differences may show at 100 %.' },
  ultra: { title: 'Looks clean', small: 'Small differences may show at 100 %.' },
}

/** Level whose promise a score keeps. */
const levelOfScore = (score: number): Quality => (score >= 80 ? 'high' : score >= 70 ? 'medium' : 'low')

export function verdictOf({ result, quality, output_format: output, format }: Receipt): Verdict {
  if (result.outcome === 'unchanged')
    return { title: t('Your file, unchanged'), small: t(REASONS[result.reason ?? ''] ?? 'It stays as it is.') }
  if (result.fidelity === 'lossless') {
    const isWrapped = output !== format && result.inventory === undefined && result.ssim === undefined
    return isWrapped
      ? { title: t('Identical, byte for byte'), small: t('Whittle unpacked the result and got your file.') }
      : { title: t('Nothing lost'), small: t('Whittle decoded the result, and its content is that of your file.') }
  }
  if (result.ssim === undefined && result.snr_db !== undefined) {
    return { title: t('Sounds like the original'), small: t('Measured second by second.') }
  }
  const { title, small } = BY_LEVEL[result.ssimulacra2 === undefined ? (quality ?? 'low') : levelOfScore(result.ssimulacra2)]
  return { title: t(title), small: t(small) }
}

/** What was kept, in a short line: `Kept: 24 ids, 3 links`. `undefined`: the file holds nothing that is listed. */
export function keptLine({ result: { inventory = {} } }: Receipt): string | undefined {
  const kinds = Object.entries(inventory).slice(0, 3)
  if (kinds.length === 0) return undefined
  return t('Kept: {items}', { items: kinds.map(([kind, count]) => countedKind(count, kind)).join(t(', ')) })
}

export const filesText = (count: number): string => plural(count, '1 file', '{count} files')
