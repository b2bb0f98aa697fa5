import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import type { Source } from '../../../src/core/model/codec.ts'
import { rangeStream } from '../../../src/core/model/source.ts'

/** Opens a file as a `Source`. It is read in ranges, so that it need not fit in memory. */
export function fileSource(path: string): Source & Disposable {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  const read = async (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    const bytesRead = readSync(file, bytes, 0, bytes.length, offset)
    return bytes.subarray(0, bytesRead)
  }
  return { name: basename(path), size, read, stream: () => rangeStream(size, read), [Symbol.dispose]: () => closeSync(file) }
}
