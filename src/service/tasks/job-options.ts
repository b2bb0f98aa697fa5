/** What the caller wants done with a file, parsed; and how a wanted output is chosen from what its format may become. */

import { FORMATS } from '../../core/catalog/index.ts'
import { type KnownFormat, type OutputId, outputFacts, REQUESTABLE } from '../../core/catalog/outputs.ts'
import type { Quality } from '../../core/model/codec.ts'
import { apiMessage } from '../i18n/message.ts'
import { ApiError, invalidParameter } from './api-error.ts'

type UsageRights = 'keep' | 'drop'

export interface JobOptions {
  readonly quality: Quality
  /** As the caller wrote it; absent: the format's usual output. */
  readonly format?: string
  readonly password?: string
  readonly callbackUrl?: string
  /** Bytes. */
  readonly targetSize?: number
  /** Of PDFs: `drop` gives up usage rights that nothing but themselves is signed with. */
  readonly usageRights?: UsageRights
}

/** The output a format gives for a wanted name: itself, one of its extensions or an alias, in any case, with or without a dot. */
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

function outputNamed(format: KnownFormat, wanted: string): OutputId | undefined {
  const name = wanted.trim().toLowerCase().replace(/^\./, '')
  return format.outputs.find((output) => output === name) ?? format.outputs.find((output) => outputFacts(output).aliases.includes(name))
}

/** Before it is known what the file is: is there any file that could become this? */
export function checkOutputName(wanted: string): void {
  if (Object.values<KnownFormat>(FORMATS).some((format) => outputNamed(format, wanted))) return
  const facts = { param: 'format', got: wanted.slice(0, 40), allowed: REQUESTABLE }
  throw new ApiError('unsupported_output', apiMessage('nothing_can_become', { wanted: wanted.slice(0, 40) }), facts)
}

/** `ultra` is a level of some formats only. */
export function checkQuality(format: KnownFormat, quality: Quality): void {
  if (quality !== 'ultra' || format.ultra) return
  throw invalidParameter('quality', apiMessage('no_ultra_for_format', { format: format.title }), {
    got: quality,
    allowed: ['low', 'medium', 'high'],
  })
}
