import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import '../../wasm-hook.ts'
import { type Bench, files, type Measured, native, ours } from '../harness.ts'

/** Imported dynamically, after the hook for Wasm imports is installed. */
const { SimilarityMeter } = await import('../../../src/core/metrics/ssim-psnr.ts')

/** Names of the peers, and how to run them. */
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

/** Largest number of pages that are rendered and compared. */
const MOST_PAGES = 6
const MAX_RENDERED_BYTES = 256 * 1024 * 1024

interface Page {
  width: number
  height: number
  pixels: Uint8Array
}

/** Renders a page with poppler at 72 dpi. `undefined`: poppler fails. */
function renderPage(path: string, page: number): Page | undefined {
  const args = ['-r', '72', '-f', String(page), '-l', String(page), '-cropbox', path]
  const { stdout } = spawnSync('pdftoppm', args, { maxBuffer: MAX_RENDERED_BYTES, timeout: 120_000 })
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(stdout?.subarray(0, 64).toString('latin1') ?? '')
  if (!head) return undefined
  const [width, height] = [Number(head[1]), Number(head[2])]
  return { width, height, pixels: new Uint8Array(stdout.subarray(head[0].length, head[0].length + width * height * 3)) }
}

/** SSIM and PSNR of the worst page. */
interface PageFigures {
  readonly ssim: number
  readonly psnrDb: number
}

const IDENTICAL: PageFigures = { ssim: 1, psnrDb: 99 }
/** Largest difference between renderings of equally good pages. */
const MARGIN: PageFigures = { ssim: 0.002, psnrDb: 0.3 }

/** Returns the figures of the worst page. `undefined`: nothing can be rendered, for example because the file is encrypted. */
function worstPage(original: string, result: string): PageFigures | undefined {
  let worst: PageFigures | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const before = renderPage(original, page)
    if (!before) break
    const after = renderPage(result, page)
    if (!after || after.width !== before.width || after.height !== before.height) return { ssim: 0, psnrDb: 0 }
    const meter = new SimilarityMeter(before.width, before.height, 3)
    meter.push(before.pixels, after.pixels)
    const { ssim, psnrDb } = meter.finish()
    worst = { ssim: Math.min(worst?.ssim ?? 1, ssim), psnrDb: Math.min(worst?.psnrDb ?? IDENTICAL.psnrDb, psnrDb) }
  }
  return worst
}

const asGood = (one: PageFigures, other: PageFigures) => one.ssim >= other.ssim - MARGIN.ssim && one.psnrDb >= other.psnrDb - MARGIN.psnrDb
const figuresText = ({ ssim, psnrDb }: PageFigures) => `ssim ${ssim.toFixed(3)} psnr ${psnrDb.toFixed(1)}`

/** Compares bytes only with peers whose worst page is as good as Whittle's. */
export const bench: Bench = {
  title: 'PDF: every level against Ghostscript, qpdf, mutool and OCRmyPDF, where their worst page is as good; --json has its SSIM and PSNR',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-pdf-'))
    for (const path of [...files(join(corpus, 'document'), 'pdf'), ...files(join(corpus, 'pdf'), 'pdf')]) {
      const name = basename(path)
      const made = Object.entries(PEERS).map(([peer, line]) => {
        const out = join(folder, `${peer.replace(/\W/g, '-')}-${name}`)
        const [command, ...args] = line(path, out)
        const measured = native(command, args, out)
        return { peer, measured, seen: measured && worstPage(path, out) }
      })
      for (const quality of ['high', 'medium', 'low']) {
        const target = join(folder, quality)
        mkdirSync(target, { recursive: true })
        const measured = ours(path, { quality, out: target })
        const changed = measured.outcome === 'compressed'
        const seen = changed ? worstPage(path, join(target, name)) : IDENTICAL
        const note = [changed ? '' : `unchanged: ${measured.note}, `, seen ? figuresText(seen) : 'not rendered'].join('')
        const peers: Record<string, Measured | undefined> = {}
        for (const { peer, measured: theirs, seen: page } of made)
          peers[peer] = theirs && seen && page && asGood(page, seen) ? { ...theirs, note: figuresText(page) } : undefined
        yield { name: `${name} ${quality}`, ours: { ...measured, note }, peers }
      }
    }
  },
}
