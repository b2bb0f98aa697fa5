/**
 * Implements `whittle verify ORIGINAL RESULT [RECEIPT]`: decodes and compares both files, and verifies the receipt. Needs no service.
 * Exit codes: 1 if a claim is false, 2 if a file cannot be read.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JSONWebKeySet } from 'jose'
import { fileSource } from '../packages/core/src/file-source.ts'
import type { VerifyReport } from '../src/core/audit/check.ts'
import { readReceipt } from '../src/core/audit/receipt.ts'
import type { InventoryKind } from '../src/core/catalog/inventory/kinds.ts'
import { MEDIA_CODECS } from '../src/core/formats/media.ts'
import { PRESS_CODECS } from '../src/core/formats/press.ts'
import { EN } from '../src/core/i18n/en.ts'
import { libraryOf } from '../src/core/library.ts'
import type { ExternalFilmCodec } from '../src/core/model/external-encoder.ts'
import { figuresView } from '../src/core/model/receipt.ts'
import { FfmpegRun, findFfmpegSync } from '../src/local/native.ts'
import { PressFfmpeg } from '../src/local/press/native.ts'

const LIBRARY = libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })
/** Limits of FFmpeg, enough to compare some seconds of film. */
const LIMITS = { memoryBytes: 2 ** 31, processorMs: 900_000, stalledMs: 120_000 }
const MARKS = { true: '✓', false: '✗', unchecked: '?' } as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jwks: { type: 'string' }, json: { type: 'boolean', default: false } },
})
try {
  process.exitCode = await verify(positionals)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function verify([originalPath, resultPath, receiptPath]: readonly string[]): Promise<number> {
  if (originalPath === undefined || resultPath === undefined) throw new Error('Usage: whittle verify ORIGINAL RESULT [RECEIPT]')
  using original = fileSource(originalPath)
  using result = fileSource(resultPath)
  using program = openFfmpeg()
  const native = program?.film
  const checked = await check()
  const isFalse = checked.findings.some(({ verdict }) => verdict === 'false')
  console.log(values.json ? JSON.stringify(asJson(checked, isFalse)) : asText(checked, isFalse))
  return isFalse ? 1 : 0

  async function check(): Promise<VerifyReport> {
    const text = receiptPath === undefined ? undefined : readFileSync(receiptPath, 'utf8')
    return LIBRARY.verify(original, result, text === undefined ? undefined : await readReceipt(text, await loadKeys(values.jwks)), native)
  }
}

/** FFmpeg with a temporary folder, if it is installed. */
function openFfmpeg(): ({ readonly film: ExternalFilmCodec } & Disposable) | undefined {
  const program = findFfmpegSync(undefined)
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'whittle-verify-'))
  const film = new PressFfmpeg(program.name, folder, (request) => new FfmpegRun(program, request, folder, LIMITS).ended)
  return {
    film,
    [Symbol.dispose]() {
      film[Symbol.dispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Loads the public keys.
 * @param location a file, or an https URL (http for this machine only)
 * @throws Error if it is no JSON Web Key Set
 */
async function loadKeys(location: string | undefined): Promise<JSONWebKeySet | undefined> {
  if (location === undefined) return undefined
  const isAddress = /^https?:\/\//.test(location)
  const response = isAddress ? await fetch(location) : undefined
  if (response && !response.ok) throw new Error(`${location} responded with HTTP ${response.status}`)
  const keys = (response ? await response.json() : JSON.parse(readFileSync(location, 'utf8'))) as JSONWebKeySet
  if (!Array.isArray(keys.keys)) throw new Error(`${location} is not a JSON Web Key Set`)
  return keys
}

function asJson({ findings, format, output, fidelity, measured, inventory }: VerifyReport, isFalse: boolean) {
  const figures = figuresView(measured?.loss)
  return { holds: !isFalse, format, output, fidelity, measured: figures, unmeasured: measured?.unmeasured ?? [], ...inventory, findings }
}

function asText({ findings, format, output, fidelity, measured, inventory }: VerifyReport, isFalse: boolean): string {
  const figures = Object.entries(figuresView(measured?.loss)).map(([name, value]) => `${name} ${value}`)
  const lines = findings.map(({ field, verdict, detail }) => `${MARKS[verdict]} ${field}${detail === undefined ? '' : `: ${detail}`}`)
  const summary = format === undefined ? [] : [[`${format} → ${output ?? '?'}`, fidelity, ...figures].filter(Boolean).join(', ')]
  const notes = (measured?.unmeasured ?? []).map((why) => `? not measured: ${why}`)
  const unchecked = findings.some(({ verdict }) => verdict === 'unchecked') ? ', as far as it can be checked' : ''
  const counts = inventory ? [...countLines('removed', inventory.missing), ...countLines('kept', inventory.kept)] : []
  return [...summary, ...counts, ...lines, ...notes, isFalse ? 'false' : `true${unchecked}`].join('\n')
}

/** Returns for example `kept: 24 ids, 3 links`. No line if nothing is counted. */
function countLines(verb: string, counts: { readonly [Kind in InventoryKind]?: number }): string[] {
  const words = (Object.entries(counts) as [InventoryKind, number][]).map(([kind, count]) => `${count} ${EN[`kind_${kind}`]}`)
  return words.length > 0 ? [`${verb}: ${words.join(', ')}`] : []
}
