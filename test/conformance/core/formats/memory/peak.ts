/**
 * A process of its own, so that its memory is the job's: runs one codec on a source that is computed as it is read or that another process
 * made, writes the result into a file, and prints how far the memory rose above what the loaded modules take.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EFFORTS } from '../../../../../src/core/catalog/effort.ts'
import type { OutputId } from '../../../../../src/core/catalog/outputs.ts'
import { flv } from '../../../../../src/core/formats/film/flv/flv.ts'
import { mkv } from '../../../../../src/core/formats/film/mkv/mkv.ts'
import { ts } from '../../../../../src/core/formats/film/ts/ts.ts'
import { flac } from '../../../../../src/core/formats/flac/flac.ts'
import { gz } from '../../../../../src/core/formats/gz/gz.ts'
import { heic } from '../../../../../src/core/formats/heic/heic.ts'
import { jpg } from '../../../../../src/core/formats/jpg/jpg.ts'
import { ppt, xls } from '../../../../../src/core/formats/office97/office97.ts'
import { ogg, opus } from '../../../../../src/core/formats/ogg/ogg.ts'
import { png } from '../../../../../src/core/formats/png/png.ts'
import { rtf } from '../../../../../src/core/formats/rtf/rtf.ts'
import { text } from '../../../../../src/core/formats/text/text.ts'
import { tiff } from '../../../../../src/core/formats/tiff/tiff.ts'
import { zip } from '../../../../../src/core/formats/zip/zip.ts'
import type { Source } from '../../../../../src/core/model/codec.ts'
import { type JobRequest, openJob } from '../../../../../src/core/pipeline/job.ts'
import { fileSink, fileSource } from './files.ts'

/** `side`: frame of a rendition in pixels. `undefined`: the whole file is compressed. */
const [what = 'text', output = 'zst', megabytes = '20', effort = 'balanced', side] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'whittle-peak-'))

const isText = what === 'text'
/**
 * Text leans on native zlib, which only resident memory shows. Others do not: there heap, buffers and Wasm memories that are
 * alive count, for what an allocator keeps of freed pages swings by tens of megabytes from run to run.
 */
function used(): number {
  if (isText) return process.memoryUsage.rss()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function openSource(): Promise<Source> {
  if (isText || what === 'tiff') {
    const { COMPUTED } = await import('./sources.ts')
    return COMPUTED[what]!(Number(megabytes) * 1e6)
  }
  const path = join(folder, 'source')
  const script = ['--import', './tools/wasm-hook.ts', join(import.meta.dirname, 'make-source.ts'), what, megabytes, path]
  const { status } = spawnSync(process.execPath, script, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`the source '${what}' could not be made`)
  return fileSource(path, statSync(path).size, `source.${what}`, step)
}

const input = await openSource()
const sounds = { opus, 'long-opus': opus, 'long-vorbis': ogg, 'long-flac': flac, 'mkv-sound': mkv }
const documents = { ppt, xls, rtf }
const films = { mkv, ts, flv }
const codec = { text, png, 'png-photo': png, jpg, heic, ...sounds, ...documents, ...films, gz, zip }[what] ?? tiff
const before = used()
let peak = before
function sample(): void {
  peak = Math.max(peak, used())
}
/** Between two samples. Collections would take most of the time of films with many frames. */
const pauseMs = isText ? 5 : what === 'ts' || what === 'flv' ? 2000 : 50
const sampled = setInterval(sample, pauseMs)
let collectedMs = 0
/** Samples after a step of the job. Most steps are skipped, because a collection takes tens of milliseconds. */
function step(): void {
  // A strip is one step of progress, so each read and write counts.
  if (what !== 'tiff-jpeg' && performance.now() - collectedMs < Math.max(100, pauseMs)) return
  // Garbage of the source is not the codec's memory.
  globalThis.gc?.()
  collectedMs = performance.now()
  sample()
}
const request: JobRequest = {
  output: output as OutputId,
  lossless: ['mkv-sound', 'ts', 'flv'].includes(what),
  effort: EFFORTS.find((name) => name === effort),
  ...(side ? { rendition: { width: Number(side), height: Number(side), fit: 'contain' } } : {}),
  progress: step,
}
const { outcome } = await openJob(codec, input, { jpg }, request).whole(async () =>
  fileSink(join(folder, 'result'), input.size, 'result', step),
)
clearInterval(sampled)
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify({ kind: outcome.kind, bytes: input.size, peakMB: Math.round((peak - before) / 1e6) }))
