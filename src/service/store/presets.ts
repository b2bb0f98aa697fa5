/** Presets: named sets of job options. */
import type { MetadataMode } from '../../core/catalog/metadata.ts'
import type { Quality } from '../../core/model/codec.ts'

/** Options of a preset: those of a job, without password. */
export interface PresetOptions {
  readonly quality?: Quality
  readonly format?: string
  readonly callbackUrl?: string
  /** Largest allowed size of the result, in bytes. */
  readonly targetSize?: number
  readonly metadata?: MetadataMode
  readonly usageRights?: 'keep' | 'drop'
  /** Seconds that result and upload are kept. `0`: nothing is kept after the answer. */
  readonly retention?: number
  readonly response?: 'task' | 'file'
}

export interface StoredPreset {
  /** Fields as the client wrote them, for the API. */
  readonly fields: Readonly<Record<string, string | number>>
  readonly options: PresetOptions
}

/** Most presets of an account. */
export const MAX_PRESETS = 100
