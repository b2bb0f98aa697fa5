/** Mutates WAV, AVI and WebP files: chunks and lists with their lengths, padded to even offsets. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { fromLatin1, latin1, withDamage } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'
import { type Box, mutateTree } from './tree.ts'

const isList = (type: string) => type === 'RIFF' || type === 'LIST'

export function riffOf(file: Uint8Array): Box[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= file.length; ) {
    const type = latin1(file.subarray(at, at + 4))
    const size = Math.min(view.getUint32(at + 4, true), file.length - at - 8)
    const body = file.slice(at + 8, at + 8 + size)
    boxes.push(isList(type) && size >= 4 ? { type, body: body.slice(0, 4), boxes: riffOf(body.slice(4)) } : { type, body })
    at += 8 + size + (size & 1)
  }
  return boxes
}

export function riffOfBoxes(boxes: readonly Box[]): Uint8Array {
  return concat(
    boxes.map(({ type, body, boxes: inner }) => {
      const content = inner ? concat([body, riffOfBoxes(inner)]) : body
      const head = Buffer.alloc(4)
      head.writeUInt32LE(content.length)
      return concat([fromLatin1(type), head, content, new Uint8Array(content.length & 1)])
    }),
  )
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const boxes = riffOf(file)
  return boxes[0]?.boxes ? riffOfBoxes(mutateTree(boxes, random, true)) : withDamage(file, random)
}

export const RIFF_MUTATOR: Mutator = { container: 'RIFF', formats: ['wav', 'avi', 'webp'], mutate }
