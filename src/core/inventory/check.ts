/** Compares what an original and its result hold. Jobs call it after a codec has verified its result. */

import type { Quality } from '../catalog/levels.ts'
import type { RemovingMode } from '../catalog/metadata.ts'
import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Compressed, Source } from '../model/codec.ts'
import { CodecError } from '../model/error.ts'
import { commonSound, needsCommonForm } from './common-sound.ts'
import { countsKept } from './compare.ts'
import type { Inventory, InventoryReader } from './inventory.ts'
import { type ForbiddenLoss, judge } from './judge.ts'
import { readerOf, readerOfOriginal } from './readers.ts'

export interface InventoryPair {
  readonly format: KnownFormat
  readonly output: OutputId
  readonly original: Source
  readonly result: Source
  readonly signal: AbortSignal
}

/** What the caller asked for, as far as the policy depends on it. */
export interface CheckRequest {
  readonly quality: Quality
  /** Metadata that the result must not have. `undefined`: everything stays. */
  readonly metadata: RemovingMode | undefined
}

export interface Inventories {
  readonly before: Inventory
  readonly after: Inventory
  /** Readers that have read the files, and their libraries, for `verified_by` of the receipt. */
  readonly readers: readonly string[]
}

/**
 * Outcome of a comparison. `none`: the format has no inventory. `kept`: fields for the outcome. `lost`: the result lacks items that it
 * must keep. `unreadable`: the reader cannot read the result.
 */
export type InventoryVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly fields: Pick<Compressed, 'inventory' | 'removed' | 'verifiedBy'> }
  | { readonly kind: 'lost'; readonly loss: ForbiddenLoss }
  | { readonly kind: 'unreadable'; readonly difference: string }

/**
 * Reads the inventories of an original and its result and applies the policy of `quality`.
 * @throws CodecError if the original cannot be read, or one of the files has too many items
 */
export async function checkInventory(pair: InventoryPair & CheckRequest): Promise<InventoryVerdict> {
  let inventories: Inventories | undefined
  try {
    inventories = await readInventories(pair)
  } catch (error) {
    if (!(error instanceof UnreadableResult)) throw error
    return { kind: 'unreadable', difference: error.message }
  }
  if (!inventories) return { kind: 'none' }
  const { before, after, readers } = inventories
  const { removed, forbidden, left } = judge(before, after, {
    format: pair.format.id,
    output: pair.output,
    quality: pair.quality,
    metadata: pair.metadata,
  })
  if (forbidden) return { kind: 'lost', loss: forbidden }
  if (left) return { kind: 'unreadable', difference: `the result still has the ${left.kind} item ${left.item}` }
  const fields = { inventory: countsKept(before, after), verifiedBy: readers }
  return { kind: 'kept', fields: removed.length > 0 ? { ...fields, removed } : fields }
}

/** Error if the inventory reader cannot read the result, although the codec could. */
class UnreadableResult extends Error {
  override readonly name = 'UnreadableResult'
}

/**
 * Reads the inventories of both files. `undefined`: the format or the output has no inventory. A wrapper (`zst`) holds the whole file,
 * which the codec has compared byte by byte, so only the original is read. A wrapped file that cannot be read has no inventory.
 * @throws CodecError if the original cannot be read, or one of the files has too many items
 * @throws UnreadableResult if the structure of the result cannot be read
 */
export async function readInventories({ format, output, original, result, signal }: InventoryPair): Promise<Inventories | undefined> {
  const { wraps } = outputFacts(output)
  const reader = await readerOfOriginal(format.id, output)
  const resultReader = wraps ? reader : await readerOf(output)
  if (!reader || !resultReader) return undefined
  const before = wraps ? await inventoryIfReadable(reader, original, signal) : await inventoryOfOriginal(reader, original, signal)
  if (!before) return undefined
  const after = wraps || result === original ? before : await inventoryOfResult(resultReader, result, signal)
  const names = (wraps ? [format.id] : [format.id, output]).map((id) => `inventory reader for ${id}`)
  const libraries = [reader, resultReader].flatMap(({ library }) => (library === undefined ? [] : [library]))
  const readers = [...new Set([...names, ...libraries])]
  if (!needsCommonForm(format.id, output)) return { before, after, readers }
  const isM4a = format.id === 'm4a' || output === 'm4a'
  return { before: commonSound(before, isM4a), after: commonSound(after, isM4a), readers }
}

/** Returns the inventory of one file. `undefined`: the format has none. @throws CodecError if the file cannot be read */
export async function readInventory(id: OutputId, source: Source, signal: AbortSignal): Promise<Inventory | undefined> {
  const reader = await readerOf(id)
  return reader && (await inventoryOfOriginal(reader, source, signal))
}

/** Inventories by reader of originals that are still in use, because several attempts compare with the same original. */
const KNOWN = new WeakMap<InventoryReader, WeakMap<Source, Promise<Inventory>>>()

function inventoryOfOriginal(reader: InventoryReader, original: Source, signal: AbortSignal): Promise<Inventory> {
  const inventories = KNOWN.get(reader) ?? new WeakMap<Source, Promise<Inventory>>()
  KNOWN.set(reader, inventories)
  const known = inventories.get(original) ?? reader.read(original, signal)
  inventories.set(original, known)
  known.catch(() => inventories.delete(original))
  return known
}

/** Reads the inventory of a file that is wrapped. `undefined`: it cannot be read, for example because the file is damaged. */
async function inventoryIfReadable(reader: InventoryReader, original: Source, signal: AbortSignal): Promise<Inventory | undefined> {
  try {
    return await inventoryOfOriginal(reader, original, signal)
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

async function inventoryOfResult(reader: InventoryReader, result: Source, signal: AbortSignal): Promise<Inventory> {
  try {
    return await reader.read(result, signal, true)
  } catch (error) {
    if (!(error instanceof CodecError) || error.reason === 'over_budget') throw error
    throw new UnreadableResult(`the inventory reader cannot read the result: ${error.message || error.reason}`)
  }
}
