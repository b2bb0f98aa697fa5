/** Checks that the receipt reports objects that were removed because the document does not use them. */

import { expect, it } from 'vitest'
import { textsOf } from '../../../support/in-english.ts'
import { buildPdf, linearised, plainDocument } from './build.ts'
import { press } from './run.ts'

async function stepsOf(bytes: Uint8Array): Promise<string> {
  const { outcome } = await press(bytes, 'high')
  return outcome.kind === 'compressed' ? (textsOf(outcome.steps) ?? []).join('\n') : outcome.kind
}

it('the receipt counts unreferenced objects', async () => {
  const lost = ['<</Title(Old chapter)>>', '<</Title(Another)>>', '12']
  expect(await stepsOf(buildPdf(plainDocument(2, lost)))).toContain('2 objects removed that nothing in the result refers to')
})

it('the receipt counts earlier versions of changed objects', async () => {
  const first = Buffer.from(buildPdf(plainDocument(2))).toString('latin1')
  const start = Number(/startxref\n(\d+)/.exec(first)?.[1])
  const at = first.length
  const changed = '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<<>>>>\nendobj\n'
  const table = `xref\n3 1\n${String(at).padStart(10, '0')} 00000 n \ntrailer\n<</Size 7/Root 1 0 R/Prev ${start}>>\nstartxref\n${at + changed.length}\n%%EOF\n`
  const bytes = Uint8Array.from(first + changed + table, (c) => c.charCodeAt(0))
  expect(await stepsOf(bytes)).toContain('1 earlier versions of changed objects removed')
})

it('the receipt has no such step if the file has no unused objects', async () => {
  for (const bytes of [buildPdf(plainDocument(3)), linearised('1.4')]) expect(await stepsOf(bytes)).not.toContain('removed')
})
