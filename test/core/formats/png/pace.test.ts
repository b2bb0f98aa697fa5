import { expect, it } from 'vitest'
import { streamPng } from '../../../../src/core/formats/png/file.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { memorySource } from '../../../../src/core/model/source.ts'

const MB = 2 ** 20
const options = { signal: new AbortController().signal } as Options

/** Number of times that other tasks ran while a file with `work` bytes of rows was read, and the longest piece in bytes. */
async function paceOf(bytes: number, work: number): Promise<{ others: number; longest: number }> {
  let others = 0
  let longest = 0
  const { setTimeout } = globalThis
  globalThis.setTimeout = ((go: () => void, ms: number) => {
    others++
    return setTimeout(go, ms)
  }) as typeof setTimeout
  try {
    for await (const piece of streamPng(memorySource(new Uint8Array(bytes), 'a.png'), options, work))
      longest = Math.max(longest, piece.length)
  } finally {
    globalThis.setTimeout = setTimeout
  }
  return { others, longest }
}

it('yields often during a 64 KB drawing with 80 MB of rows, and never inflates it in one call', async () => {
  expect(await paceOf(64 * 1024, 80 * MB)).toEqual({ others: 16, longest: 4096 })
  expect(await paceOf(256 * 1024, 80 * MB)).toEqual({ others: 32, longest: 4096 })
})

it('yields by the size of the rows in a photograph, and not at all in an icon', async () => {
  expect((await paceOf(10 * MB, 20 * MB)).others).toBe(20)
  expect((await paceOf(20_000, 40_000)).others).toBe(0)
})
