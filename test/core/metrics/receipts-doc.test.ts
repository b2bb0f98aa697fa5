/** docs/users/receipts.md, README and docs/decisions/checking-receipts.md against what receipts really have. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../src/core/catalog/floors.ts'
import { receipt, receiptDocument } from '../../../src/service/http/schemas/receipts.ts'
import { task } from '../../../src/service/http/schemas/tasks.ts'

const text = (path: string) => readFileSync(path, 'utf8')
const [before = '', others = ''] = text('docs/users/receipts.md').split('\n## For others\n')
/** Names in the first column of the tables of a text. */
const named = (section: string) =>
  [...section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
const shapesOf = (union: z.ZodDiscriminatedUnion) => union.options as z.ZodObject[]
const fieldsOf = (union: z.ZodDiscriminatedUnion) => new Set(shapesOf(union).flatMap(({ shape }) => Object.keys(shape)))
const completed = shapesOf(task).find(({ shape }) => 'result' in shape)!
const { reason } = shapesOf(receipt).find(({ shape }) => 'reason' in shape)!.shape as unknown as { reason: z.ZodEnum }
const REASONS = Object.keys(reason.enum)

describe('docs/users/receipts.md', () => {
  it('has a row for every field of a receipt but `detail`, which its reasons tell of, and for no other', () => {
    const fields = [...fieldsOf(receipt)].filter((field) => field !== 'detail')
    expect(
      named(before)
        .filter((name) => !REASONS.includes(name))
        .sort(),
    ).toEqual(fields.sort())
  })

  it('tells every reason, and no other', () => {
    expect(
      named(before)
        .filter((name) => REASONS.includes(name))
        .sort(),
    ).toEqual([...REASONS].sort())
  })

  it('tells the places of the schema', () => {
    const { measured_at } = shapesOf(receipt)[0]!.shape as unknown as { measured_at: z.ZodOptional<z.ZodEnum> }
    for (const place of Object.keys(measured_at.unwrap().enum)) expect(before).toContain(`\`${place}\`:`)
  })

  it('has the floors', () => {
    expect(before).toContain(`Never below ${FLOOR_SSIM.toFixed(2)} and ${FLOOR_PSNR_DB} dB`)
  })

  it('has a row for every field of the signed document that tasks do not have', () => {
    const fields = Object.keys(receiptDocument.shape).filter((field) => !(field in completed.shape))
    expect(named(others).sort()).toEqual(fields.sort())
  })

  it('shows a signed document with fields that there are, in their order', () => {
    const shown = /```json\n([\s\S]*?)```/.exec(others)?.[1] ?? ''
    const names = [...shown.replace(/\[ \{ "name"[\s\S]*?\} \]/, '[]').matchAll(/"(\w+)":/g)].map(([, name]) => name)
    expect(names).toEqual(Object.keys(receiptDocument.shape).filter((field) => field !== 'encrypted'))
  })
})

describe('receipts that are shown', () => {
  it.each(['README.md', 'docs/users/receipts.md'])('in %s have fields that there are', (path) => {
    const shown = /```json\n(\{ "outcome"[\s\S]*?)```/.exec(text(path))?.[1] ?? ''
    const hash = 'a'.repeat(64)
    const whole = { sha256: hash, original_sha256: hash, ...JSON.parse(shown.replaceAll('"…"', `"${hash}"`)) }
    expect(receipt.parse(whole)).toEqual(whole)
  })
})

describe('docs/decisions/checking-receipts.md', () => {
  it('has the tolerances', () => {
    const found = /const TOLERANCE = \{ ssim: ([\d.]+), filmSsim: ([\d.]+), decibels: ([\d.]+), points: 0\.5 \}/.exec(
      text('src/core/audit/figures.ts'),
    )
    const [, ssim, film, decibels] = found ?? []
    expect(text('docs/decisions/checking-receipts.md')).toContain(`more by ${ssim}, ${decibels} dB (${film} for films) or half a point`)
  })
})
