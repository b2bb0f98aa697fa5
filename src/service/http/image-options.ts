/** Options of a picture in its address, and what the client's headers decide of them. */
import { createHash } from 'node:crypto'
import type { Quality } from '../../core/model/codec.ts'
import type { Rendition } from '../../core/model/rendition.ts'
import { type ApiMessage, apiMessage } from '../i18n/message.ts'
import { type ApiError, invalidParameter } from '../tasks/api-error.ts'
import type { PictureOutput } from '../tasks/picture-formats.ts'

/** Options as the address gives them. */
export interface ImageOptions {
  readonly width?: number | 'auto'
  readonly height?: number
  readonly fit: Rendition['fit']
  readonly dpr: number | 'auto'
  readonly focus?: NonNullable<Rendition['focus']>
  readonly quality: 'low' | 'medium' | 'high' | 'auto'
  readonly score?: number
  readonly format: 'auto' | Exclude<PictureOutput, 'plain'>
}

/** What is sent to a client. */
export interface ChosenImage {
  readonly rendition: Rendition
  readonly quality: Quality
  readonly targetScore?: number
  readonly output: PictureOutput
  /** Request headers that decided something, for `Vary`. */
  readonly vary: readonly string[]
}

/** Focus that other services take from the content of a picture. */
const FOCUS_BY_CONTENT = /^(attention|auto|entropy|faces?|objects?|sm|smart|subject)$/
const MAX_SIDE = 8192
const MAX_OPTIONS_LENGTH = 200
const GRAVITY: Readonly<Record<string, readonly [x: number, y: number]>> = {
  center: [0.5, 0.5],
  north: [0.5, 0],
  south: [0.5, 1],
  east: [1, 0.5],
  west: [0, 0.5],
  northeast: [1, 0],
  northwest: [0, 0],
  southeast: [1, 1],
  southwest: [0, 1],
}

type Fields = { -readonly [Name in keyof ImageOptions]?: ImageOptions[Name] }

/** Reader of each option: sets its field, or returns `false` for a value that is not allowed. */
const READERS: Readonly<Record<string, { readonly allowed: string; readonly read: (value: string, into: Fields) => boolean }>> = {
  w: {
    allowed: `w_1 … w_${MAX_SIDE}, w_auto`,
    read: (value, into) => set(into, 'width', value === 'auto' ? 'auto' : side(value)),
  },
  h: { allowed: `h_1 … h_${MAX_SIDE}`, read: (value, into) => set(into, 'height', side(value)) },
  fit: {
    allowed: 'fit_contain, fit_cover, fit_crop',
    read: (value, into) => set(into, 'fit', oneOf(['contain', 'cover', 'crop'] as const, value)),
  },
  dpr: { allowed: 'dpr_1 … dpr_4, dpr_auto', read: (value, into) => set(into, 'dpr', value === 'auto' ? 'auto' : within(value, 1, 4)) },
  g: {
    allowed: `${Object.keys(GRAVITY)
      .map((name) => `g_${name}`)
      .join(', ')}, g_0.3x0.7`,
    read: (value, into) => set(into, 'focus', focusOf(value)),
  },
  q: {
    allowed: 'q_low, q_medium, q_high, q_auto',
    read: (value, into) => set(into, 'quality', oneOf(['low', 'medium', 'high', 'auto'] as const, value)),
  },
  s: { allowed: 's_50 … s_95', read: (value, into) => set(into, 'score', within(value, 50, 95)) },
  f: {
    allowed: 'f_auto, f_jpg, f_png, f_webp, f_avif',
    read: (value, into) => set(into, 'format', oneOf(['auto', 'jpg', 'png', 'webp', 'avif'] as const, value)),
  },
}

function set<Name extends keyof Fields>(into: Fields, name: Name, value: Fields[Name] | undefined): boolean {
  if (value === undefined) return false
  into[name] = value
  return true
}

const side = (value: string) => (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= MAX_SIDE ? Number(value) : undefined)
const oneOf = <T extends string>(allowed: readonly T[], value: string): T | undefined => allowed.find((one) => one === value)

/** Number with at most one decimal. */
function within(value: string, least: number, most: number): number | undefined {
  const number = /^\d{1,2}(\.\d)?$/.test(value) ? Number(value) : Number.NaN
  return number >= least && number <= most ? number : undefined
}

function focusOf(value: string): ImageOptions['focus'] {
  const [, x, y] = /^([01](?:\.\d{1,3})?)x([01](?:\.\d{1,3})?)$/.exec(value) ?? []
  if (x !== undefined && y !== undefined) return Number(x) <= 1 && Number(y) <= 1 ? { x: Number(x), y: Number(y) } : undefined
  const named = Object.hasOwn(GRAVITY, value) ? GRAVITY[value] : undefined
  return named && { x: named[0], y: named[1] }
}

