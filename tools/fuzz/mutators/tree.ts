/** Mutates trees of boxes: ISO base media files and RIFF. */
import { withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'

export interface Box {
  readonly type: string
  /** Content of the box. For a box with child boxes: the bytes before them. */
  readonly body: Uint8Array
  readonly boxes?: readonly Box[]
}

/** Makes one change in the tree: to a list of boxes, or to the fields of one box. */
export function mutateTree(boxes: readonly Box[], random: Random, littleEndian: boolean): Box[] {
  const inside = boxes.filter((box) => box.boxes && box.boxes.length > 0)
  if (inside.length > 0 && random.chance(0.8)) {
    const chosen = random.pick(inside)
    return boxes.map((box) => (box === chosen ? { ...box, boxes: mutateTree(box.boxes!, random, littleEndian) } : box))
  }
  if (random.chance(0.35)) return withRearrangedItems(boxes, random)
  return withOne(boxes, random, (box) => {
    if (random.chance(0.05)) return { ...box, type: random.pick(boxes).type }
    if (random.chance(0.3)) return { ...box, body: withDamage(box.body, random) }
    // Most fields are in the first 48 bytes; tables consist of 4-byte words.
    const at = random.chance(0.5) ? random.below(Math.min(48, box.body.length)) : 4 * random.below(box.body.length / 4)
    return { ...box, body: withNumber(box.body, at, random.pick([1, 2, 4, 4]), littleEndian, random) }
  })
}
