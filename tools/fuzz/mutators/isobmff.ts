/** Mutates MP4 and QuickTime files: boxes and their lengths. Chunk offsets are corrected if the media data moves. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { fromLatin1, latin1, withDamage } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'
import { type Box, mutateTree } from './tree.ts'

const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'udta', 'mvex', 'moof', 'traf'])

export function boxesOf(file: Uint8Array): Box[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= file.length; ) {
    const declared = view.getUint32(at)
    const size = declared >= 8 && at + declared <= file.length ? declared : file.length - at
    const type = latin1(file.subarray(at + 4, at + 8))
    const body = file.slice(at + 8, at + size)
    boxes.push(PARENTS.has(type) ? { type, body: new Uint8Array(), boxes: boxesOf(body) } : { type, body })
    at += size
  }
  return boxes
}

export function movieOfBoxes(boxes: readonly Box[]): Uint8Array {
  return concat(
    boxes.map(({ type, body, boxes: inner }) => {
      const content = inner ? movieOfBoxes(inner) : body
      const head = Buffer.alloc(4)
      head.writeUInt32BE(content.length + 8)
      return concat([head, fromLatin1(type), content])
    }),
  )
}

function mediaStart(boxes: readonly Box[]): number {
  const at = boxes.findIndex(({ type }) => type === 'mdat')
  return at < 0 ? 0 : movieOfBoxes(boxes.slice(0, at)).length
}

/** Adds `by` to all chunk offsets (stco). */
function withMovedChunks(boxes: readonly Box[], by: number): Box[] {
  return boxes.map((box) => {
    if (box.boxes) return { ...box, boxes: withMovedChunks(box.boxes, by) }
    if (box.type !== 'stco') return box
    const body = box.body.slice()
    const view = new DataView(body.buffer)
    for (let at = 8; at + 4 <= body.length; at += 4) view.setUint32(at, view.getUint32(at) + by)
    return { ...box, body }
  })
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const before = boxesOf(file)
  if (before.length < 2) return withDamage(file, random)
  const after = mutateTree(before, random, false)
  return movieOfBoxes(random.chance(0.9) ? withMovedChunks(after, mediaStart(after) - mediaStart(before)) : after)
}

export const ISOBMFF_MUTATOR: Mutator = { container: 'ISOBMFF', formats: ['mp4', 'm4a', 'mov', 'avif', 'heic'], mutate }
