/**
 * Runs a codec on files, without HTTP: `npm run try -- photo.jpg -q low -f webp -o out/`. Prints one line of JSON per file: outcome,
 * sizes, CPU seconds, peak memory.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileSource } from '../packages/core/src/file-source.ts'
import { EFFORTS } from '../src/core/catalog/effort.ts'
import type { OutputId } from '../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../src/core/formats/media.ts'
import { PRESS_CODECS } from '../src/core/formats/press.ts'
import { englishText } from '../src/core/i18n/message.ts'
import { fidelityOf, type Outcome, type Quality } from '../src/core/model/codec.ts'
import { memorySink } from '../src/core/model/sink.ts'
import { readAll } from '../src/core/model/source.ts'
import { identify } from '../src/core/pipeline/identify.ts'
import { type JobRequest, openJob } from '../src/core/pipeline/job.ts'
import { FfmpegRun, findFfmpegSync } from '../src/local/native.ts'
import { PressFfmpeg } from '../src/local/press/native.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quality: { type: 'string', short: 'q', default: 'medium' },
    format: { type: 'string', short: 'f' },
    'target-size': { type: 'string' },
    /** `drop` removes Adobe usage rights, like `usage_rights` in the API. */
    'usage-rights': { type: 'string' },
    /** `safe` or `strip` removes metadata, like `metadata` in the API. */
    metadata: { type: 'string' },
    /** `fast`, `balanced` or `best`, like `effort` in the API. */
    effort: { type: 'string', default: 'balanced' },
    /** Lossless results only, as containers request them. */
    lossless: { type: 'boolean', default: false },
    /** WIDTHxHEIGHT: display size of an embedded picture. */
    fit: { type: 'string' },
    /** Memory budget of the job in MB. Default: an isolate's. */
    memory: { type: 'string', default: '96' },
    /** Uses the FFmpeg of this machine for films that no Wasm engine supports. */
    ffmpeg: { type: 'boolean', default: false },
    out: { type: 'string', short: 'o' },
    /** Repeats short jobs and prints the CPU time of the last run too, when engines are compiled. */
    warm: { type: 'boolean', default: false },
  },
})

/** Limits of repeated runs: CPU seconds in all, and number of runs. */
const [WARM_SECONDS, MAX_RUNS] = [2, 6]

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }
const NATIVE_LIMITS = { memoryBytes: 3 * 2 ** 30, processorMs: 900_000, stalledMs: 60_000 }
const program = values.ffmpeg ? findFfmpegSync(undefined) : undefined
if (values.ffmpeg && !program) throw new Error('no FFmpeg with libx264 and libx265 on the PATH')
const folder = program ? mkdtempSync(join(tmpdir(), 'whittle-try-')) : undefined
const native =
  program && folder !== undefined
    ? new PressFfmpeg(program.name, folder, (request) => new FfmpegRun(program, request, folder, NATIVE_LIMITS).ended)
    : undefined

for (const path of positionals) {
  using source = fileSource(path)
  const format = await identify(source)
  const codec = format && CODECS[format.id]
  if (!format || !codec) {
    console.log(JSON.stringify({ path, format: format?.id ?? null, outcome: 'no codec' }))
    continue
  }
  const output = (values.format ?? format.outputs[0]) as OutputId
  const targetSize = values['target-size'] ? Number(values['target-size']) : undefined
  const [width, height] = (values.fit ?? '').split('x').map(Number)
  const request: JobRequest = {
    quality: values.quality as Quality,
    output,
    targetSize,
    fitWithin: width && height ? { width, height } : undefined,
    effort: EFFORTS.find((effort) => effort === values.effort),
    lossless: values.lossless,
    usageRights: values['usage-rights'] === 'drop' ? 'drop' : undefined,
    metadata: values.metadata === 'safe' || values.metadata === 'strip' ? values.metadata : undefined,
    memoryBudget: Number(values.memory) * 2 ** 20,
    native,
  }
  const openSink = async () => memorySink(targetSize ?? source.size, source.name)
  const run = async () => {
    const [before, started] = [process.cpuUsage(), performance.now()]
    const job = openJob(codec, source, CODECS, request)
    const compressed = await job.whole(openSink).catch((error: unknown) => ({
      outcome: { kind: 'crashed' as const, error: error instanceof Error ? error.stack : String(error) },
      result: undefined,
    }))
    const { user, system } = process.cpuUsage(before)
    return { compressed, cpuSeconds: (user + system) / 1e6, wallSeconds: (performance.now() - started) / 1e3 }
  }
  const { compressed, cpuSeconds, wallSeconds } = await run()
  const rssMB = Math.round(process.resourceUsage().maxRSS / 1024)
  const { outcome, result } = compressed
  if (result && values.out) {
    mkdirSync(values.out, { recursive: true })
    const suffix = output === format.id ? '' : `.${output}`
    writeFileSync(join(values.out, basename(path) + suffix), await readAll(result))
  }
  console.log(
    JSON.stringify({
      path,
      format: format.id,
      in: source.size,
      out: result?.size ?? source.size,
      ratio: Number(((result?.size ?? source.size) / source.size).toFixed(4)),
      cpuSeconds: Number(cpuSeconds.toFixed(3)),
      ...(values.warm ? { warmCpuSeconds: Number((await warmSeconds(run, cpuSeconds)).toFixed(3)) } : {}),
      wallSeconds: Number(wallSeconds.toFixed(3)),
      rssMB,
      ...lineOf(outcome),
      ...('defect' in compressed && compressed.defect ? { defect: compressed.defect } : {}),
    }),
  )
}

native?.[Symbol.dispose]()
if (folder) rmSync(folder, { recursive: true })

/** CPU seconds of the last repeated run. For a long job, those of the first run. */
async function warmSeconds(run: () => Promise<{ cpuSeconds: number }>, first: number): Promise<number> {
  let last = first
  for (let [runs, spent] = [1, first]; runs < MAX_RUNS && spent + last < WARM_SECONDS; runs++, spent += last)
    last = (await run()).cpuSeconds
  return last
}

/** Output fields of an outcome, with its fidelity and measurements. */
function lineOf(outcome: Outcome | { kind: 'crashed'; error: unknown }) {
  if (outcome.kind === 'unchanged') return { ...outcome, ...(outcome.detail && { detail: englishText(outcome.detail) }) }
  if (outcome.kind !== 'compressed') return outcome
  const { loss, steps, ...rest } = outcome
  return { ...rest, fidelity: fidelityOf(outcome), ...loss?.pictures, ...loss?.sound, steps: steps.map(englishText) }
}
