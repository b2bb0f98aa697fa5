/** Children of a BlockGroup. */
import { BLOCK, BLOCK_DURATION, BLOCK_EXTRAS, DISCARD_PADDING, REFERENCE_BLOCK } from '../../../../containers/ebml/track-elements.ts'
import { malformed, unsupported } from '../../../../model/error.ts'
import { type Child, type Content, childrenOf, rootOf } from '../content.ts'
import { signedIn, wholeIn } from './fields.ts'

/** @throws CodecError (malformed) if there is no block, (unsupported_feature) if the block has more than frames */
export function fieldsOfGroup(group: Content, at: number) {
  let block: Child | undefined
  let [duration, discarded, isKey]: [number | undefined, number, boolean] = [undefined, 0, true]
  for (const child of childrenOf(group, 0, rootOf(group).end)) {
    if (child.id === BLOCK) block ??= child
    else if (child.id === BLOCK_DURATION) duration = wholeIn(group, child)
    else if (child.id === REFERENCE_BLOCK) isKey = false
    else if (child.id === DISCARD_PADDING) discarded = signedIn(group, child)
    else if (BLOCK_EXTRAS.includes(child.id)) throw unsupported('mkv_block_additions')
  }
  if (!block) throw malformed('matroska', at, 'mkv_block_damaged')
  return { block, duration, discarded, isKey }
}
