/** Compares docs/users/receipts.md, README and docs/decisions/checking-receipts.md with the fields of real receipts. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../src/core/catalog/floors.ts'
import { receipt, receiptDocument } from '../../../src/service/http/schemas/receipts.ts'
import { task } from '../../../src/service/http/schemas/tasks.ts'

const text = (path: string) => readFileSync(path, 'utf8')
const [before = '', others = ''] = text('docs/users/receipts.md').split('\n## For others\n')
/** Returns the names in the first column of the tables. */
const named = (section: string) =>
  [...section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
const shapesOf = (union: z.ZodDiscriminatedUnion) => union.options as z.ZodObject[]
const fieldsOf = (union: z.ZodDiscriminatedUnion) => new Set(shapesOf(union).flatMap(({ shape }) => Object.keys(shape)))
const completed = shapesOf(task).find(({ shape }) => 'result' in shape)!
const { reason } = shapesOf(receipt).find(({ shape }) => 'reason' in shape)!.shape as unknown as { reason: z.ZodEnum }
const REASONS = Object.keys(reason.enum)

describe('docs/users/receipts.md', () => {
  it('has a row for every field of a receipt except `detail`, and no other rows', () => {
    const fields = [...fieldsOf(receipt)].filter((field) => field !== 'detail')
    expect(
      named(before)
        .filter((name) => !REASONS.includes(name))
        .sort(),
    ).toEqual(fields.sort())
  })

  it('lists every reason, and no other', () => {
    expect(
      named(before)
        .filter((name) => REASONS.includes(name))
        .sort(),
    ).toEqual([...REASONS].sort())
  })

  it('lists the values of `measured_at` of the schema', () => {
    const { measured_at } = shapesOf(receipt)[0]!.shape as unknown as { measured_at: z.ZodOptional<z.ZodEnum> }
    for (const place of Object.keys(measured_at.unwrap().enum)) expect(before).toContain(`\`${place}\`:`)
  })

  it('states the quality floors', () => {
    expect(before).toContain(`Never below ${FLOOR_SSIM.toFixed(2)} and ${FLOOR_PSNR_DB} dB`)
  })

  it('has a row for every field that only the signed document has', () => {
    const fields = Object.keys(receiptDocument.shape).filter((field) => !(field in completed.shape))
    expect(named(others).sort()).toEqual(fields.sort())
  })

  it('shows a signed document with existing fields in the right order', () => {
    const shown = /```json\n([\s\S]*?)```/.exec(others)?.[1] ?? ''
    const names = [...shown.replace(/\[ \{ "name"[\s\S]*?\} \]/, '[]').matchAll(/"(\w+)":/g)].map(([, name]) => name)
    // The example has neither a password nor a score as its goal.
    const absent = ['encrypted', 'target_score']
    expect(names).toEqual(Object.keys(receiptDocument.shape).filter((field) => !absent.includes(field)))
  })
})

describe('example receipts', () => {
  it.each(['README.md', 'docs/users/receipts.md'])('in %s have existing fields only', (path) => {
    const shown = /```json\n(\{ "outcome"[\s\S]*?)```/.exec(text(path))?.[1] ?? ''
    const hash = 'a'.repeat(64)
    const whole = { sha256: hash, original_sha256: hash, ...JSON.parse(shown.replaceAll('"…"', `"${hash}"`)) }
    expect(receipt.parse(whole)).toEqual(whole)
  })
})

describe('docs/decisions/checking-receipts.md', () => {
  it('states the tolerances', () => {
    const found = /const TOLERANCE = \{ ssim: ([\d.]+), filmSsim: ([\d.]+), decibels: ([\d.]+), points: 0\.5 \}/.exec(
      text('src/core/audit/figures.ts'),
    )
    const [, ssim, film, decibels] = found ?? []
    expect(text('docs/decisions/checking-receipts.md')).toContain(`more by ${ssim}, ${decibels} dB (${film} for films) or half a point`)
  })
})
