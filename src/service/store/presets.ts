/** Job options that a client can choose, and presets: named sets of them. */
import type { Effort } from '../../core/catalog/effort.ts'
import type { MetadataMode } from '../../core/catalog/metadata.ts'
import type { Quality } from '../../core/model/codec.ts'

/** Options of a preset, which are those of a job without its password. `undefined`: not chosen. */
export interface PresetOptions {
  readonly quality?: Quality
  /** Requested output format as the client wrote it. Default: the default output of the input format. */
  readonly format?: string
  readonly callbackUrl?: string
  /** Largest allowed size of the result, in bytes. */
  readonly targetSize?: number
  /** Lowest SSIMULACRA 2 score of every picture, instead of `quality`. */
  readonly targetScore?: number
  /** Largest width and height of a picture in pixels, as it is shown. */
  readonly maxWidth?: number
  readonly maxHeight?: number
  /** Resolution of pictures in documents, in dots per inch at their displayed size. */
  readonly dpi?: number
  /** How long the search for a small result may take. Default: `balanced`. */
  readonly effort?: Effort
  /** Metadata that the result must not have. Default: `keep`. */
  readonly metadata?: MetadataMode
  /** PDF only. `drop`: remove usage rights if they are the only signed content. */
  readonly usageRights?: 'keep' | 'drop'
  /** Seconds that result and upload are kept. `0`: nothing is kept after the answer. Default: the plan's retention. */
  readonly retention?: number
  /** Answer of the request: the task, or the bytes of the result. Default: the task. */
  readonly response?: 'task' | 'file'
}

export interface StoredPreset {
  /** Fields as the client wrote them, for the API. */
  readonly fields: Readonly<Record<string, string | number>>
  readonly options: PresetOptions
}

/** Most presets of an account. */
export const MAX_PRESETS = 100

export interface PresetsApi {
  /** Returns a preset of the account. `undefined`: there is none with this name. */
  find(name: string): Promise<StoredPreset | undefined>
  /** Stores a preset or replaces it. Returns `false`, without a change, if the account has `MAX_PRESETS` others. */
  put(name: string, preset: StoredPreset): Promise<boolean>
  /** Returns `false` if there is no preset with this name. */
  remove(name: string): Promise<boolean>
}
