/**
 * Tests `whittle verify` on files of every format: it confirms true receipts, and detects false claims, another result and another
 * original.
 */

import { CompactSign, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import { checkFiles, checkReceipt } from '../../../src/core/audit/check.ts'
import { detectOutput } from '../../../src/core/audit/output.ts'
import { type Claims, readReceipt } from '../../../src/core/audit/receipt.ts'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import type { KnownFormat, OutputId } from '../../../src/core/catalog/outputs.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { generatedOnce } from '../../support/generated.ts'
import { GENERATORS, type Generated } from '../../support/generators.ts'
import { inEnglish } from '../../support/in-english.ts'
import { CODECS, check, falseFields, falseOf, type Made, sha256, withReceipt } from '../../support/receipts.ts'
import { fewOf } from '../../support/thorough.ts'

const IDS = Object.keys(FORMATS) as FormatId[]

async function generated(id: FormatId, row: Generated, quality: Quality, output = row.output ?? FORMATS[id].outputs[0]): Promise<Made> {
  return withReceipt(id, row.name, { quality, output }, await generatedOnce(id, row, quality, output))
}

/** Returns the result of the format's first generated file at `low`. */
const example = (id: FormatId): Promise<Made> => generated(id, GENERATORS[id][0], 'low')

describe.each(IDS)('%s', (id) => {
  const levels: Quality[] = [...('ultra' in FORMATS[id] && FORMATS[id].ultra ? (['ultra'] as const) : []), 'low', 'medium', 'high']

  it.each(GENERATORS[id])('$holds: confirms the receipt at every level, with the fidelity that it claims', async (row) => {
    for (const quality of fewOf(levels, 1)) {
      const made = await generated(id, row, quality)
      const checked = await check(made, made.claims)
      expect(falseOf(checked), quality).toEqual([])
      if (made.claims.result.outcome === 'unchanged') continue
      expect(['unknown', made.claims.result.fidelity]).toContain(checked.fidelity)
    }
  })

  it('detects every false claim', async () => {
    const made = await example(id)
    const { claims } = made
    const claimFalsely = async (change: Partial<Claims>, result: Partial<Claims['result']> = {}) =>
      falseFields(await check(made, { ...claims, ...change, result: { ...claims.result, ...result } } as Claims))
    expect(await claimFalsely({ original_size: claims.original_size + 1 })).toContain('original_size')
    expect(await claimFalsely({ compressed_size: claims.compressed_size - 1 })).toContain('compressed_size')
    expect(await claimFalsely({}, { original_sha256: sha256(made.bytes.subarray(1)) })).toContain('original_sha256')
    expect(await claimFalsely({}, { sha256: sha256(made.file.subarray(1)) })).toContain('sha256')
    expect(await claimFalsely({ format: id === 'dxf' ? 'text' : 'dxf' })).toContain('format')
    if (claims.result.outcome === 'unchanged') return
    expect(await claimFalsely({}, { outcome: 'unchanged' })).toContain('outcome')
    const { ssim, psnr_db, snr_db, ssimulacra2, fidelity } = claims.result
    const other = fidelity === 'lossless' ? 'perceptual' : 'lossless'
    expect(
      await claimFalsely({}, { fidelity: other, ...(other === 'perceptual' ? { ssim: 0.95, psnr_db: 40, measured_at: 'pixels' } : {}) }),
    ).toContain('fidelity')
    if (ssim !== undefined) expect(await claimFalsely({}, { ssim: ssim + (1 - ssim) * 0.9 })).not.toEqual([])
    if (psnr_db !== undefined) expect(await claimFalsely({}, { psnr_db: psnr_db + 3 })).not.toEqual([])
    // The first 1,152 samples of a film's sound (a third of this example) are not measured, so the tolerance is large.
    if (snr_db !== undefined) expect(await claimFalsely({}, { snr_db: snr_db + 4 })).not.toEqual([])
    if (ssimulacra2 !== undefined) expect(await claimFalsely({}, { ssimulacra2: ssimulacra2 + 1 })).toEqual(['ssimulacra2'])
  })

  it('detects another result and another original', async () => {
    const made = await example(id)
    if (made.claims.result.outcome === 'unchanged') return
    const middle = Math.floor(made.bytes.length / 2)
    const damaged = made.bytes.with(middle, made.bytes[middle]! ^ 0x55)
    expect(falseFields(await check({ ...made, bytes: damaged }, made.claims))).toContain('sha256')
    const foreign = await example(id === 'bmp' ? 'text' : 'bmp')
    const swapped = falseFields(await check({ ...made, bytes: foreign.bytes }, made.claims))
    expect(swapped).toEqual(expect.arrayContaining(['sha256', 'result']))
    expect(falseFields(await check({ ...made, file: foreign.file }, made.claims))).toEqual(
      expect.arrayContaining(['original_sha256', 'format']),
    )
  })

  it('measures both files without a receipt, and rejects a result of another original', async () => {
    const made = await example(id)
    const sources = (file: Uint8Array, bytes: Uint8Array) =>
      [memorySource(file, made.name), memorySource(bytes, `${made.name}.${made.claims.output_format}`)] as const
    const [original, result] = sources(made.file, made.bytes)
    const format: KnownFormat = FORMATS[id]
    const checked = await checkFiles(original, result, await detectOutput(format, result), CODECS)
    expect(falseOf(checked)).toEqual([])
    if (made.claims.result.outcome === 'unchanged') expect(checked.fidelity).toBe('same bytes')
    else expect(['unknown', made.claims.result.fidelity]).toContain(checked.fidelity)
    const foreign = await example(id === 'bmp' ? 'text' : 'bmp')
    const [, other] = sources(made.file, foreign.bytes)
    expect(falseFields(await checkFiles(original, other, await detectOutput(format, other), CODECS))).toEqual(['result'])
  })
})

describe('a converted file', () => {
  const CONVERSIONS: readonly (readonly [FormatId, OutputId])[] = [
    ['jpg', 'webp'],
    ['jpg', 'avif'],
    ['png', 'jpg'],
    ['png', 'webp'],
    ['png', 'avif'],
    ['bmp', 'jpg'],
    ['bmp', 'webp'],
    ['heic', 'webp'],
    ['text', 'br'],
    ['text', 'gz'],
    ['dicom', 'zst'],
    ['nifti', 'gz'],
    ['wav', 'mp3'],
    ['avi', 'mp4'],
    ['mov', 'mp4'],
  ]

  it.each(CONVERSIONS)('%s as %s: confirms the receipt, and detects a false claim', async (id, output) => {
    const [row] = GENERATORS[id]
    const made = await generated(id, row, 'medium', output)
    expect(made.claims.result.outcome).toBe('compressed')
    const checked = await check(made, made.claims)
    expect(falseOf(checked)).toEqual([])
    expect(checked.fidelity).toBe(made.claims.result.fidelity)
    const { psnr_db, snr_db, ssim } = made.claims.result
    const claimFalsely = async (result: object) =>
      falseFields(await check(made, { ...made.claims, result: { ...made.claims.result, ...result } } as Claims))
    if (psnr_db !== undefined) expect(await claimFalsely({ psnr_db: psnr_db + 1 })).toContain('psnr_db')
    if (ssim !== undefined) expect(await claimFalsely({ ssim: Math.min(1, ssim + 0.01) })).not.toEqual([])
    if (snr_db !== undefined) expect(await claimFalsely({ snr_db: snr_db + 4 })).not.toEqual([])
    const wrong = falseFields(await check(made, { ...made.claims, output_format: id === 'text' ? 'zst' : 'text' }))
    expect(wrong).not.toEqual([])
  })
})

describe('a receipt', () => {
  it('of an encrypted result: checks the hashes, and lists what it cannot check', async () => {
    const made = await example('text')
    const encrypted = new TextEncoder().encode('not to be read')
    const claims: Claims = {
      ...made.claims,
      encrypted: true,
      compressed_size: encrypted.length,
      result: { ...made.claims.result, sha256: sha256(encrypted) },
    }
    const checked = await check({ ...made, bytes: encrypted }, claims)
    expect(falseOf(checked)).toEqual([])
    expect(checked.findings.filter(({ verdict }) => verdict === 'unchecked').map(({ field }) => field)).toEqual([
      'signature',
      'result',
      'fidelity',
      'figures',
    ])
    expect(falseFields(await check({ ...made, bytes: made.bytes }, claims))).toEqual(['compressed_size', 'sha256'])
  })

  it('that is invalid is reported', async () => {
    const made = await example('text')
    const [original, result] = [memorySource(made.file, 'a'), memorySource(made.bytes, 'b')]
    for (const text of ['', '{}', 'a.b.c', '{"format":"text"}'])
      expect(falseFields(await checkReceipt(original, result, await readReceipt(text, undefined), CODECS))).toEqual(['receipt'])
  })

  it('has a valid signature of a known key, and no byte of it can be changed', async () => {
    const made = await example('text')
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }
    const payload = new TextEncoder().encode(JSON.stringify(made.claims))
    const jws = await new CompactSign(payload).setProtectedHeader({ alg: 'EdDSA', kid: 'k' }).sign(privateKey)
    const findingsOf = async (text: string, trusted: JSONWebKeySet | undefined) =>
      (await checkReceipt(memorySource(made.file, 'a.csv'), memorySource(made.bytes, 'b'), await readReceipt(text, trusted), CODECS))
        .findings
    expect((await findingsOf(jws, keys))[0]).toEqual({ field: 'signature', verdict: 'true' })
    expect((await findingsOf(jws, undefined))[0]).toMatchObject({ field: 'signature', verdict: 'unchecked' })
    expect(inEnglish((await findingsOf(jws, { keys: [{ ...keys.keys[0], kid: 'other' }] }))[0])).toMatchObject({
      verdict: 'false',
      detail: 'no key of the given JWKS matches the key id of the receipt',
    })
    for (const at of [jws.indexOf('.') + 30, jws.lastIndexOf('.') + 7]) {
      const changed = jws.slice(0, at) + (jws[at] === 'A' ? 'B' : 'A') + jws.slice(at + 1)
      expect((await findingsOf(changed, keys))[0]).toMatchObject({ field: 'signature', verdict: 'false' })
    }
  })
})
