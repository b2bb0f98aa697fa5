import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import fc from 'fast-check'
import officeCrypto from 'officecrypto-tool'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../../src/core/catalog/index.ts'
import { openCompoundFile } from '../../../src/core/containers/cfb/read.ts'
import { openEncryptedZip } from '../../../src/core/containers/zip/encrypted.ts'
import { decryptOoxml } from '../../../src/core/formats/office/encrypt.ts'
import type { Source } from '../../../src/core/model/codec.ts'
import { memorySink, type ResultSink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { encryptResult, type PlainResult } from '../../../src/core/pipeline/encrypt.ts'
import { passwordObstacle } from '../../../src/core/pipeline/password.ts'
import { fewOf, roundsOf } from '../../support/thorough.ts'

const noise = (length: number) => {
  let state = 12345
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24)
}
const openSink = async (name: string): Promise<ResultSink> => memorySink(Number.POSITIVE_INFINITY, name)

async function sealZip(bytes: Uint8Array, name: string, password: string) {
  return encryptResult({ source: memorySource(bytes, name), output: 'png', format: FORMATS.png, name }, password, openSink)
}

/** Opens an archive with an independent reader: zip.js. */
async function openElsewhere(encrypted: Uint8Array, password: string) {
  const reader = new ZipReader(new BlobReader(new Blob([encrypted as Uint8Array<ArrayBuffer>])), { useWebWorkers: false })
  const [entry] = await reader.getEntries()
  if (!entry || entry.directory) throw new Error('no file inside')
  const data = await entry.getData(new Uint8ArrayWriter(), { password, checkSignature: true, useWebWorkers: false })
  return { entry, data }
}

describe('WinZip AES-256 archives', () => {
  const passwords = ['correct horse battery', 'Пароль-密码-é', ' leading and trailing ', 'q"uo\'te$\\%&']
  test.each(passwords)('another reader opens an archive encrypted with %j', async (password) => {
    const bytes = noise(300_001)
    const { encrypted, name, output } = await sealZip(bytes, '图像 é.png', password)
    expect({ name, output }).toEqual({ name: '图像 é.png.zip', output: 'zip' })
    const { entry, data } = await openElsewhere(await readAll(encrypted), password)
    expect(entry.filename).toBe('图像 é.png')
    expect(entry.encrypted).toBe(true)
    expect(Buffer.compare(data, bytes)).toBe(0)
    expect(encrypted.size).toBeLessThan(bytes.length + 250)
  })

  test('compressible data is deflated before it is encrypted', async () => {
    const bytes = new TextEncoder().encode('the same words again and again\n'.repeat(20_000))
    const { encrypted } = await sealZip(bytes, 'words.bmp', 'secret')
    expect(encrypted.size).toBeLessThan(bytes.length / 50)
    const { data } = await openElsewhere(await readAll(encrypted), 'secret')
    expect(Buffer.compare(data, bytes)).toBe(0)
  })

  test('a wrong password and a changed byte are detected', async () => {
    const { encrypted } = await sealZip(noise(70_000), 'a.png', 'secret')
    const drain = async (bytes: Uint8Array, password: string) => {
      for await (const _ of openEncryptedZip(memorySource(bytes, 'a.zip'), password));
    }
    const bytes = await readAll(encrypted)
    await expect(drain(bytes, 'Secret')).rejects.toThrow('zip')
    bytes[40_000]! ^= 1
    await expect(drain(bytes, 'secret')).rejects.toThrow('authentication code')
  })

  test('a file that does not decrypt is never returned', async () => {
    const broken = async (name: string): Promise<ResultSink> => {
      const sink = memorySink(Number.POSITIVE_INFINITY, name)
      return Object.assign(sink, {
        finish: async () => {
          const bytes = sink.bytes().slice()
          bytes[bytes.length >> 1]! ^= 16
          return memorySource(bytes, name)
        },
      })
    }
    const source = memorySource(noise(5000), 'a.png')
    await expect(encryptResult({ source, output: 'png', format: FORMATS.png, name: 'a.png' }, 'secret', broken)).rejects.toThrow()
  })

  test('round trip of any bytes with any password', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 5000 }), fc.string({ minLength: 1 }), async (bytes, password) => {
        const { encrypted } = await sealZip(bytes, 'x.bin', password)
        const chunks: Uint8Array[] = []
        for await (const chunk of openEncryptedZip(encrypted, password)) chunks.push(chunk)
        expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0)
      }),
      { numRuns: 50, seed: 1 },
    )
  })
})

