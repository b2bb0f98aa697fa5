/**
 * Runs one codec on files, without HTTP: `npm run try -- photo.jpg -q low -f webp -o out/`.
 * Prints a line of JSON per file: outcome, sizes, CPU seconds, peak memory. For work on codecs and for bench.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OutputId } from '../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../src/core/formats/media.ts'
import { PRESS_CODECS } from '../src/core/formats/press.ts'
import { english } from '../src/core/i18n/message.ts'
import { fidelityOf, type Outcome, type Quality } from '../src/core/model/codec.ts'
import { memorySink } from '../src/core/model/sink.ts'
import { readAll } from '../src/core/model/source.ts'
import { identify } from '../src/core/pipeline/identify.ts'
import { type JobRequest, openJob } from '../src/core/pipeline/job.ts'
import { findNative, NativeRun } from '../src/local/native.ts'
import { PressNative } from '../src/local/press/native.ts'
import { fileSource } from './file-source.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quality: { type: 'string', short: 'q', default: 'medium' },
    format: { type: 'string', short: 'f' },
    'target-size': { type: 'string' },
    /** `drop`, as `usage_rights` of the API. */
    'usage-rights': { type: 'string' },
    /** Only an exact result, as a container would ask for it. */
    lossless: { type: 'boolean', default: false },
    /** WIDTHxHEIGHT, as a document would ask for it. */
    fit: { type: 'string' },
    /** What a job has, in MB; that of an isolate by default. */
    memory: { type: 'string', default: '96' },
    /** Films that no engine here does go to the FFmpeg of this machine, as beside a press. */
    ffmpeg: { type: 'boolean', default: false },
    out: { type: 'string', short: 'o' },
    /** A short job is done again where its engines are compiled, and its last run's time printed as well. */
    warm: { type: 'boolean', default: false },
  },
})

/** Together runs of a job take no more than this, but for the first. */
const [WARM_SECONDS, MOST_RUNS] = [2, 6]

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }
const NATIVE_LIMITS = { memoryBytes: 3 * 2 ** 30, processorMs: 900_000, stalledMs: 60_000 }
const program = values.ffmpeg ? findNative(undefined) : undefined
if (values.ffmpeg && !program) throw new Error('no FFmpeg with libx264 and libx265 on the PATH')
const folder = program ? mkdtempSync(join(tmpdir(), 'whittle-try-')) : undefined
const native =
  program && folder !== undefined
    ? new PressNative(program.name, folder, (request) => new NativeRun(program, request, folder, NATIVE_LIMITS).ended)
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
    lossless: values.lossless,
    usageRights: values['usage-rights'] === 'drop' ? 'drop' : undefined,
    memoryBudget: Number(values.memory) * 2 ** 20,
    native,
  }
  const openSink = async () => memorySink(targetSize ?? source.size, source.name)
  const run = async () => {
    const [before, started] = [process.cpuUsage(), performance.now()]
    const job = openJob(codec, source, CODECS, request)
    const pressed = await job.whole(openSink).catch((error: unknown) => ({
      outcome: { kind: 'crashed' as const, error: error instanceof Error ? error.stack : String(error) },
      result: undefined,
    }))
    const { user, system } = process.cpuUsage(before)
    return { pressed, cpuSeconds: (user + system) / 1e6, wallSeconds: (performance.now() - started) / 1e3 }
  }
  const { pressed, cpuSeconds, wallSeconds } = await run()
  const rssMB = Math.round(process.resourceUsage().maxRSS / 1024)
  const { outcome, result } = pressed
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
      ...('defect' in pressed && pressed.defect ? { defect: pressed.defect } : {}),
    }),
  )
}

native?.[Symbol.dispose]()
if (folder) rmSync(folder, { recursive: true })

/** Of the last run that there was time for; of a long job the first. */
async function warmSeconds(run: () => Promise<{ cpuSeconds: number }>, first: number): Promise<number> {
  let last = first
  for (let [runs, spent] = [1, first]; runs < MOST_RUNS && spent + last < WARM_SECONDS; runs++, spent += last)
    last = (await run()).cpuSeconds
  return last
}

/** With the fidelity that follows from it, and the figures of a loss beside everything else. */
function lineOf(outcome: Outcome | { kind: 'crashed'; error: unknown }) {
  if (outcome.kind === 'unchanged') return { ...outcome, ...(outcome.detail && { detail: english(outcome.detail) }) }
  if (outcome.kind !== 'compressed') return outcome
  const { loss, steps, ...facts } = outcome
  return { ...facts, fidelity: fidelityOf(outcome), ...loss?.pictures, ...loss?.sound, steps: steps.map(english) }
}
