/** Rules about the content that a result must keep. `index.ts` has one table per format, with one row per kind. */
import type { Quality } from '../levels.ts'
import type { InventoryKind } from './kinds.ts'

/** Why items may be missing in a result. The receipt shows the text of the code `removal_<reason>` (`core/i18n/en/inventory.ts`). */
export type RemovalReason =
  | 'as_requested'
  | 'duplicate'
  | 'editor_only'
  | 'empty'
  | 'not_drawn'
  | 'nothing_refers_to_it'
  | 'output_cannot_store'
  | 'regenerated'
  | 'second_layer_not_encoded'
  | 'stale'
  | 'unused_layout'

/** Permission to remove or change items of a kind. */
export interface Removal {
  /** Levels at which items may be missing. */
  readonly levels: readonly Quality[]
  readonly why: RemovalReason
  /** True for each item that may be missing. `undefined`: every item of the kind. */
  readonly only?: (item: string) => boolean
}

/** Rule of a kind. `kept`: each item must be in the result, unchanged, at every level. An array: the first permission that fits counts. */
export type KindRule = 'kept' | Removal | readonly Removal[]

/** Kinds of a format and the rule of each. A kind without a row does not occur in the format. */
export type FormatPolicy = { readonly [Kind in InventoryKind]?: KindRule }

export const EVERY_LEVEL = ['high', 'medium', 'low', 'ultra'] as const satisfies readonly Quality[]
export const LOSSY_LEVELS = ['medium', 'low', 'ultra'] as const satisfies readonly Quality[]

/** Returns the permission to remove items at `levels`. */
export const removable = (levels: readonly Quality[], why: RemovalReason, only?: (item: string) => boolean): Removal => ({
  levels,
  why,
  ...(only && { only }),
})