describe('agile ECMA-376 encryption', () => {
  const zipLike = (length: number) => Uint8Array.from([0x50, 0x4b, 3, 4, ...noise(length - 4)])
  const docx = (source: Source): PlainResult => ({ source, output: 'docx', format: FORMATS.docx, name: 'a.docx' })
  const sealDocx = (bytes: Uint8Array, password: string) => encryptResult(docx(memorySource(bytes, 'a.docx')), password, openSink)

  // Up to 4 KB the package is in the mini stream. Above 7.1 MB the sector table no longer fits into the header.
  test.each(fewOf([4088, 800, 20_000, 8_000_003, 4089], 2))('another reader opens a package of %i bytes', async (length) => {
    const bytes = zipLike(length)
    const { encrypted, name, output } = await sealDocx(bytes, 'Пароль-密码-é')
    expect({ name, output }).toEqual({ name: 'a.docx', output: 'docx' })
    expect(encrypted.size % 512).toBe(0)
    const opened = await officeCrypto.decrypt(Buffer.from(await readAll(encrypted)), { password: 'Пароль-密码-é' })
    expect(Buffer.compare(opened, bytes)).toBe(0)
    const file = await openCompoundFile(encrypted)
    expect([...file.paths].sort()).toEqual([
      '\x06DataSpaces/DataSpaceInfo/StrongEncryptionDataSpace',
      '\x06DataSpaces/DataSpaceMap',
      '\x06DataSpaces/TransformInfo/StrongEncryptionTransform/\x06Primary',
      '\x06DataSpaces/Version',
      'EncryptedPackage',
      'EncryptionInfo',
    ])
  })

  test('a wrong password and a changed byte are detected', async () => {
    const { encrypted } = await sealDocx(zipLike(20_000), 'secret')
    const bytes = await readAll(encrypted)
    const drain = async (password: string) => {
      for await (const _ of decryptOoxml(memorySource(bytes, 'a.docx'), password));
    }
    await expect(drain('secret ')).rejects.toThrow('the password is wrong')
    bytes[bytes.length - 3000]! ^= 1
    await expect(drain('secret')).rejects.toThrow('HMAC of the encrypted document')
  })

  test('an encrypted document keeps its own password', async () => {
    const { encrypted } = await sealDocx(zipLike(5000), 'first')
    expect(await passwordObstacle(encrypted, FORMATS.docx)).toBe('encrypted')
    expect(await passwordObstacle(memorySource(zipLike(100), 'a.docx'), FORMATS.docx)).toBeUndefined()
    const again = await encryptResult(docx(encrypted), 'second', openSink)
    expect(again.name).toBe('a.docx.zip')
  })

  test('damaged compound files are rejected quickly', async () => {
    const { encrypted } = await sealDocx(zipLike(9000), 'secret')
    const bytes = await readAll(encrypted)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), async (at, value, end) => {
        const damaged = bytes.slice(0, end)
        if (at < end) damaged[at] = value
        const file = await openCompoundFile(memorySource(damaged, 'a.docx')).catch((error: Error) => error)
        if (file instanceof Error) expect(file).toMatchObject({ name: 'CodecError', reason: 'malformed' })
        else {
          for (const path of file.paths) {
            try {
              const stream = file.open(path)
              await stream?.read(0, Math.min(stream.size, 100_000))
            } catch (error) {
              expect(error).toMatchObject({ name: 'CodecError', reason: 'malformed' })
            }
          }
        }
      }),
      { numRuns: roundsOf(300), seed: 7 },
    )
  })
})