/** @throws ApiError `invalid_parameter` (`param`: the option) */
export function parseImageOptions(text: string): ImageOptions {
  const fields: Fields = {}
  const seen = new Set<string>()
  for (const option of text.length > MAX_OPTIONS_LENGTH ? ['too-long'] : text.split(',')) {
    const [, name = '', value = ''] = /^([a-z]{1,10})_(.+)$/.exec(option) ?? []
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined
    if (!reader)
      throw refused(
        'options',
        option,
        Object.values(READERS)
          .map(({ allowed }) => allowed)
          .join(', '),
      )
    if (name === 'g' && FOCUS_BY_CONTENT.test(value))
      throw refused(name, option, reader.allowed, apiMessage('image_focus_by_content', { option, allowed: reader.allowed }))
    if (seen.has(name) || !reader.read(value, fields)) throw refused(name, option, reader.allowed)
    seen.add(name)
  }
  const options: ImageOptions = { fit: 'contain', dpr: 1, quality: 'medium', format: 'auto', ...fields }
  if (seen.has('s') && seen.has('q')) throw refused('s', 's', 's, q', apiMessage('image_score_and_level'))
  if (options.fit !== 'contain' && (typeof options.width !== 'number' || options.height === undefined))
    throw refused('fit', options.fit, 'w, h', apiMessage('image_fit_needs_frame', { fit: options.fit }))
  return options
}

function refused(param: string, got: string, allowed: string, why?: ApiMessage): ApiError {
  const shown = got.slice(0, 40)
  const message = why ?? apiMessage('image_option_wrong', { option: shown, allowed })
  return invalidParameter(param, message, { got: shown, allowed: allowed.split(', ') })
}

/** Densities and widths that hints are rounded to, so that few variants exist of each picture. */
const DENSITIES = [1, 1.5, 2, 3] as const
const WIDTHS = [160, 320, 480, 640, 800, 960, 1280, 1600, 1920, 2560, 3840] as const

/** Decides what the address leaves to the client: format, density, width and level. */
export function chooseImage(options: ImageOptions, header: (name: string) => string | undefined): ChosenImage {
  const vary: string[] = []
  const hint = (name: string) => {
    vary.push(name)
    return header(name)
  }
  const output = options.format === 'auto' ? accepted(hint('Accept')) : options.format
  const dpr = options.dpr === 'auto' ? atLeast(DENSITIES, hint('Sec-CH-DPR'), 1) : options.dpr
  const pixels = (length: number | undefined) =>
    length === undefined ? undefined : Math.min(MAX_SIDE, Math.max(1, Math.round(length * dpr)))
  // The hint is in physical pixels already.
  const width = options.width === 'auto' ? atLeast(WIDTHS, hint('Sec-CH-Width'), undefined) : pixels(options.width)
  const height = pixels(options.height)
  const isSaving = options.quality === 'auto' && /^\s*on\s*$/i.test(hint('Save-Data') ?? '')
  return {
    rendition: {
      fit: options.fit,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(options.focus && options.fit !== 'contain' ? { focus: options.focus } : {}),
    },
    quality: options.quality === 'auto' ? (isSaving ? 'low' : 'medium') : options.quality,
    ...(options.score === undefined ? {} : { targetScore: options.score }),
    output,
    vary,
  }
}

/** The smallest of the values that is not below the hint. */
function atLeast<T extends number, Other>(values: readonly T[], hint: string | undefined, missing: Other): T | Other {
  const number = hint !== undefined && /^\s*\d{1,5}(\.\d{1,6})?\s*$/.test(hint) ? Number(hint) : Number.NaN
  if (!(number > 0)) return missing
  return values.find((value) => value >= number) ?? values.at(-1)!
}

/** Best output that `Accept` names. `image/*` alone names none of the new formats, because old browsers send it. */
function accepted(accept: string | undefined): PictureOutput {
  const names = (accept ?? '').toLowerCase().split(',').slice(0, 50)
  const has = (type: string) => names.some((name) => name.split(';')[0]?.trim() === type && !/;\s*q=0(\.0*)?\s*(;|$)/.test(name))
  if (has('image/avif')) return 'avif'
  return has('image/webp') ? 'webp' : 'plain'
}

/** Key of a variant in the account's cache, equal for equal variants. */
export function pictureKey(origin: string, path: string, { rendition, quality, targetScore, output }: Omit<ChosenImage, 'vary'>): string {
  const { fit, width = '', height = '', focus } = rendition
  const place = focus ? `${focus.x}x${focus.y}` : ''
  const name = `${fit} ${width}x${height} ${place} ${targetScore === undefined ? quality : `score ${targetScore}`} ${output}`
  return createHash('sha256').update(`${origin}/${path}\n${name}`).digest('hex')
}
