import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { pdf } from '../../../../src/core/formats/pdf/pdf.ts'
import type { Options, Sink, Source } from '../../../../src/core/model/codec.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { pressFile } from '../../../support/press-file.ts'
import { damageRounds } from '../../../support/thorough.ts'
import { buildPdf, type Part, plainDocument } from './build.ts'
import { pressAlone as press } from './run.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const options: Options = {
  quality: 'medium',
  output: 'pdf',
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
}

/** Peak of heap and buffers in bytes above what there was, sampled whenever the codec reads. */
async function peakOf(source: Source, more: Partial<Options> = {}) {
  collect()
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  const before = used()
  let peak = 0
  let reads = 0
  let written = 0
  const watched: Source = {
    ...source,
    async read(offset, length) {
      if (reads++ % 16 === 0) {
        collect()
        peak = Math.max(peak, used() - before)
      }
      return source.read(offset, length)
    },
  }
  const sink: Sink = {
    get written() {
      return written
    },
    async write(chunk) {
      written += chunk.length
    },
    patch: () => undefined,
    abort: async () => void (written = 0),
  }
  const outcome = await pdf.compress(watched, sink, { ...options, ...more })
  return { outcome, peak, written }
}

/** A scan of `pages` pages of a megabyte each that is never in memory: noise where pictures would be. */
function scan(pages: number): Source {
  const pageBytes = 1 << 20
  const parts: Part[] = ['<</Type/Catalog/Pages 2 0 R>>', '']
  const kids: string[] = []
  for (let i = 0; i < pages; i++) {
    const number = parts.length + 1
    kids.push(`${number} 0 R`)
    parts.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I ${number + 1} 0 R>>>>>>`)
    parts.push({ dict: '/Type/XObject/Subtype/Image/Width 900/Height 900/ColorSpace/DeviceGray/BitsPerComponent 8', data: '@'.repeat(4) })
  }
  parts[1] = `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>`
  // The stream bytes are spliced in by position: each "@@@@" stands for a megabyte.
  const text = Buffer.from(buildPdf(parts)).toString('latin1').replaceAll('/Length 4>>', `/Length ${pageBytes}>>`)
  const pieces = text.slice(0, text.indexOf('xref\n')).split('@@@@')
  const starts: number[] = []
  let size = 0
  for (const piece of pieces) {
    starts.push(size)
    size += piece.length + pageBytes
  }
  // Without a table: the codec has to search all of it.
  const noise = (index: number) => 128 + ((Math.imul(index, 2654435761) >>> 25) & 63)
  const read = async (offset: number, length: number) => {
    const out = new Uint8Array(Math.max(0, Math.min(length, size - pageBytes - offset)))
    let k = starts.findLastIndex((start) => start <= offset)
    for (let i = 0; i < out.length; i++) {
      const at = offset + i
      if (at >= (starts[k + 1] ?? Number.POSITIVE_INFINITY)) k++
      const inside = at - starts[k]!
      out[i] = inside < pieces[k]!.length ? pieces[k]!.charCodeAt(inside) : noise(at)
    }
    return out
  }
  return { name: 'scan.pdf', size: size - pageBytes, read, stream: () => new ReadableStream() }
}

describe('limits', () => {
  it('a scan far larger than memory takes a few megabytes', async () => {
    const source = scan(24)
    expect(source.size).toBeGreaterThan(24 << 20)
    const { outcome, peak } = await peakOf(source, { lossless: true })
    expect(outcome.kind).toBe('compressed')
    expect(peak).toBeLessThan(40 * 1024 * 1024)
  })

  it('thirty thousand objects take seconds', async () => {
    const links = Array.from({ length: 30_000 }, (_, i) => `<</N ${((i + 1) % 30_000) + 5} 0 R/V ${i}>>`)
    const { outcome } = await press(buildPdf(plainDocument(1, links, '/X 5 0 R')), 'high')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  })

  it('objects whose tables take more than half of the memory leave too little for pictures', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => String(i))
    const file = buildPdf(plainDocument(1, numbers))
    const within = (memoryBudget: number) => pressFile(pdf, file, 'a.pdf', { memoryBudget })
    const refused = { kind: 'unchanged', reason: 'over_budget', detail: '20005 objects' }
    expect(inEnglish((await within(5 << 20)).outcome)).toMatchObject(refused)
    expect(inEnglish((await within(6 << 20)).outcome)).not.toMatchObject(refused)
  })

  it('a page tree ten thousand levels deep is one page', async () => {
    const depth = 10_000
    const nodes = Array.from({ length: depth }, (_, i) => `<</Type/Pages/Kids[${i + 3} 0 R]/Count 1/Parent ${i + 1} 0 R>>`)
    const { outcome } = await press(
      buildPdf(['<</Type/Catalog/Pages 2 0 R>>', ...nodes, `<</Type/Page/Parent ${depth + 1} 0 R/MediaBox[0 0 9 9]>>`]),
    )
    expect(outcome.kind).toBe('compressed')
  })

  it('arrays in arrays without end are malformed', async () => {
    const bytes = buildPdf([`<</Type/Catalog/Pages 2 0 R/X ${'['.repeat(50_000)}>>`, '<</Type/Pages/Kids[]/Count 0>>'])
    expect((await press(bytes)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('forms that draw each other end', async () => {
    const form = (next: number) => ({
      dict: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A ${next} 0 R>>>>`,
      data: '/A Do '.repeat(6),
    })
    const bytes = buildPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</A 5 0 R>>>>>>',
      { dict: '', data: '/A Do' },
      ...Array.from({ length: 20 }, (_, i) => form(i < 19 ? i + 6 : 5)),
    ])
    expect((await press(bytes)).outcome.kind).toBe('compressed')
  })

  it('stops when it is told to', async () => {
    const stop = new AbortController()
    const bytes = buildPdf(plainDocument(50))
    await expect(press(bytes, 'low', { signal: stop.signal, progress: () => stop.abort(new Error('deleted')) })).rejects.toThrow('deleted')
  })

  it('bit flips end as a smaller document, or as the upload', async () => {
    const whole = buildPdf(plainDocument(4))
    let seed = 11
    for (let round = 0; round < damageRounds(60); round++) {
      const bytes = whole.slice()
      for (let k = 0; k < 4; k++) {
        seed = (seed * 1103515245 + 12345) & 0x7fffffff
        bytes[seed % bytes.length]! ^= 1 << ((seed >> 20) % 8)
      }
      const pressed = await press(bytes)
      expect('defect' in pressed ? pressed.defect : undefined).toBeUndefined()
      expect(pressed.bytes.length).toBeLessThanOrEqual(bytes.length)
    }
  })
})
