/**
 * A process of its own, so that its memory is the job's: presses a document of scanned pages that is computed as it is read,
 * and prints how much was alive at most: heap, buffers and Wasm.
 */

import { pdf } from '../../../../../src/core/formats/pdf/pdf.ts'
import type { Quality, Sink, Source } from '../../../../../src/core/model/codec.ts'
import { rangeStream } from '../../../../../src/core/model/source.ts'
import { optionsOf } from '../../../../../src/core/pipeline/job.ts'
import { encodeRows } from '../../../../../wasm/jpeg/jpeg.ts'

const [pages = '5', quality = 'medium'] = process.argv.slice(2)
const [WIDTH, HEIGHT] = [2480, 3508]

/** A page at 300 dpi: lines of strokes on paper with grain. */
function* rows(): Generator<Uint8Array> {
  let seed = 1
  for (let y = 0; y < HEIGHT; y++) {
    const row = new Uint8Array(WIDTH * 3)
    for (let x = 0; x < WIDTH; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      const ink = y % 62 < 34 && x > 200 && x < 2280 && ((x * 7 + ((y / 9) | 0) * 31 + ((x / 40) | 0) * 13) % 23) + ((y * 3) % 7) < 11
      const grain = (seed >> 16) % 9
      row.fill((ink ? 40 : 235) + grain, x * 3, x * 3 + 3)
    }
    yield row
  }
}

const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))
const { chunks } = await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 88, scans: 'sequential' }, rows())
const picture = new Uint8Array(Buffer.concat(chunks))

/** Reading and writing take a turn of the event loop, as they do elsewhere; what was looked at through a `WeakRef` lives that long. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The file as parts, each of which is made when it is read; the pictures differ in a comment. */
const parts: { at: number; length: number; make(): Uint8Array }[] = []
let size = 0
const put = (length: number, make: () => Uint8Array) => {
  parts.push({ at: size, length, make })
  size += length
}
const text = (value: string) => {
  const bytes = latin(value)
  put(bytes.length, () => bytes)
}
const offsets: number[] = []
const object = (value: string) => {
  offsets.push(size)
  text(`${offsets.length} 0 obj\n${value}`)
}
const count = Number(pages)
const kids = Array.from({ length: count }, (_, i) => `${3 + 3 * i} 0 R`).join(' ')
text('%PDF-1.4\n')
object('<</Type/Catalog/Pages 2 0 R>>\nendobj\n')
object(`<</Type/Pages/Count ${count}/Kids[${kids}]>>\nendobj\n`)
for (let page = 0; page < count; page++) {
  const [contents, image] = [4 + 3 * page, 5 + 3 * page]
  object(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${contents} 0 R/Resources<</XObject<</I ${image} 0 R>>>>>>\nendobj\n`)
  object('<</Length 28>>\nstream\nq 595 0 0 842 0 0 cm /I Do Q\nendstream\nendobj\n')
  const comment = Uint8Array.of(0xff, 0xfe, 0, 4, page >> 8, page & 255)
  const length = picture.length + comment.length
  object(
    `<</Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Length ${length}>>\nstream\n`,
  )
  put(2, () => picture.subarray(0, 2))
  put(comment.length, () => comment)
  put(picture.length - 2, () => picture.subarray(2))
  text('\nendstream\nendobj\n')
}
const start = size
text(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${offsets.map((o) => `${String(o).padStart(10, '0')} 00000 n \n`).join('')}`)
text(`trailer\n<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`)

async function read(offset: number, length: number): Promise<Uint8Array> {
  const end = Math.min(size, offset + length)
  const out = new Uint8Array(Math.max(0, end - offset))
  for (const part of parts) {
    if (part.at + part.length <= offset || part.at >= end) continue
    const from = Math.max(0, offset - part.at)
    out.set(part.make().subarray(from, end - part.at), Math.max(0, part.at - offset))
  }
  await turn()
  look()
  return out
}

const memories: WeakRef<WebAssembly.Memory>[] = []
const known = new WeakSet<WebAssembly.Memory>()
/** Remembers the memory of every engine, once where engines follow each other in one. */
class Counted extends WebAssembly.Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports)
    const { memory } = this.exports
    if (!(memory instanceof WebAssembly.Memory) || known.has(memory)) return
    known.add(memory)
    memories.push(new WeakRef(memory))
  }
}
WebAssembly.Instance = Counted as typeof WebAssembly.Instance

/** What is alive now, in bytes. */
const alive = () => {
  // The second collection waits for the sweep of the first, which frees the buffers.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers + memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0)
}
const before = alive()
let peak = before
let looked = 0
function look(): void {
  if (performance.now() - looked < 40) return
  looked = performance.now()
  peak = Math.max(peak, alive())
}

const source: Source = { name: 'scans.pdf', size, read, stream: () => rangeStream(size, read) }
let written = 0
const sink: Sink = {
  get written() {
    return written
  },
  async write(chunk) {
    written += chunk.length
    await turn()
    look()
  },
  patch: () => undefined,
  abort: async () => void (written = 0),
}
const timer = setInterval(look, 40)
const outcome = await pdf.compress(source, sink, optionsOf(pdf.format, {}, { quality: quality as Quality, progress: look }))
clearInterval(timer)
console.log(JSON.stringify({ kind: outcome.kind, in: size, out: written, peakMB: Math.round((peak - before) / 1e5) / 10 }))
