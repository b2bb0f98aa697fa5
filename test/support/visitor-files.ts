/** The ten files that visitors of the front page bring in tests: pictures, documents, data, and files that need words. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export const fileOf = (path: string) => join(ROOT, path)

/** Paths of the files. Those that the repository does not have are written to `folder`. */
export function mixedFiles(folder: string): string[] {
  const made = (name: string, content: Uint8Array | string): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  return [
    fileOf('docs/photo.jpg'),
    fileOf('test/fixtures/difficult/coffee.png'),
    fileOf('docs/contributors/growth.svg'),
    fileOf('test/fixtures/pdf/aes-256.pdf'),
    fileOf('test/fixtures/pdf/user-password.pdf'),
    made('measurements.csv', Array.from({ length: 20_000 }, (_, i) => `${i},${(i * 7919) % 1000}`).join('\n')),
    made('scan.png', readFileSync(fileOf('test/fixtures/difficult/coffee.png')).subarray(0, 9_000)),
    made('film.mp4', Buffer.concat([Buffer.from('0000001c667479706d703432000000006d70343269736f6d', 'hex'), Buffer.alloc(400)])),
    made('kitchen.sketch', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31) % 251))),
    made('empty.jpg', ''),
  ]
}

const RATE = 8000
const SECONDS = 20

/** Path of a tone of 20 s, 16 bit, mono. @param coding format tag of the `fmt ` chunk: 1 is PCM */
export function soundFile(folder: string, name: string, coding: number): string {
  const samples = Buffer.alloc(2 * RATE * SECONDS)
  for (let i = 0; i < samples.length / 2; i++) samples.writeInt16LE(Math.round(9000 * Math.sin(i / 4)), 2 * i)
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(coding, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(2 * RATE, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([head, samples]))
  return path
}
