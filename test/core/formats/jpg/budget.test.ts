/** What a JPEG may take of memory decides what is done with it. How much it does take is measured in test/conformance. */

import { expect, it } from 'vitest'
import { inEnglish } from '../../../support/in-english.ts'
import { pressTextured, textured } from './textured.ts'

const MIB = 1024 * 1024

it('has room for what is made where there is none for what came', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  // What came takes three times its bytes beside ten megabytes and the windows of its rows.
  expect((await pressTextured(bytes, { memoryBudget: 10 * MIB + 3 * bytes.length })).outcome.kind).toBe('compressed')
  expect((await pressTextured(bytes, { memoryBudget: 10.5 * MIB })).outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})

it('codes again without loss what is larger than its memory', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  const { outcome } = await pressTextured(bytes, { lossless: true, memoryBudget: 10 * MIB + 2.6 * bytes.length })
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'compressed',
    steps: ['same coefficients, progressive scans with optimal Huffman tables'],
  })
  // Progressive scans cannot be verified where their coefficients have no room.
  const { outcome: scarce } = await pressTextured(bytes, { lossless: true, memoryBudget: 10 * MIB + 1.5 * bytes.length })
  expect(scarce).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})
