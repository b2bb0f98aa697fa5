/** Checks the statements of a receipt about what the original holds besides pixels and samples (`inventory` and `removed`). */
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { Quality } from '../catalog/levels.ts'
import { EN } from '../i18n/en.ts'
import { ZH } from '../i18n/zh.ts'
import { type Inventories, type InventoryPair, readInventories } from '../inventory/check.ts'
import { countsKept, type Missing, missingItems } from '../inventory/compare.ts'
import { judge } from '../inventory/judge.ts'
import { type Finding, finding, unchecked } from './finding.ts'
import { withHeldFile } from './held-file.ts'
import type { Claims } from './receipt.ts'

/** What the check found in both files. */
export interface InventoryReport {
  /** Number of items by kind that both files have. */
  readonly kept: { readonly [Kind in InventoryKind]?: number }
  /** Number of items by kind that only the original has, or that were changed. */
  readonly missing: { readonly [Kind in InventoryKind]?: number }
}

export interface CheckedInventory {
  /** `undefined`: the format has no inventory, or a file cannot be read. */
  readonly inventory?: InventoryReport
  readonly findings: readonly Finding[]
}

/**
 * Reads both inventories again and checks the receipt. Without a receipt, a loss is false if the policy forbids it at every level of
 * `qualities`.
 */
export async function checkInventoryClaims(
  pair: Omit<InventoryPair, 'signal'>,
  qualities: readonly Quality[],
  claims?: Claims,
): Promise<CheckedInventory> {
  let inventories: Inventories | undefined
  let held = pair
  try {
    held = await withHeldFile(pair)
    inventories = await readInventories({ ...held, signal: new AbortController().signal })
  } catch (error) {
    return { findings: [unchecked('inventory', error instanceof Error ? error.message : String(error))] }
  }
  if (!inventories) return { findings: [] }
  const { before, after } = inventories
  const missing = missingItems(before, after)
  const inventory = { kept: countsKept(before, after), missing: Object.fromEntries(missing.map((one) => [one.kind, countOf(one)])) }
  const findings = claims ? claimFindings(claims, inventory, missing) : policyFindings(inventories, held, qualities)
  return { inventory, findings }
}

const countOf = ({ gone, changed }: Missing) => [...gone.values(), ...changed.values()].reduce((sum, count) => sum + count, 0)

function policyFindings({ before, after }: Inventories, { format, output }: Omit<InventoryPair, 'signal'>, qualities: readonly Quality[]) {
  const judgements = qualities.map((quality) => judge(before, after, { format: format.id, output, quality, metadata: undefined }))
  const forbidden = judgements.every((one) => one.forbidden) ? judgements[0]?.forbidden : undefined
  return [
    finding(
      'inventory',
      !forbidden,
      forbidden && `the result lacks ${forbidden.count} ${EN[`kind_${forbidden.kind}`]}, for example ${forbidden.item}`,
    ),
  ]
}

/** Compares claimed counts with counted items. Receipts of older releases have no inventory, and then nothing is claimed. */
function claimFindings({ result }: Claims, { kept }: InventoryReport, missing: readonly Missing[]): Finding[] {
  if (!result.inventory) return []
  const counts: { readonly [kind: string]: number | undefined } = kept
  const wrong = Object.entries(result.inventory).flatMap(([kind, claimed]) =>
    claimed === (counts[kind] ?? 0) ? [] : [`the receipt says ${claimed} ${kind}, both files have ${counts[kind] ?? 0}`],
  )
  const unsaid = missing.flatMap((one) => {
    const [count, said] = [countOf(one), saidOf(result.removed ?? [], one.kind)]
    return said >= count ? [] : [`${count} ${EN[`kind_${one.kind}`]} are gone or changed, the receipt says ${said}`]
  })
  return [finding('inventory', wrong.length === 0, wrong.join(', ')), finding('removed', unsaid.length === 0, unsaid.join(', '))]
}

/** Number of removed items of a kind that a receipt states, in English or Chinese. */
function saidOf(removed: readonly { readonly what: string; readonly count: number }[], kind: InventoryKind): number {
  const names: readonly string[] = [EN[`kind_${kind}`], ZH[`kind_${kind}`]]
  return removed.reduce((sum, { what, count }) => (names.includes(what) ? sum + count : sum), 0)
}
