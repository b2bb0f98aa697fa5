/** Reads inventories in tests, and checks that damage is found. */
import { expect } from 'vitest'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { checkInventory, type InventoryVerdict } from '../../../src/core/inventory/check.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'

const signal = new AbortController().signal

/** Items by kind. */
export async function itemsIn(id: OutputId, bytes: Uint8Array): Promise<{ [kind: string]: string[] }> {
  const inventory = await (await readerOf(id))!.read(memorySource(bytes, 'file'), signal)
  return Object.fromEntries(
    [...inventory].map(([kind, items]) => [kind, [...items].flatMap(([item, count]) => Array<string>(count).fill(item))]),
  )
}

/** Compares two files at level `medium`. */
export const compared = (format: FormatId, output: OutputId, original: Uint8Array, result: Uint8Array): Promise<InventoryVerdict> =>
  checkInventory({
    format: { ...FORMATS[format], id: format } as Parameters<typeof checkInventory>[0]['format'],
    output,
    original: memorySource(original, 'a'),
    result: memorySource(result, 'b'),
    quality: 'medium',
    metadata: undefined,
    signal,
  })

/** Expects an inventory or a `CodecError` for each prefix of a file and for flipped bytes. `step`: bytes between two prefixes. */
export async function expectSurvival(id: OutputId, bytes: Uint8Array, step: number): Promise<void> {
  const survive = (damaged: Uint8Array) =>
    itemsIn(id, damaged).catch((error: unknown) => {
      expect(error).toBeInstanceOf(CodecError)
      return undefined
    })
  for (let end = 0; end < bytes.length; end += step) {
    await survive(bytes.slice(0, end))
    for (const value of [0, 0xff]) {
      const damaged = bytes.slice()
      damaged[end] = value
      await survive(damaged)
    }
  }
}

/** Position of a text in a file. */
export function positionOf(bytes: Uint8Array, text: string, from = 0): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(text, from, 'latin1')
  expect(at, `'${text}' is in the file`).toBeGreaterThanOrEqual(0)
  return at
}

/** Replaces bytes at `at`. */
export function overwritten(bytes: Uint8Array, at: number, text: string): Uint8Array {
  const copy = bytes.slice()
  copy.set(Buffer.from(text, 'latin1'), at)
  return copy
}

/** Changes one byte. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at]! ^= 1
  return copy
}
