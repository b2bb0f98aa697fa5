/** Resuming an interrupted benchmark. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Journal } from '../../tools/bench/journal.ts'

it('measures a file once, and again if its journal line was truncated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'))
  try {
    const path = join(folder, 'scores.jsonl')
    const measured: string[] = []
    const run = async (...keys: string[]) => {
      const journal = new Journal<{ bytes: number }>(path)
      const found: number[] = []
      for (const key of keys) found.push((await journal.getOrMeasure(key, async () => ({ bytes: measured.push(key) }))).bytes)
      return found
    }
    expect(await run('a', 'b')).toEqual([1, 2])
    expect(await run('a', 'b', 'c')).toEqual([1, 2, 3])
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -5))
    expect(await run('c', 'a', 'd')).toEqual([4, 1, 5])
    expect(await run('a', 'b', 'c', 'd')).toEqual([1, 2, 4, 5])
    expect(measured).toEqual(['a', 'b', 'c', 'c', 'd'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('measures only the items of a group that are missing, and keeps their order', async () => {
  const journal = new Journal<number>(undefined)
  const measured: string[][] = []
  const run = (...items: string[]) =>
    journal.getOrMeasureAll(
      items,
      (item) => `key ${item}`,
      async (missing) => {
        measured.push([...missing])
        return missing.map((item) => item.length)
      },
    )
  expect(await run('a', 'bb')).toEqual([1, 2])
  expect(await run('ccc', 'a', 'dddd', 'bb')).toEqual([3, 1, 4, 2])
  expect(await run('bb')).toEqual([2])
  expect(measured).toEqual([
    ['a', 'bb'],
    ['ccc', 'dddd'],
  ])
  await expect(journal.getOrMeasureAll(['e'], String, async () => [])).rejects.toThrow('1 items were to be measured, 0 were')
})
