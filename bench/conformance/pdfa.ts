/**
 * `node --import ./scripts/wasm-hook.ts bench/conformance/pdfa.ts FILE-OR-FOLDER …`: those PDFs that veraPDF takes for
 * valid PDF/A or PDF/UA must be valid after compression, at every level. Needs veraPDF's command line (`verapdf`, or what
 * VERAPDF names); without it nothing is checked, and it says so.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memorySink } from '../../src/codec/sink.ts'
import { memorySource, readAll } from '../../src/codec/source.ts'
import { pdf } from '../../src/formats/pdf/pdf.ts'
import { compress } from '../../src/pipeline/compress.ts'
import { lendCodecs } from '../../src/pipeline/inner.ts'

const verapdf = process.env['VERAPDF'] ?? 'verapdf'
/** What a file says that it is, and accessible documents, which seldom are both. */
const FLAVOURS = ['0', 'ua1']
const LEVELS = ['low', 'medium', 'high'] as const

if (spawnSync(verapdf, ['--version'], { stdio: 'ignore' }).error) {
  console.log('veraPDF is not installed (VERAPDF names its command): nothing was checked for PDF/A and PDF/UA.')
  process.exit(0)
}
const files = process.argv.slice(2).flatMap((path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.toLowerCase().endsWith('.pdf'))
        .map((name) => join(path, name)),
)
const folder = mkdtempSync(join(tmpdir(), 'conformance-pdfa-'))
let [checked, failed] = [0, 0]
try {
  for (const flavour of FLAVOURS) {
    for (const path of valid(files, flavour)) {
      const results = await Promise.all(LEVELS.map((level) => compressed(path, level)))
      const passing = valid(results, flavour)
      checked++
      for (const [index, result] of results.entries()) {
        if (passing.has(result)) continue
        failed++
        console.log(`${path}: no longer valid at ${LEVELS[index]} (flavour ${flavour})`)
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
console.log(`PDF/A and PDF/UA: ${checked} of ${files.length} files were valid; ${failed} of ${checked * LEVELS.length} results are not`)
process.exit(failed > 0 ? 1 : 0)

/** Those that veraPDF reports as `PASS path`. */
function valid(paths: readonly string[], flavour: string): Set<string> {
  if (paths.length === 0) return new Set()
  const { stdout } = spawnSync(verapdf, ['--format', 'text', '--flavour', flavour, ...paths], { encoding: 'utf8' })
  return new Set(paths.filter((path) => stdout.split('\n').some((line) => line.startsWith(`PASS ${path}`))))
}

/** The result at a level, or the upload where that is unchanged. */
async function compressed(path: string, quality: (typeof LEVELS)[number]): Promise<string> {
  const bytes = new Uint8Array(readFileSync(path))
  const base = {
    quality,
    output: 'pdf' as const,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
  }
  const sink = async () => memorySink(bytes.length, path)
  const { result } = await compress(pdf, memorySource(bytes, path), sink, { ...base, inner: lendCodecs({}, base) })
  const written = join(folder, `${quality}.pdf`)
  writeFileSync(written, result ? await readAll(result) : bytes)
  return written
}
