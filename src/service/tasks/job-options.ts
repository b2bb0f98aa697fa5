/** Job options of a client, and the choice of the output format. */

import { FORMATS } from '../../core/catalog/index.ts'
import type { MetadataMode } from '../../core/catalog/metadata.ts'
import { type KnownFormat, type OutputId, outputNamed, REQUESTABLE_OUTPUTS } from '../../core/catalog/outputs.ts'
import type { Quality } from '../../core/model/codec.ts'
import { apiMessage } from '../i18n/message.ts'
import { ApiError, invalidParameter } from './api-error.ts'

type UsageRights = 'keep' | 'drop'

export interface JobOptions {
  readonly quality: Quality
  /** Requested output format as the client wrote it. `undefined`: the input format's default output. */
  readonly format?: string
  readonly password?: string
  readonly callbackUrl?: string
  /** Size limit of the result in bytes. */
  readonly targetSize?: number
  /** Metadata that the result must not have. `undefined` or `keep`: everything stays. */
  readonly metadata?: MetadataMode
  /** PDF only. `drop`: remove usage rights if they are the only signed content. */
  readonly usageRights?: UsageRights
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

/** True if any file can become the output with this name: `zst`, `br` or `gz`. */
export const isPackable = (wanted: string): boolean => outputNamed(FORMATS.data, wanted) !== undefined

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
