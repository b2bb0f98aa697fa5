/** What a row says about a file: its state, why it failed, and the one action that helps. */
import { isWrapper, outputTitle } from '../../site/src/model/settings.ts'
import type { Task } from './api.ts'
import type { Attempt, Failure } from './attempts.ts'
import { bytes, duration, t } from './language.ts'

/** What the button of a row does: send the file again as it is, or with other options. */
export interface RowAction {
  readonly label: string
  readonly wishes: Readonly<Record<string, string>>
}

export interface RowWords {
  readonly tone: 'quiet' | 'busy' | 'plain' | 'warn' | 'bad'
  readonly title: string
  readonly detail?: string
  readonly action?: RowAction
  /** Share of the work that is done, 0 to 1. */
  readonly share?: number
}

/** Words for a file that is not finished, was not changed, or failed. */
export function rowWords(attempt: Attempt, ahead: number): RowWords {
  const { state, task, uploaded } = attempt
  switch (state) {
    case 'waiting':
      return { tone: 'quiet', title: ahead > 0 ? t('Waiting: {count} files ahead', { count: ahead }) : t('Waiting') }
    case 'uploading':
      return { tone: 'busy', title: `${t('Uploading')}${paceOf(attempt)}`, share: uploaded }
    case 'failed':
      return failureWords(attempt.failure ?? {}, attempt.error)
    default:
      if (task?.result) return unchangedWords(task)
      return { tone: 'busy', title: task?.status === 'pending' ? t('Queued') : t('Compressing and comparing'), share: task?.progress ?? 0 }
  }
}

/** Time in ms before an upload's speed is estimated. */
const LEAST_MS = 1000

function paceOf({ begunMs, uploaded, size }: Attempt): string {
  const elapsedMs = performance.now() - (begunMs ?? performance.now())
  if (elapsedMs < LEAST_MS || uploaded === 0 || uploaded === 1) return ''
  const rate = `${bytes(Math.round((uploaded * size * 1000) / elapsedMs))}/s`
  return ` · ${rate} · ${t('{time} left', { time: duration((elapsedMs * (1 - uploaded)) / uploaded) })}`
}

const packed = (): RowAction => ({ label: t('Pack as {format}', { format: 'zst' }), wishes: { format: 'zst', target_size: '' } })
const again = (): RowAction => ({ label: t('Try again'), wishes: {} })

/** Statuses after which the same request can work: lost connection, rate limit, and a service that is busy or being restarted. */
const PASSING = [0, 429, 502, 503, 504]
/** Types of errors that pass. */
const PASSING_TYPES = ['internal', 'overloaded', 'rate_limited', 'maintenance', 'idempotency_in_flight', 'checksum_mismatch']

/** Why a file failed, and what helps. Where nothing helps, there is no action. */
export function failureWords({ type, status, best_size: best, detected }: Failure, error: string | undefined): RowWords {
  const detail = error === undefined ? {} : { detail: t(error) }
  switch (type) {
    case 'target_unreachable':
      if (best === undefined) return { tone: 'warn', title: t('Cannot get that small'), ...detail }
      return {
        ...{ tone: 'warn', title: t('Cannot get that small') },
        detail: t('The smallest result that still looks clean is {size}.', { size: bytes(best) }),
        action: { label: t('Take {size}', { size: bytes(best) }), wishes: { target_size: String(best) } },
      }
    case 'unsupported_format':
      return { tone: 'plain', title: t('Not supported yet'), detail: unsupportedText(detected), action: packed() }
    case 'unsupported_output':
      return { tone: 'warn', title: t('Not this output format'), ...detail, action: { label: t('Same format'), wishes: { format: '' } } }
    case 'password_not_applicable':
      return {
        tone: 'warn',
        title: t('No password possible'),
        ...detail,
        action: { label: t('Without a password'), wishes: { password: '' } },
      }
    case 'file_too_large':
      return { tone: 'plain', title: t('Too large'), ...detail }
    case 'empty_file':
      return { tone: 'plain', title: t('Empty'), detail: t('The file has no bytes.') }
    case 'storage_quota_exceeded':
      return { tone: 'bad', title: t('Storage is full'), ...detail }
  }
  const passes = (status !== undefined && PASSING.includes(status)) || (type !== undefined && PASSING_TYPES.includes(type))
  return { tone: 'bad', title: t('Failed'), ...detail, ...(passes && { action: again() }) }
}

function unsupportedText(detected: string | undefined): string {
  const what =
    detected === undefined ? t('Whittle does not recognise its type.') : t('{format} is not compressed yet.', { format: detected })
  return `${what} ${t('It can be packed as data and comes back byte for byte.')}`
}

/** Why a file was returned unchanged, as a sentence for people. */
const REASONS: Readonly<Record<string, string>> = {
  no_gain: 'It cannot get smaller in this format.',
  below_floor: 'A smaller file would be below the minimum quality.',
  signed: 'It is signed. A change would break the signature.',
  encrypted: 'It is encrypted, so it cannot be read.',
  malformed: 'It is damaged and cannot be read to the end.',
  over_budget: 'It needs more memory or time than this service allows.',
  unsupported_feature: 'It uses a feature that Whittle cannot compress yet.',
}

/** Why a file is unchanged, in one sentence. */
export const reasonText = ({ result }: Task): string => t(REASONS[result?.reason ?? ''] ?? 'It stays as it is.')

/** Where the damage is, in the words of the reader that found it. */
const damage = (detail: string | undefined) =>
  detail ? t('It cannot be read to the end ({detail}).', { detail }) : t('It is damaged and cannot be read to the end.')

function unchangedWords(task: Task): RowWords {
  const { reason, detail, suggestion } = task.result!
  const why = reasonText(task)
  if (reason === 'malformed') return { tone: 'bad', title: t('Damaged'), detail: damage(detail), action: packed() }
  if (!suggestion) {
    // A file that Whittle cannot read can still be packed. One that is as small as it gets would not gain.
    const canPack = reason === 'encrypted' || reason === 'unsupported_feature' || reason === 'over_budget'
    return {
      tone: 'plain',
      title: t('Unchanged'),
      detail: why,
      ...(canPack && !isWrapper(task.output_format ?? '') && { action: packed() }),
    }
  }
  const { format, estimated_size: size } = suggestion
  const title = outputTitle(format)
  const isForeign = reason === 'unsupported_feature'
  return {
    ...{ tone: 'plain', title: t('Unchanged') },
    detail: `${isForeign ? t('Whittle cannot make it smaller in its own format.') : why} ${t('{format} would be about {size}.', { format: title, size: bytes(size) })}`,
    action: { label: t('Use {format}', { format: title }), wishes: { format } },
  }
}
