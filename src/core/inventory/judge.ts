/** Decides whether the items that a result lacks may be missing. */

import { FORMATS, type FormatId } from '../catalog/index.ts'
import { ruleOf } from '../catalog/inventory/index.ts'
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { KindRule, Removal, RemovalReason } from '../catalog/inventory/policy.ts'
import type { Quality } from '../catalog/levels.ts'
import { isRemovedBy, type MetadataHolder, mayGoWithMetadata, nameOfItem, type RemovingMode } from '../catalog/metadata.ts'
import { isPdfXClaim } from '../catalog/metadata-of-documents.ts'
import type { OutputId } from '../catalog/outputs.ts'
import type { Removed } from '../model/codec.ts'
import { type Missing, missingItems } from './compare.ts'
import type { Inventory } from './inventory.ts'

/** Item that the result must keep and does not have. */
export interface ForbiddenLoss {
  readonly kind: InventoryKind
  readonly item: string
  /** Number of items of this kind that are missing without permission. */
  readonly count: number
}

export interface Judgement {
  /** Items whose removal the policy permits, for the receipt. */
  readonly removed: readonly Removed[]
  /** First kind with a loss that the policy forbids. `undefined`: none. */
  readonly forbidden: ForbiddenLoss | undefined
  /** First item that the option `metadata` removes and that the result still has. `undefined`: none. */
  readonly left: Pick<ForbiddenLoss, 'kind' | 'item'> | undefined
}

/** What the caller asked for, as far as the policy depends on it. */
export interface Asked {
  readonly format: FormatId
  readonly output: OutputId
  readonly quality: Quality
  /** Metadata that the result must not have. `undefined`: everything stays. */
  readonly metadata: RemovingMode | undefined
}

/** Compares the inventories of an original and its result, and applies the policy of the format (`catalog/inventory`). */
export function judge(before: Inventory, after: Inventory, asked: Asked): Judgement {
  const removed: Removed[] = []
  const holder = holderOf(before, asked)
  for (const missing of missingItems(before, after)) {
    const forbidden = permitted(missing, asked, holder, removed)
    if (forbidden) return { removed, forbidden, left: undefined }
  }
  return { removed, forbidden: undefined, left: asked.metadata && firstLeft(after, asked.metadata, holder) }
}

/** Adds the permitted removals of one kind to `removed`. Returns the first loss that is forbidden. */
function permitted(
  { kind, gone, changed }: Missing,
  { format, output, quality, metadata }: Asked,
  holder: MetadataHolder,
  removed: Removed[],
): ForbiddenLoss | undefined {
  const permissions = permissionsOf(ruleOf(format, output, kind)).filter(({ levels }) => levels.includes(quality))
  const byReason = new Map<RemovalReason, number>()
  let [forbidden, example] = [0, '']
  for (const items of [gone, changed])
    for (const [item, count] of items) {
      const isRequested = metadata !== undefined && mayGoWithMetadata(metadata, kind, item, holder)
      const why = isRequested ? 'as_requested' : permissions.find(({ only }) => !only || only(item))?.why
      if (why) byReason.set(why, (byReason.get(why) ?? 0) + count)
      else {
        forbidden += count
        example ||= item
      }
    }
  if (forbidden > 0) return { kind, item: example, count: forbidden }
  for (const [why, count] of byReason) removed.push({ kind, count, why })
  return undefined
}

const isMedia = (format: FormatId) => ['audio', 'video'].includes(FORMATS[format].family)

const permissionsOf = (rule: KindRule): readonly Removal[] => {
  if (rule === 'kept') return []
  return isList(rule) ? rule : [rule]
}

const isList = (rule: Removal | readonly Removal[]): rule is readonly Removal[] => Array.isArray(rule)

/** First item of a result that `mode` removes. */
function firstLeft(inventory: Inventory, mode: RemovingMode, holder: MetadataHolder): Judgement['left'] {
  for (const [kind, items] of inventory) for (const item of items.keys()) if (isRemovedBy(mode, kind, item, holder)) return { kind, item }
  return undefined
}

const CLAIM_KINDS = ['claims', 'document_information'] as const

const holderOf = (inventory: Inventory, { format, output }: Pick<Asked, 'format' | 'output'>): MetadataHolder => ({
  output,
  isMedia: isMedia(format),
  claimsPdfX: CLAIM_KINDS.some((kind) => [...(inventory.get(kind)?.keys() ?? [])].some((item) => isPdfXClaim(nameOfItem(item)))),
})

/** True if a file of a format has items that `mode` removes. */
export const hasRemovable = (inventory: Inventory, mode: RemovingMode, format: FormatId): boolean =>
  firstLeft(inventory, mode, holderOf(inventory, { format, output: format })) !== undefined
