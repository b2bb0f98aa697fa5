import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { gzipLevel, gzipMethod, gzipStream } from '../../../src/core/bytes/gzip.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const chunks = (async function* () {
    yield bytes
  })()
  for await (const piece of gzipStream(chunks, bytes.length)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const random = randomNumbers(1)
const noise = (length: number) => Uint8Array.from({ length }, () => random() * 256)
const log = Buffer.from(
  Array.from({ length: 3000 }, (_, at) => `Jun ${at % 30} 04:${at % 60} sshd(${Math.floor(random() * 3e4)}): failure; uid=0\n`).join(''),
)

describe('gzip', () => {
  it.each([
    ['nothing', new Uint8Array()],
    ['a byte', Uint8Array.of(7)],
    ['incompressible data', noise(300_000)],
    ['a log', log],
    ['data above the limit of optimal parsing', Buffer.concat([noise(2 << 20), log])],
  ])('round trip of %s, hardly longer than the input', async (_name, bytes) => {
    const packed = await gzip(bytes)
    expect(gunzipSync(packed).equals(bytes)).toBe(true)
    expect(packed.length).toBeLessThan(bytes.length * 1.001 + 40)
  })

  it('parses up to two megabytes optimally, clearly smaller than zlib’s best level', async () => {
    expect((await gzip(log)).length).toBeLessThan(gzipSync(log, { level: 9 }).length * 0.95)
    expect([gzipMethod(log.length), gzipMethod(3_000_000), gzipLevel(3_000_000)]).toEqual(['optimal', 12, 12])
  })
})
