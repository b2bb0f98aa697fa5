/** Digests of values that do not depend on where a file stores texts, sequences and objects. */
import { Digest } from '../digest.ts'
import type { Ranges } from '../ranges.ts'
import { Cursor } from './cursor.ts'
import type { Datatype } from './datatype.ts'
import type { Hdf5File } from './file.ts'
import type { GlobalHeap } from './global-heap.ts'

/** Bytes that are read at once. */
const PIECE_BYTES = 32 * 1024
/** Factor for the cost of values that refer to other places. */
const REFERENCE_COST = 16
/** Number of bytes that the length of a sequence has, before the identifier of its object. */
const COUNT_BYTES = 4

export interface ValueContext {
  readonly file: Hdf5File
  readonly heap: GlobalHeap
  /** Names of objects by address, for references. */
  readonly names: ReadonlyMap<number, string>
}

/** True if values refer to objects by address. */
export function hasReferences(type: Datatype): boolean {
  if (type.kind === 'compound') return type.members.some((member) => hasReferences(member.type))
  if (type.kind === 'sequence' || type.kind === 'array') return hasReferences(type.of)
  return type.kind === 'object' || type.kind === 'region'
}

/** Returns the digest of `count` values. */
export async function digestOfValues(context: ValueContext, type: Datatype, count: number, data: Ranges): Promise<string> {
  const digest = new Digest()
  await addValues(context, digest, type, count, data)
  return digest.finish()
}

async function addValues(context: ValueContext, digest: Digest, type: Datatype, count: number, data: Ranges): Promise<void> {
  const bytes = count * type.bytes
  if (bytes > data.size) throw context.file.malformed(undefined)
  const step = Math.max(1, Math.floor(PIECE_BYTES / Math.max(1, type.bytes))) * type.bytes
  for (let at = 0; at < bytes; at += step) {
    const length = Math.min(step, bytes - at)
    await context.file.spend(type.kind === 'bytes' ? length : length * REFERENCE_COST)
    const piece = await data.bytes(at, length)
    if (type.kind === 'bytes') digest.update(piece)
    else for (let i = 0; i < length; i += type.bytes) await addValue(context, digest, type, piece.subarray(i, i + type.bytes))
  }
}

async function addValue(context: ValueContext, digest: Digest, type: Datatype, bytes: Uint8Array): Promise<void> {
  if (bytes.length < type.bytes) throw context.file.malformed(undefined)
  const cursor = new Cursor(bytes, context.file.sizes)
  switch (type.kind) {
    case 'bytes':
      digest.update(bytes)
      return
    case 'compound':
      for (const { at, type: part } of type.members) await addValue(context, digest, part, bytes.subarray(at, at + part.bytes))
      return
    case 'array':
      for (let i = 0; i < type.count; i++)
        await addValue(context, digest, type.of, bytes.subarray(i * type.of.bytes, (i + 1) * type.of.bytes))
      return
    case 'text': {
      const text = await context.heap.object(cursor.skip(COUNT_BYTES))
      await addText(context, digest, text)
      return
    }
    case 'sequence': {
      const [count, content] = [cursor.u32(), await context.heap.object(cursor)]
      digest.update(`${content ? count : 0} values `)
      if (content) await addValues(context, digest, type.of, count, content)
      return
    }
    case 'object':
      digest.update(`object ${nameIn(context, cursor)} `)
      return
    case 'region': {
      const region = await context.heap.object(cursor)
      if (region) await addRegion(context, digest, region)
      digest.update(' ')
    }
  }
}

/** Adds a text up to a NUL, because programs that read the text see no more. */
async function addText({ file }: ValueContext, digest: Digest, text: Ranges | undefined): Promise<void> {
  for (let at = 0; text && at < text.size; at += PIECE_BYTES) {
    const piece = await text.bytes(at, Math.min(PIECE_BYTES, text.size - at))
    await file.spend(piece.length)
    const end = piece.indexOf(0)
    digest.update(end < 0 ? piece : piece.subarray(0, end))
    if (end >= 0) break
  }
  digest.update('\0')
}

/** Adds the target of a reference to a region of a dataset, and the region if it has the form of version 1. */
async function addRegion(context: ValueContext, digest: Digest, region: Ranges): Promise<void> {
  const bytes = await region.bytes(0, Math.min(PIECE_BYTES, region.size))
  await context.file.spend(bytes.length)
  const cursor = new Cursor(bytes, context.file.sizes)
  digest.update(`region of ${nameIn(context, cursor)} `)
  const [type, version] = [cursor.u32(), cursor.u32()]
  digest.update(`${type} `)
  if (version !== 1) return
  // Some programs store more bytes than the selection has.
  const length = cursor.skip(4).u32()
  digest.update(cursor.take(Math.min(length, cursor.left)))
}

function nameIn({ names }: ValueContext, cursor: Cursor): string {
  const address = cursor.address()
  if (address === undefined || address === 0) return 'null'
  return names.get(address) ?? 'nowhere'
}
