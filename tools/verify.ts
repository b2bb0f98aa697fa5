/**
 * `whittle verify ORIGINAL RESULT [RECEIPT]`: decodes both, measures anew and says whether the receipt is true; no service is asked.
 * Exits with 1 where something is false, with 2 where a file cannot be read.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JSONWebKeySet } from 'jose'
import type { Checked } from '../src/core/audit/check.ts'
import { readReceipt } from '../src/core/audit/receipt.ts'
import { MEDIA_CODECS } from '../src/core/formats/media.ts'
import { PRESS_CODECS } from '../src/core/formats/press.ts'
import { libraryOf } from '../src/core/library.ts'
import type { NativeFilm } from '../src/core/model/external-encoder.ts'
import { figuresView } from '../src/core/model/receipt.ts'
import { findNative, NativeRun } from '../src/local/native.ts'
import { PressNative } from '../src/local/press/native.ts'
import { fileSource } from './file-source.ts'

const LIBRARY = libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })
/** Of FFmpeg, for some seconds of film. */
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
  if (originalPath === undefined || resultPath === undefined) throw new Error('Name the original and the result.')
  using original = fileSource(originalPath)
  using result = fileSource(resultPath)
  using program = besideUs()
  const native = program?.film
  const checked = await check()
  const isFalse = checked.findings.some(({ verdict }) => verdict === 'false')
  console.log(values.json ? JSON.stringify(asJson(checked, isFalse)) : asText(checked, isFalse))
  return isFalse ? 1 : 0

  async function check(): Promise<Checked> {
    const text = receiptPath === undefined ? undefined : readFileSync(receiptPath, 'utf8')
    return LIBRARY.verify(original, result, text === undefined ? undefined : await readReceipt(text, await keysIn(values.jwks)), native)
  }
}

/** FFmpeg, where there is one, and a folder for it that goes with it. */
function besideUs(): ({ readonly film: NativeFilm } & Disposable) | undefined {
  const program = findNative(undefined)
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'whittle-verify-'))
  const film = new PressNative(program.name, folder, (request) => new NativeRun(program, request, folder, LIMITS).ended)
  return {
    film,
    [Symbol.dispose]() {
      film[Symbol.dispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @param place a file, or an https address (http only on this machine) */
async function keysIn(place: string | undefined): Promise<JSONWebKeySet | undefined> {
  if (place === undefined) return undefined
  const isAddress = /^https?:\/\//.test(place)
  const answer = isAddress ? await fetch(place) : undefined
  if (answer && !answer.ok) throw new Error(`${place} answered ${answer.status}`)
  const keys = (answer ? await answer.json() : JSON.parse(readFileSync(place, 'utf8'))) as JSONWebKeySet
  if (!Array.isArray(keys.keys)) throw new Error(`${place} is no set of JSON Web Keys`)
  return keys
}

function asJson({ findings, format, output, fidelity, measured }: Checked, isFalse: boolean) {
  const figures = figuresView(measured?.loss)
  return { holds: !isFalse, format, output, fidelity, measured: figures, unmeasured: measured?.unmeasured ?? [], findings }
}

function asText({ findings, format, output, fidelity, measured }: Checked, isFalse: boolean): string {
  const figures = Object.entries(figuresView(measured?.loss)).map(([name, value]) => `${name} ${value}`)
  const lines = findings.map(({ field, verdict, detail }) => `${MARKS[verdict]} ${field}${detail === undefined ? '' : `: ${detail}`}`)
  const what = format === undefined ? [] : [[`${format} → ${output ?? '?'}`, fidelity, ...figures].filter(Boolean).join(', ')]
  const notes = (measured?.unmeasured ?? []).map((why) => `? not measured: ${why}`)
  const unchecked = findings.some(({ verdict }) => verdict === 'unchecked') ? ', as far as it can be checked' : ''
  return [...what, ...lines, ...notes, isFalse ? 'false' : `true${unchecked}`].join('\n')
}
