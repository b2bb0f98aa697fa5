import { describe, expect, it } from 'vitest'
import { encryptPdf, findObstacleInObjects, verifyEncryptedPdf } from '../../../../src/core/formats/pdf/encrypt.ts'
import { findObstacleInBytes } from '../../../../src/core/formats/pdf/encryptable.ts'
import { latin1 } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { saslPrep } from '../../../../src/core/formats/pdf/security.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { buildPdf, plainDocument } from './build.ts'
import { press } from './run.ts'

const source = (bytes: Uint8Array) => memorySource(bytes, 'x.pdf')

function chunksOf(bytes: Uint8Array, length: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + length))
      at += length
    },
  })
}

async function locked(bytes: Uint8Array, password: string) {
  const sink = memorySink(1 << 24, 'x.pdf')
  await encryptPdf(source(bytes), sink, password)
  return sink.bytes()
}

const titled = plainDocument(6, ['<</Title(A secret title)/Author<feff00e4>>>'])

describe('a PDF encrypted with a password', () => {
  it.each([
    ['classic', buildPdf(titled, { trailer: '/Info 15 0 R' })],
    ['compact', undefined],
  ])('opens with the password and contains the same objects (%s)', async (_, given) => {
    const bytes = given ?? (await press(buildPdf(titled, { trailer: '/Info 15 0 R' }))).bytes
    const sealed = await locked(bytes, 'pässwörd ☂')
    await verifyEncryptedPdf(source(bytes), source(sealed), 'pässwörd ☂')
    expect(Buffer.from(sealed).toString('latin1')).toMatch(/\/ID\s*\[/)
    expect(latin1(sealed)).not.toContain('secret')
    expect(latin1(sealed)).toContain('/AESV3')
  })

  it('does not open with another password', async () => {
    const sealed = await locked(buildPdf(titled), 'right')
    for (const wrong of ['', 'Right', 'right ']) {
      expect((await Reader.open(source(sealed), wrong)).trailer.has('Encrypt')).toBe(true)
    }
  })

  it('fails verification if an object changed', async () => {
    const [one, other] = [buildPdf(plainDocument(6)), buildPdf(plainDocument(7))]
    await expect(verifyEncryptedPdf(source(other), source(await locked(one, 'x')), 'x')).rejects.toThrow()
  })

  it('is returned unchanged by the codec', async () => {
    const sealed = await locked(buildPdf(titled), 'x')
    expect((await press(sealed)).outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted' })
  })

  it('is refused if the source is signed, encrypted or damaged', async () => {
    const signed = buildPdf(plainDocument(3, ['<</Type/Sig/ByteRange [0 1 2 3]>>'], '/AcroForm<</Fields[9 0 R]>>'))
    const sealed = await locked(buildPdf(titled), 'x')
    expect(await findObstacleInObjects(source(buildPdf(titled)))).toBeUndefined()
    expect(await findObstacleInObjects(source(signed))).toBe('signed')
    expect(await findObstacleInObjects(source(sealed))).toBe('encrypted')
    expect(await findObstacleInObjects(source(Buffer.from('%PDF-1.4 nothing')))).toBe('damaged')
    expect(await findObstacleInBytes(source(buildPdf(titled)))).toBeUndefined()
    expect(await findObstacleInBytes(source(signed))).toBe('signed')
    expect(await findObstacleInBytes(source(sealed))).toBe('encrypted')
  })

  it('is refused as signed even if a chunk boundary splits the signature key', async () => {
    const text = Buffer.from(`${'x'.repeat(30)}/ByteRange [0 1]`)
    const inChunks = (bytes: Uint8Array, length: number) => ({ ...source(bytes), stream: () => chunksOf(bytes, length) })
    for (let length = 1; length < text.length; length++)
      expect(await findObstacleInBytes(inChunks(text, length)), `${length}`).toBe('signed')
    expect(await findObstacleInBytes(inChunks(text.subarray(0, 39), 7))).toBeUndefined()
  })
})

describe('SASLprep', () => {
  it.each([
    ['I\u00adX', 'IX'],
    ['\u00aa', 'a'],
    ['\u2168', 'IX'],
    ['a\u00a0b', 'a b'],
  ])('%j', (given, prepared) => expect(new TextDecoder().decode(saslPrep(given))).toBe(prepared))
})
