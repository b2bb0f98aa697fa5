/** Compression in workerd gives the same bytes as in Node, where the expected hashes were computed. */
import { expect, it } from 'vitest'
import { brotliStream, unbrotliStream } from '../../../src/core/bytes/brotli.ts'
import { deflateStream } from '../../../src/core/bytes/deflate.ts'
import { sha256Hex } from '../../../src/core/bytes/digest.ts'
import { gunzipStream, gzipStream } from '../../../src/core/bytes/gzip.ts'
import { nodeCrypto } from '../../../src/core/bytes/platform/node.ts'
import { PORTABLE_CIPHERS } from '../../../src/core/bytes/platform/portable-ciphers.ts'
import { PORTABLE_HASHES } from '../../../src/core/bytes/platform/portable-hashes.ts'
import { unzstdStream, zstdStream } from '../../../src/core/bytes/zstd.ts'

const text = new TextEncoder().encode(
  Array.from({ length: 12_000 }, (_, i) => `<row id="${i}" of="${Math.imul(i, i) % 977}" at="${Math.imul(i, 2_654_435_761) >>> 7}"/>`).join(
    '\n',
  ),
)

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.slice(at, at + 100_000)
}

it.each([
  ['zstd', () => zstdStream(slices(text), text.length), unzstdStream, '0bf1efafac3731b8a041a7131ccae1640c40e88fc00a723270bb25bacad9c4e5'],
  [
    'zstd with a shallow search',
    () => zstdStream(slices(text), text.length, 'shallow'),
    unzstdStream,
    'b995a0274c6a1c88087c1debee3dd58d6274aa5835da8b53d5b82a8f1344b21c',
  ],
  [
    'brotli',
    () => brotliStream(slices(text), text.length),
    unbrotliStream,
    '567dd42d4077818877f9eba47d9b3b9f3aa30b5ebfaf39ea8270a9f662024c36',
  ],
  ['gzip', () => gzipStream(slices(text), text.length), gunzipStream, 'e63c51e031017db89a34583158fe91cedfa01849d17202349cbfbdc2bc2e6ad5'],
] as const)('%s', async (_name, compress, decompress, expected) => {
  expect(await sha256Hex(compress())).toBe(expected)
  expect(await sha256Hex(decompress(compress(), text.length))).toBe(await sha256Hex(slices(text)))
})

it('Deflate in segments', async () => {
  expect(await sha256Hex(deflateStream(slices(text), 9))).toBe('ef9f8d83b5978b80f4501284c71348961955febf47268dc9244665afd5daa04d')
})

it('hashes and ciphers of workerd agree with the portable ones', () => {
  const [own, portable] = [nodeCrypto()!, { ...PORTABLE_HASHES, ...PORTABLE_CIPHERS }]
  const key = text.slice(0, 32)
  const [iv, plain] = [text.slice(40, 56), text.slice(100, 1700)]
  for (const port of [own, portable]) expect(port.createHash('sha256').update(plain).digest()).toEqual(own.digestOf('sha256', plain))
  // workerd refused an ECB cipher whose initialisation vector is null (aes-ecb-without-iv).
  expect(own.encryptEcb(key).update(plain)).toEqual(portable.encryptEcb(key).update(plain))
  expect(own.encryptCbc({ key, iv }, false).update(plain)).toEqual(portable.encryptCbc({ key, iv }, false).update(plain))
  expect(own.decryptCbc({ key, iv }).update(plain)).toEqual(portable.decryptCbc({ key, iv }).update(plain))
  expect(own.createHmac('sha1', key).update(plain).digest()).toEqual(portable.createHmac('sha1', key).update(plain).digest())
})
