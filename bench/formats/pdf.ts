import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import '../../scripts/wasm-hook.ts'
import { type Bench, files, type Measured, native, ours } from '../harness.ts'

/** After the hook that lets it import Wasm. */
const { SimilarityMeter } = await import('../../src/quality/metrics.ts')

/** What a peer is called, and what it is run with. */
const PEERS: Readonly<Record<string, (input: string, output: string) => [command: string, ...args: string[]]>> = {
  'gs screen': (input, output) => ghostscript('/screen', input, output),
  'gs ebook': (input, output) => ghostscript('/ebook', input, output),
  'gs printer': (input, output) => ghostscript('/printer', input, output),
  'qpdf -l9': (input, output) => [
    'qpdf',
    '--object-streams=generate',
    '--recompress-flate',
    '--compression-level=9',
    '--warning-exit-0',
    input,
    output,
  ],
  mutool: (input, output) => ['mutool', 'clean', '-gggg', '-z', input, output],
  ocrmypdf: (input, output) => [
    'ocrmypdf',
    '--quiet',
    '--skip-text',
    '--tesseract-timeout=0',
    '--output-type=pdf',
    '--optimize=3',
    input,
    output,
  ],
}

function ghostscript(setting: string, input: string, output: string): [string, ...string[]] {
  return ['gs', '-q', '-dNOPAUSE', '-dBATCH', '-dSAFER', '-sDEVICE=pdfwrite', `-dPDFSETTINGS=${setting}`, `-sOutputFile=${output}`, input]
}

/** Pages that are drawn and compared. */
const MOST_PAGES = 6
const MAX_RENDERED_BYTES = 256 * 1024 * 1024

interface Page {
  width: number
  height: number
  pixels: Uint8Array
}

/** One page as poppler shows it at 72 dpi; undefined where it cannot. */
function drawn(path: string, page: number): Page | undefined {
  const args = ['-r', '72', '-f', String(page), '-l', String(page), '-cropbox', path]
  const { stdout } = spawnSync('pdftoppm', args, { maxBuffer: MAX_RENDERED_BYTES, timeout: 120_000 })
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(stdout?.subarray(0, 64).toString('latin1') ?? '')
  if (!head) return undefined
  const [width, height] = [Number(head[1]), Number(head[2])]
  return { width, height, pixels: new Uint8Array(stdout.subarray(head[0].length, head[0].length + width * height * 3)) }
}

/** SSIM and PSNR of the worst page, as words; '' when nothing can be drawn. */
function worstPage(original: string, result: string): string {
  let [ssim, psnrDb] = [1, Number.POSITIVE_INFINITY]
  for (let page = 1; page <= MOST_PAGES; page++) {
    const before = drawn(original, page)
    if (!before) break
    const after = drawn(result, page)
    if (!after || after.width !== before.width || after.height !== before.height) return 'ssim 0.000 psnr 0.0'
    const meter = new SimilarityMeter(before.width, before.height, 3)
    meter.push(before.pixels, after.pixels)
    const seen = meter.finish()
    ssim = Math.min(ssim, seen.ssim)
    psnrDb = Math.min(psnrDb, seen.psnrDb)
  }
  return `ssim ${ssim.toFixed(3)} psnr ${Math.min(99, psnrDb).toFixed(1)}`
}

const seen = (measured: Measured | undefined, original: string, result: string): Measured | undefined =>
  measured && { ...measured, note: worstPage(original, result) }

/** Bytes alone say little: `note` has the quality of the worst page, and a peer only counts where ours is not better. */
export const bench: Bench = {
  title: 'PDF: every level against Ghostscript, qpdf, mutool and OCRmyPDF; --json has the SSIM and PSNR of the worst page',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-pdf-'))
    for (const path of [...files(join(corpus, 'document'), 'pdf'), ...files(join(corpus, 'pdf'), 'pdf')]) {
      const name = basename(path)
      const peers = Object.fromEntries(
        Object.entries(PEERS).map(([peer, line]) => {
          const out = join(folder, `${peer.replace(/\W/g, '-')}-${name}`)
          const [command, ...args] = line(path, out)
          return [peer, seen(native(command, args, out), path, out)]
        }),
      )
      for (const quality of ['high', 'medium', 'low']) {
        const target = join(folder, quality)
        mkdirSync(target, { recursive: true })
        const measured = ours(path, { quality, out: target })
        const note = measured.outcome === 'compressed' ? worstPage(path, join(target, name)) : `unchanged: ${measured.note}`
        yield { name: `${name} ${quality}`, ours: { ...measured, note }, peers }
      }
    }
  },
}
