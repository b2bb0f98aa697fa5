/**
 * Checks that valid PDF/A and PDF/UA files stay valid at every level, for all parts that they claim:
 * `node --import ./tools/wasm-hook.ts tools/bench/conformance/pdfa.ts [FILE-OR-FOLDER …]`. Also checks the generated archives of
 * `test/support/archives.ts`. Without veraPDF or Java, nothing is checked.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pdf } from '../../../src/core/formats/pdf/pdf.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { archives } from '../../../test/support/archives.ts'
import { findVeraPdf, type Judgement, judge } from './verapdf.ts'

const LEVELS = ['low', 'medium', 'high'] as const
/** Number of originals whose results are on disk at the same time. */
const FILES_A_ROUND = 200

const verapdf = findVeraPdf()
if ('missing' in verapdf) {
  console.log(`PDF/A and PDF/UA: nothing was checked, because ${verapdf.missing}.`)
  process.exit(0)
}
const { command } = verapdf
const files = process.argv.slice(2).flatMap((path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.toLowerCase().endsWith('.pdf'))
        .map((name) => join(path, name)),
)
const folder = mkdtempSync(join(tmpdir(), 'conformance-pdfa-'))
const count = { valid: 0, smaller: 0, broken: 0 }
try {
  const own = archives().map(({ name, part, bytes }) => ({ path: join(folder, `${name}.pdf`), part, bytes }))
  for (const { path, bytes } of own) writeFileSync(path, bytes)
  files.unshift(...own.map(({ path }) => path))
  const before = judge(command, files)
  for (const { path, part } of own)
    if (!passed(before.get(path)).includes(part)) throw new Error(`${path} is not valid ${part} before compression`)
  const valid = files.filter((file) => passed(before.get(file)).length > 0)
  count.valid = valid.length
  for (let at = 0; at < valid.length; at += FILES_A_ROUND) await checkBatch(valid.slice(at, at + FILES_A_ROUND), before)
} finally {
  rmSync(folder, { recursive: true })
}
console.log(
  `PDF/A and PDF/UA: ${count.valid} of ${files.length} files are valid; of ${count.valid * LEVELS.length} results ` +
    `${count.smaller} are smaller, ${count.broken} no longer valid`,
)
process.exit(count.broken > 0 ? 1 : 0)

/** Returns the parts whose rules the file follows completely. */
function passed(judgement: Judgement | undefined): string[] {
  return [...(judgement ?? [])].filter(([, broken]) => broken.length === 0).map(([part]) => part)
}

async function checkBatch(files: readonly string[], before: Map<string, Judgement>): Promise<void> {
  const results = new Map<string, { file: string; level: string }>()
  for (const [index, file] of files.entries()) {
    for (const level of LEVELS) {
      const written = join(folder, `${index}-${level}.pdf`)
      if (await compressed(file, level, written)) results.set(written, { file, level })
    }
  }
  count.smaller += results.size
  const after = judge(command, [...results.keys()])
  for (const [written, { file, level }] of results) {
    let whole = true
    for (const part of passed(before.get(file))) {
      const broken = after.get(written)?.get(part)
      if (broken?.length === 0) continue
      whole = false
      console.log(`${file}: at ${level} no longer ${part}: ${broken?.join(', ') ?? 'unreadable, or the claim is gone'}`)
    }
    if (!whole) count.broken++
    rmSync(written)
  }
}

/** Compresses a file and writes the result. Returns false if the file stays unchanged. */
async function compressed(path: string, quality: (typeof LEVELS)[number], written: string): Promise<boolean> {
  const bytes = new Uint8Array(readFileSync(path))
  const job = openJob(pdf, memorySource(bytes, path), {}, { quality })
  const { result } = await job.whole(async () => memorySink(bytes.length, path))
  if (result) writeFileSync(written, await readAll(result))
  return result !== undefined
}
