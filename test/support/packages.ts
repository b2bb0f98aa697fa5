/** Generates small documents for the tests of packages. */
import { crc32, deflateSync } from 'node:zlib'
import { BlobReader, BlobWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import type { Codec, Codecs, Inner, InnerRequest, InnerResult, Quality } from '../../src/core/model/codec.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { openJob } from '../../src/core/pipeline/job.ts'
import { encodeRows } from '../../wasm/jpeg/jpeg.ts'

export type Parts = Record<string, string | Uint8Array>

/** `level`: Deflate level; default: 1. */
export async function zipOf(parts: Parts, level = 1): Promise<Uint8Array> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, extendedTimestamp: false, level })
  for (const [name, content] of Object.entries(parts)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    await writer.add(name, new Uint8ArrayReader(bytes), {
      lastModDate: new Date(2001, 1, 3, 4, 5, 6),
      level: name === 'mimetype' ? 0 : level,
    })
  }
  return new Uint8Array(await (await writer.close()).arrayBuffer())
}

export async function partsOf(zip: Uint8Array): Promise<Map<string, Uint8Array>> {
  const reader = new ZipReader(new BlobReader(new Blob([zip as Uint8Array<ArrayBuffer>])), { useWebWorkers: false })
  const parts = new Map<string, Uint8Array>()
  for (const entry of await reader.getEntries()) {
    if (!entry.directory) parts.set(entry.filename, await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }))
  }
  return parts
}

export const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** Returns a smooth picture with some texture, as RGB rows. */
export function photo(width: number, height: number, seed = 1): Uint8Array {
  const rows = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const wave = 40 * Math.sin((x * seed) / 37 + y / 53) + 30 * Math.cos(y / 29 - x / 71)
      for (let channel = 0; channel < 3; channel++)
        rows[(y * width + x) * 3 + channel] = 128 + wave + 20 * Math.sin(x / 11 + channel * seed)
    }
  }
  return rows
}

export async function jpegOf(rows: Uint8Array, width: number, height: number, quality = 97): Promise<Uint8Array> {
  const { chunks } = await encodeRows({ width, height, pixels: 'rgb', quality, subsampled: false }, [rows])
  return new Uint8Array(Buffer.concat(chunks))
}

/** Returns an unfiltered RGB PNG. */
export function pngOf(rows: Uint8Array, width: number, height: number): Uint8Array {
  const raw = new Uint8Array(height * (1 + width * 3))
  for (let y = 0; y < height; y++) raw.set(rows.subarray(y * width * 3, (y + 1) * width * 3), y * (1 + width * 3) + 1)
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const whole = Buffer.alloc(body.length + 8)
    whole.writeUInt32BE(data.length)
    body.copy(whole, 4)
    whole.writeUInt32BE(crc32(body), body.length + 4)
    return whole
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return new Uint8Array(Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(raw)), chunk('IEND', new Uint8Array())]))
}

export const NOTHING_LENT: Inner = { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'unsupported_feature' }) }

/** Returns a mock of the codecs for embedded files, whose answers come from a function. */
export const mockInner = (
  answer: (bytes: Uint8Array, name: string, request: InnerRequest) => Promise<InnerResult> | InnerResult,
): Inner => ({
  depth: 0,
  compress: async (bytes, name, request = {}) => answer(bytes, name, request),
})

/**
 * Runs one job of a codec. `options` of the result: the options that the codec received.
 * @param lent codecs for embedded files, or a mock of them; default: none, and no time limit
 */
export async function press(codec: Codec, bytes: Uint8Array, quality: Quality, lent: Inner | Codecs = NOTHING_LENT, output?: OutputId) {
  const sink = memorySink(bytes.length, 'upload')
  const source = memorySource(bytes, `upload.${codec.format.extensions[0]}`)
  const job =
    'compress' in lent ? openJob(codec, source, {}, { quality, output, inner: lent }) : openJob(codec, source, lent, { quality, output })
  const pressed = await job.whole(async () => sink)
  return { ...pressed, bytes: pressed.result ? sink.bytes() : bytes, source, options: job.options }
}
