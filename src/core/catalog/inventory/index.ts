/** Content that a result must keep, by format: one table per format, one row per kind. */
import type { FormatId } from '../index.ts'
import type { OutputId } from '../outputs.ts'
import type { InventoryKind } from './kinds.ts'
import { MAIL } from './mail.ts'
import { MEDIA } from './media.ts'
import { PACKAGES } from './packages.ts'
import { PDF } from './pdf.ts'
import { PICTURES } from './pictures.ts'
import type { FormatPolicy, KindRule } from './policy.ts'
import { SCIENCE } from './science.ts'
import { SVG } from './svg.ts'
import { TIFF } from './tiff.ts'

/** Formats and outputs that have an inventory. Wrappers (`zst`, `br`, `gz`) have the inventory of the file inside. */
const POLICIES: { readonly [Id in OutputId]?: FormatPolicy } = {
  ...MAIL,
  ...MEDIA,
  ...PACKAGES,
  ...PDF,
  ...PICTURES,
  ...SCIENCE,
  ...SVG,
  ...TIFF,
}

/** Returns the kinds that an inventory of a format or an output may contain. Empty: the format has no inventory. */
export const kindsOf = (id: OutputId): InventoryKind[] => Object.keys(POLICIES[id] ?? {}) as InventoryKind[]

/**
 * Returns the rule of a kind for a conversion from `format` to `output`. In a conversion to another container, kinds that the output
 * has no row for may be missing, with the reason `output_cannot_store`.
 */
export function ruleOf(format: FormatId, output: OutputId, kind: InventoryKind): KindRule {
  const own = POLICIES[format]?.[kind] ?? 'kept'
  if (output === format) return own
  const ofOutput = POLICIES[output]?.[kind]
  return ofOutput ?? { levels: ['high', 'medium', 'low', 'ultra'], why: 'output_cannot_store' }
}
