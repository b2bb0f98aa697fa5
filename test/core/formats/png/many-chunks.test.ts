/** Thousands of chunks, each of which uses more memory than its own bytes. */
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { verifyPng } from '../../../../src/core/formats/png/verify.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../../src/core/pipeline/job.ts'
import { chunk } from '../../../../wasm/png/chunks.ts'
import { withFidelity } from '../../../support/fidelity.ts'

const options = optionsOf(png.format, {}, { quality: 'high' })

const HEADER = Uint8Array.of(0, 0, 0, 64, 0, 0, 0, 64, 8, 0, 0, 0, 0)
const text = (value: string) =>
  chunk(
    'tEXt',
    Uint8Array.from(`Comment\0${value}`, (character) => character.charCodeAt(0)),
  )
const drawing = (...chunks: Uint8Array[]) =>
  concat([
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10),
    chunk('IHDR', HEADER),
    ...chunks,
    chunk('IDAT', deflateSync(new Uint8Array(65 * 64), { level: 0 })),
    chunk('IEND', new Uint8Array()),
  ])
const pack = (file: Uint8Array) =>
  openJob(png, memorySource(file, 'a.png'), {}, options).whole(async () => memorySink(file.length, 'a.png'))
const EXACT = { kind: 'compressed' as const, steps: [] }
const difference = async (before: Uint8Array, after: Uint8Array) =>
  verifyPng(memorySource(before, 'a.png'), memorySource(after, 'b.png'), EXACT, options)

describe('PNG of many chunks', () => {
  it('is rejected with 100,000 chunks, which would need 100 MB', async () => {
    const { outcome } = await pack(drawing(...Array.from({ length: 100_000 }, () => text('x'))))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('keeps each of several thousand chunks', async () => {
    const file = drawing(...Array.from({ length: 3000 }, (_, i) => text(`${i % 1000}`)))
    expect(withFidelity((await pack(file)).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  })

  it('verification counts equal chunks', async () => {
    const [one, two] = [drawing(text('a'), text('b')), drawing(text('a'), text('b'), text('a'))]
    expect(await difference(two, two)).toEqual({ equal: true })
    expect(await difference(two, drawing(text('b'), text('a'), text('a')))).toEqual({ equal: true })
    expect(await difference(two, one)).toEqual({ equal: false, difference: expect.stringContaining('is lost or changed') })
    expect(await difference(one, two)).toEqual({ equal: false, difference: 'tEXt was not in the upload' })
  })
})
