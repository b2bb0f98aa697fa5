import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seal } from '../../src/codec/seal.ts'
import { memorySink, type ResultSink } from '../../src/codec/sink.ts'
import { memorySource, readAll } from '../../src/codec/source.ts'
import { openSealedZip } from '../../src/containers/zip/sealed.ts'
import { FORMATS } from '../../src/formats/index.ts'

const noise = (length: number) => {
  let state = 12345
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24)
}
const openSink = async (name: string): Promise<ResultSink> => memorySink(Number.POSITIVE_INFINITY, name)

async function sealZip(bytes: Uint8Array, name: string, password: string) {
  return seal(memorySource(bytes, name), 'png', FORMATS.png, name, password, openSink)
}

/** An independent reader: zip.js. */
async function openElsewhere(sealed: Uint8Array, password: string) {
  const reader = new ZipReader(new BlobReader(new Blob([sealed as Uint8Array<ArrayBuffer>])), { useWebWorkers: false })
  const [entry] = await reader.getEntries()
  if (!entry || entry.directory) throw new Error('no file inside')
  const data = await entry.getData(new Uint8ArrayWriter(), { password, checkSignature: true, useWebWorkers: false })
  return { entry, data }
}

describe('WinZip AES-256 archives', () => {
  const passwords = ['correct horse battery', 'Пароль-密码-é', ' leading and trailing ', 'q"uo\'te$\\%&']
  test.each(passwords)('another reader opens what was sealed with %j', async (password) => {
    const bytes = noise(300_001)
    const { sealed, name, output } = await sealZip(bytes, '图像 é.png', password)
    expect({ name, output }).toEqual({ name: '图像 é.png.zip', output: 'zip' })
    const { entry, data } = await openElsewhere(await readAll(sealed), password)
    expect(entry.filename).toBe('图像 é.png')
    expect(entry.encrypted).toBe(true)
    expect(Buffer.compare(data, bytes)).toBe(0)
    expect(sealed.size).toBeLessThan(bytes.length + 250)
  })

  test('what deflate shrinks is deflated before it is encrypted', async () => {
    const bytes = new TextEncoder().encode('the same words again and again\n'.repeat(20_000))
    const { sealed } = await sealZip(bytes, 'words.bmp', 'secret')
    expect(sealed.size).toBeLessThan(bytes.length / 50)
    const { data } = await openElsewhere(await readAll(sealed), 'secret')
    expect(Buffer.compare(data, bytes)).toBe(0)
  })

  test('a wrong password and a changed byte are noticed', async () => {
    const { sealed } = await sealZip(noise(70_000), 'a.png', 'secret')
    const drain = async (bytes: Uint8Array, password: string) => {
      for await (const _ of openSealedZip(memorySource(bytes, 'a.zip'), password));
    }
    const bytes = await readAll(sealed)
    await expect(drain(bytes, 'Secret')).rejects.toThrow('zip')
    bytes[40_000]! ^= 1
    await expect(drain(bytes, 'secret')).rejects.toThrow('authentication code')
  })

  test('a file that does not open again is never handed out', async () => {
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
    await expect(seal(source, 'png', FORMATS.png, 'a.png', 'secret', broken)).rejects.toThrow()
  })

  test('any bytes, any password', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 5000 }), fc.string({ minLength: 1 }), async (bytes, password) => {
        const { sealed } = await sealZip(bytes, 'x.bin', password)
        const chunks: Uint8Array[] = []
        for await (const chunk of openSealedZip(sealed, password)) chunks.push(chunk)
        expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0)
      }),
      { numRuns: 50, seed: 1 },
    )
  })
})
