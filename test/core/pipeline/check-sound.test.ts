/** Tests `whittle verify` of a WAV that became FLAC with fewer bits: its noise is measured again. */
import { expect, it } from 'vitest'
import { check, compressWithReceipt, falseFieldsOfClaim, falseOf, uncheckedFields } from '../../support/receipts.ts'

function floats(count: number): Uint8Array {
  const file = Buffer.alloc(44 + count * 4)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + count * 4, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(3, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(44100, 24)
  file.writeUInt32LE(44100 * 4, 28)
  file.writeUInt16LE(4, 32)
  file.writeUInt16LE(32, 34)
  file.write('data', 36)
  file.writeUInt32LE(count * 4, 40)
  for (let i = 0; i < count; i++) file.writeFloatLE(0.01 * Math.sin(i / 20) + 0.003 * Math.sin(i / 3.7), 44 + i * 4)
  return new Uint8Array(file)
}

it('rejects a claim that is 0.5 dB too high, and confirms a true one', async () => {
  const made = await compressWithReceipt('wav', 'a.wav', floats(30_000), 'flac', 'high')
  const { snr_db } = made.claims.result
  const checked = await check(made, made.claims)
  expect(falseOf(checked)).toEqual([])
  expect(uncheckedFields(checked)).toEqual([])
  expect(checked.measured?.loss?.sound?.snrDb).toBeCloseTo(snr_db!, 1)
  expect(await falseFieldsOfClaim(made, { snr_db: snr_db! + 0.5 })).toContain('snr_db')
})
