import { createHash, createPublicKey, sign, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { newReceiptKeys } from '../../src/local/receipt-keys.ts'

it('puts a new key before the public parts of the older keys', () => {
  const first = JSON.parse(newReceiptKeys()).keys
  const second = JSON.parse(newReceiptKeys(first)).keys
  expect(second.map(({ kid, d }: { kid: string; d?: string }) => [kid, d !== undefined])).toEqual([
    [second[0].kid, true],
    [first[0].kid, false],
  ])
  expect(second[0].kid).not.toBe(first[0].kid)
  const { crv, kty, x } = second[0]
  expect(second[0].kid).toBe(createHash('sha256').update(`{"crv":"${crv}","kty":"${kty}","x":"${x}"}`).digest('base64url'))
  const text = Buffer.from('a receipt')
  const signature = sign(null, text, { key: second[0], format: 'jwk' })
  expect(verify(null, text, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature)).toBe(true)
})
