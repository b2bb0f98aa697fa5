/** Job options of a client, and the choice of the output format. */

import { FORMATS } from '../../core/catalog/index.ts'
import type { MetadataMode } from '../../core/catalog/metadata.ts'
import { type KnownFormat, type OutputId, outputNamed, REQUESTABLE_OUTPUTS } from '../../core/catalog/outputs.ts'
import type { Quality } from '../../core/model/codec.ts'
import type { Rendition } from '../../core/model/rendition.ts'
import { apiMessage } from '../i18n/message.ts'
import type { Destination } from '../store/destinations.ts'
import type { Plan } from '../store/plans.ts'
import type { PresetOptions } from '../store/presets.ts'
import { ApiError, invalidParameter } from './api-error.ts'

export interface JobOptions extends PresetOptions {
  readonly quality: Quality
  readonly password?: string
  /** Where the result is sent, too. */
  readonly destination?: Destination
  /** Rendition instead of the whole file, for pictures on the fly. */
  readonly rendition?: Rendition
  /** Options of a preset. Each applies if the client did not choose that option and the file's format has it. */
  readonly preset?: PresetOptions
}

/**
 * Adds the options of a preset to those that the client chose. Options that the file's format does not have are left out.
 * `callbackUrl`, `targetSize`, `retention` and `response` apply to every format.
 */
export function withPreset({ preset, ...chosen }: Partial<JobOptions>, format: KnownFormat): JobOptions {
  if (!preset) return { quality: 'medium', ...chosen }
  const {
    quality = 'medium',
    format: output,
    metadata,
    usageRights,
    targetScore,
    maxWidth,
    maxHeight,
    dpi,
    ...others
  } = withoutReplacedGoal(preset, chosen)
  return {
    quality: quality === 'ultra' && !format.ultra ? 'medium' : quality,
    ...(targetScore !== undefined && format.scored ? { targetScore } : {}),
    ...(maxWidth !== undefined && format.resizes ? { maxWidth } : {}),
    ...(maxHeight !== undefined && format.resizes ? { maxHeight } : {}),
    ...(dpi !== undefined && format.hasPages ? { dpi } : {}),
    ...(output !== undefined && outputNamed(format, output) ? { format: output } : {}),
    ...(metadata !== undefined && format.metadata ? { metadata } : {}),
    ...(usageRights !== undefined && format.id === 'pdf' ? { usageRights } : {}),
    ...others,
    ...chosen,
  }
}

/**
 * Returns the options of `base` that `chosen` does not replace. A score and a level, or a score and a size, exclude each other, so choosing
 * one replaces the other.
 */
export function withoutReplacedGoal<Options extends PresetOptions>(base: Options, chosen: PresetOptions): Options {
  if (chosen.targetScore !== undefined) {
    const { quality: _, targetSize: __, ...others } = base
    return others as Options
  }
  if (chosen.quality === undefined && chosen.targetSize === undefined) return base
  const { targetScore: _, ...others } = base
  return others as Options
}

/**
 * Returns the output with the requested name: an output id, extension or alias, in any case, with or without a leading dot.
 * `undefined`: the default output of the format.
 * @throws ApiError `unsupported_output`
 */
export function chooseOutput(format: KnownFormat, wanted: string | undefined): OutputId {
  if (wanted === undefined) return format.outputs[0]
  const found = outputNamed(format, wanted)
  if (found) return found
  const allowed = [...format.outputs]
  throw new ApiError(
    'unsupported_output',
    apiMessage('cannot_become', { format: format.title, wanted: wanted.slice(0, 40), allowed: allowed.join(', ') }),
    {
      param: 'format',
      got: wanted.slice(0, 40),
      allowed,
    },
  )
}

/** True if the output with this name exists for files that need a named output: `zst`, `br` and `gz` of any file, `mp4` of some films. */
export const isOnRequest = (wanted: string): boolean =>
  Object.values<KnownFormat>(FORMATS).some((format) => format.isOnRequest && outputNamed(format, wanted))

/**
 * Checks that at least one format has the requested output. Used before the file is identified.
 * @throws ApiError `unsupported_output`
 */
export function checkOutputName(wanted: string): void {
  if (Object.values<KnownFormat>(FORMATS).some((format) => outputNamed(format, wanted))) return
  const facts = { param: 'format', got: wanted.slice(0, 40), allowed: REQUESTABLE_OUTPUTS }
  throw new ApiError('unsupported_output', apiMessage('nothing_can_become', { wanted: wanted.slice(0, 40) }), facts)
}

/**
 * Checks the quality level; only some formats have `ultra`.
 * @throws ApiError `invalid_parameter`
 */
export function checkQuality(format: KnownFormat, quality: Quality): void {
  if (quality !== 'ultra' || format.ultra) return
  throw invalidParameter('quality', apiMessage('no_ultra_for_format', { format: format.title }), {
    got: quality,
    allowed: ['low', 'medium', 'high'],
  })
}

/**
 * Checks that the format's metadata can be removed, if the client asked for it.
 * @throws ApiError `invalid_parameter`
 */
export function checkMetadata(format: KnownFormat, metadata: MetadataMode | undefined): void {
  if (metadata === undefined || metadata === 'keep' || format.metadata) return
  throw invalidParameter('metadata', apiMessage('metadata_stays_in_format', { format: format.title }), { got: metadata, allowed: ['keep'] })
}

/**
 * Checks the options about pictures: only pictures can be reduced, only documents have a resolution, and only files with pictures a score.
 * @throws ApiError `invalid_parameter`
 */
export function checkPictureOptions(format: KnownFormat, { targetScore, maxWidth, maxHeight, dpi }: PresetOptions): void {
  const refuse = (param: string, value: number | undefined, isAllowed: true | undefined) => {
    if (value === undefined || isAllowed) return
    throw invalidParameter(param, apiMessage('option_not_for_format', { name: param, format: format.title }), { got: String(value) })
  }
  refuse('target_score', targetScore, format.scored)
  refuse('max_width', maxWidth, format.resizes)
  refuse('max_height', maxHeight, format.resizes)
  refuse('dpi', dpi, format.hasPages)
}

/**
 * Checks how long a result is to be kept.
 * @throws ApiError `invalid_parameter` if it exceeds the plan's retention, or if nothing is kept although the answer is not the file, or
 * although the result must be delivered
 */
export function checkRetention({ retentionMs }: Plan, { retention, response, destination }: Partial<JobOptions>): void {
  if (retention === undefined) return
  const limit = Math.floor(retentionMs / 1000)
  if (retention > limit) throw invalidParameter('retention', apiMessage('retention_at_most', { limit }), { got: String(retention), limit })
  if (retention === 0 && destination) throw invalidParameter('retention', 'no_retention_with_destination', { got: '0' })
  if (retention === 0 && response !== 'file') throw invalidParameter('retention', 'no_retention_needs_file', { got: '0' })
}
