import { expect, it } from 'vitest'
import { signatureOf } from '../../../tools/fuzz/findings.ts'
import { minimise } from '../../../tools/fuzz/minimise.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

it('reduces a file to the part that reproduces the finding', async () => {
  const file = new TextEncoder().encode(`${'a'.repeat(500)}<bad>${'b'.repeat(300)}</bad>${'c'.repeat(40)}`)
  const shows = async (bytes: Uint8Array) => text(bytes).includes('<bad>') && text(bytes).includes('</bad>')
  expect(text(await minimise(file, shows, 2000))).toBe('<bad></bad>')
})

it('stays within its limit of attempts', async () => {
  let attempts = 0
  const shows = async () => {
    attempts++
    return false
  }
  expect((await minimise(new Uint8Array(1000), shows, 25)).length).toBe(1000)
  expect(attempts).toBe(25)
})

it('treats findings that differ only in numbers as the same', () => {
  const why = (at: number) => `Error: byte ${at}\n    at f (/tree/src/core/formats/png/file.ts:12:${at})`
  const one = signatureOf({ kind: 'crash', format: 'png', why: why(5), processorMs: 1 }, 'png')
  expect(one).toBe('png crash: Error: byte N at src/core/formats/png/file.ts:12')
  expect(signatureOf({ kind: 'crash', format: 'png', why: why(77), processorMs: 9 }, 'png')).toBe(one)
  expect(signatureOf({ kind: 'defect', format: 'png', why: why(5), processorMs: 1 }, 'png')).not.toBe(one)
})
