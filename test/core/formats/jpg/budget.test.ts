/** The memory budget decides how a JPEG is compressed. Actual memory is measured in test/conformance. */

import { expect, it } from 'vitest'
import { inEnglish } from '../../../support/in-english.ts'
import { pressTextured, textured } from './textured.ts'

const MIB = 1024 * 1024

it('streams a file if only its result fits into memory', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  // The original coefficients take three times the file size, plus 10 MB and the windows of rows.
  expect((await pressTextured(bytes, { memoryBudget: 10 * MIB + 3 * bytes.length })).outcome.kind).toBe('compressed')
  expect((await pressTextured(bytes, { memoryBudget: 10.5 * MIB })).outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})

it('recodes losslessly a file that exceeds its memory', async () => {
  const bytes = textured(2000, 1500, 1 / 3, 97)
  const { outcome } = await pressTextured(bytes, { lossless: true, memoryBudget: 10 * MIB + 2.6 * bytes.length })
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'compressed',
    steps: ['converted to progressive scans with optimised Huffman tables, DCT coefficients unchanged'],
  })
  // Progressive results cannot be verified if their coefficients do not fit into memory.
  const { outcome: scarce } = await pressTextured(bytes, { lossless: true, memoryBudget: 10 * MIB + 1.5 * bytes.length })
  expect(scarce).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
})
