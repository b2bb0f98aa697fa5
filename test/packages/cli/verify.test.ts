/** Output and exit codes of `whittle verify`. */
import { spawnSync } from 'node:child_process'
import { createHash, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newReceiptKeys } from '../../../src/local/receipt-keys.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PHOTO = join(ROOT, 'docs/photo.jpg')
const folder = mkdtempSync(join(tmpdir(), 'whittle-verify-'))
const [RESULT, RECEIPT, KEYS] = ['photo.jpg', 'receipt.jws', 'keys.json'].map((name) => join(folder, name)) as [string, string, string]
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const node = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT })
const verify = (...args: string[]) => node(join(ROOT, 'packages/cli/bin/whittle.mjs'), 'verify', ...args)
const [key] = JSON.parse(newReceiptKeys()).keys

function receipt(change: object = {}, result: object = {}): string {
  const payload = { ...basePayload, ...change, result: { ...basePayload.result, ...result } }
  const [head, body] = [{ alg: 'EdDSA', kid: key.kid }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return `${head}.${body}.${sign(null, Buffer.from(`${head}.${body}`), { key, format: 'jwk' }).toString('base64url')}`
}

let basePayload: { result: Record<string, unknown>; [field: string]: unknown }
beforeAll(() => {
  const compressed = node('--import', join(ROOT, 'tools/wasm-hook.ts'), join(ROOT, 'tools/try.ts'), PHOTO, '-q', 'low', '-o', folder)
  const { ssim, psnrDb, in: original_size, out: compressed_size } = JSON.parse(compressed.stdout)
  const figures = {
    fidelity: 'perceptual',
    ssim: Math.floor(ssim * 1e4) / 1e4,
    psnr_db: Math.floor(psnrDb * 100) / 100,
    measured_at: 'pixels',
  }
  const hashes = { sha256: sha256(RESULT), original_sha256: sha256(PHOTO) }
  const result = { outcome: 'compressed', ...figures, verified: true, verified_share: 1, ...hashes }
  basePayload = { format: 'jpg', output_format: 'jpg', quality: 'low', original_size, compressed_size, result }
  const { d: _, ...publicKey } = key
  writeFileSync(KEYS, JSON.stringify({ keys: [publicKey] }))
  writeFileSync(RECEIPT, receipt())
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('confirms a true receipt', () => {
  const { stdout, status } = verify(PHOTO, RESULT, RECEIPT, '--jwks', KEYS)
  expect(stdout).toMatch(/^jpg → jpg, perceptual, ssim 0\.9\d+, psnr_db 3\d/)
  for (const field of ['signature', 'original_sha256', 'sha256', 'fidelity', 'ssim', 'psnr_db']) expect(stdout).toContain(`✓ ${field}\n`)
  expect(stdout.trim().split('\n').at(-1)).toBe('true')
  expect(status).toBe(0)
})

it('names the false claims and exits with 1', () => {
  writeFileSync(join(folder, 'proud.jws'), receipt({}, { psnr_db: 48 }))
  const exaggerated = verify(PHOTO, RESULT, join(folder, 'proud.jws'), '--jwks', KEYS)
  expect([exaggerated.status, exaggerated.stdout]).toEqual([
    1,
    expect.stringMatching(/✓ signature\n[\s\S]*✗ psnr_db: the receipt says 48, measured 3\d/),
  ])
  const jws = readFileSync(RECEIPT, 'utf8')
  writeFileSync(join(folder, 'bent.jws'), `${jws.slice(0, 120)}${jws[120] === 'A' ? 'B' : 'A'}${jws.slice(121)}`)
  const tampered = verify(PHOTO, RESULT, join(folder, 'bent.jws'), '--jwks', KEYS)
  expect([tampered.status, tampered.stdout]).toEqual([1, expect.stringContaining('✗ signature: the receipt was changed')])
  const swapped = verify(RESULT, PHOTO, RECEIPT, '--jwks', KEYS, '--json')
  const { holds, findings } = JSON.parse(swapped.stdout) as { holds: boolean; findings: { field: string; verdict: string }[] }
  expect([swapped.status, holds]).toEqual([1, false])
  expect(findings.filter(({ verdict }) => verdict === 'false').map(({ field }) => field)).toEqual(
    expect.arrayContaining(['original_sha256', 'sha256', 'outcome']),
  )
})

it('compares files without a receipt, and reports an unchecked signature without keys', () => {
  expect(verify(PHOTO, RESULT)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^jpg → jpg, perceptual, ssim 0\.9\d+.*\n(?:kept: .*\n)?✓ result\n(?:✓ inventory\n)?true\n$/),
  })
  expect(verify(PHOTO, RESULT, RECEIPT)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\? signature: no keys[\s\S]*true, as far as/),
  })
})

it('exits with 2 if a file cannot be read', () => {
  expect(verify(PHOTO, join(folder, 'nowhere.jpg'))).toMatchObject({ status: 2, stderr: expect.stringContaining('nowhere.jpg') })
  expect(verify(PHOTO)).toMatchObject({ status: 2 })
})
