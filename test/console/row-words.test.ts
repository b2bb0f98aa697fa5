/** What the console offers for a file that failed: only what can work. */
import './browser-globals.ts'
import { expect, it } from 'vitest'
import type { Attempt } from '../../console/src/attempts.ts'
import { failureWords, rowWords } from '../../console/src/row-words.ts'

const labelOf = (failure: Parameters<typeof failureWords>[0]) => failureWords(failure, 'Why.').action?.label

it('offers to try again only where the same request can work', () => {
  for (const status of [0, 429, 503]) expect(labelOf({ status })).toBe('Try again')
  for (const type of ['internal', 'overloaded']) expect(labelOf({ type })).toBe('Try again')
  for (const type of ['file_too_large', 'empty_file', 'storage_quota_exceeded', 'plan_not_allowed', 'invalid_parameter']) {
    expect(labelOf({ type, status: 400 }), type).toBeUndefined()
  }
})

it('offers another output, or the size that can be reached', () => {
  expect(failureWords({ type: 'unsupported_format', detected: 'RAR' }, undefined)).toMatchObject({
    detail: 'RAR is not compressed yet. It can be packed as data and comes back byte for byte.',
    action: { label: 'Pack as zst', wishes: { format: 'zst' } },
  })
  expect(failureWords({ type: 'target_unreachable', best_size: 83_100 }, undefined)).toMatchObject({
    action: { wishes: { target_size: '83100' } },
  })
  expect(labelOf({ type: 'unsupported_output' })).toBe('Same format')
})

it('does not offer to pack a file that was packed already', () => {
  const result = { outcome: 'unchanged', reason: 'encrypted', fidelity: 'lossless', sha256: '', original_sha256: '' }
  const words = (output_format: string) => rowWords({ state: 'done', task: { result, output_format } } as unknown as Attempt, 0)
  expect(words('pdf').action?.label).toBe('Pack as zst')
  expect(words('zst').action).toBeUndefined()
})
