/** Golden results: the SHA-256 of what each codec makes of a fixed small file, at every level and for every output. */
import { createHash } from 'node:crypto'
import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import type { Codec, Options, Quality, Source } from '../../src/core/model/codec.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../src/core/model/source.ts'
import { compress } from '../../src/core/pipeline/compress.ts'
import { encryptResult } from '../../src/core/pipeline/encrypt.ts'
import { lendCodecs } from '../../src/core/pipeline/inner.ts'

/** One result: what was compressed and how, and a line that describes the bytes. */
export interface GoldenRow {
  /** For example `jpg, photograph, medium, webp`. */
  readonly name: string
  /** `<size> <SHA-256>`, `unchanged: <reason>`, or `encrypted: <size> bytes`. */
  readonly result: string
}

export interface GoldenFile {
  /** Describes the file in the row's name. */
  readonly holds: string
  /** File name with its extension. */
  readonly name: string
  readonly source: Source
}

/** Memory of a job in an isolate, as the service runs it. */
const MEMORY_BUDGET_BYTES = 96 * 1024 * 1024
/** Formats whose results are also encrypted: one for each kind of encryption (PDF, Office, ZIP). */
const ENCRYPTED: ReadonlySet<FormatId> = new Set(['pdf', 'docx', 'png'])
const PASSWORD = 'golden'

/** Levels of a format, from the smallest result to the largest. */
export const levelsOf = (id: FormatId): Quality[] => [...('ultra' in FORMATS[id] ? (['ultra'] as const) : []), 'low', 'medium', 'high']

/** Compresses one file at every level and for every output of its format. */
export async function goldenRows(id: FormatId, file: GoldenFile): Promise<GoldenRow[]> {
  const rows: GoldenRow[] = []
  for (const quality of levelsOf(id)) {
    for (const output of FORMATS[id].outputs) {
      const name = [id, file.holds, quality, output].join(', ')
      rows.push({ name, result: await resultOf(id, file, quality, output) })
    }
  }
  if (ENCRYPTED.has(id)) rows.push({ name: [id, file.holds, 'encrypted'].join(', '), result: await encryptedSize(id, file) })
  return rows
}

async function resultOf(id: FormatId, file: GoldenFile, quality: Quality, output: OutputId): Promise<string> {
  const { codec, options } = jobFor(id, quality, output)
  const sink = memorySink(file.source.size, file.name)
  const { outcome, result } = await compress(codec, file.source, async () => sink, options)
  if (outcome.kind === 'unchanged') return `unchanged: ${outcome.reason}`
  if (!result) throw new Error(`${file.name} was compressed, but has no result`)
  return `${result.size} ${createHash('sha256')
    .update(await readAll(result))
    .digest('hex')}`
}

/**
 * Size of the upload under a password. Salts and keys are random, so its bytes differ in every run; `encryptResult` opens what it
 * wrote and throws where that is not the upload.
 */
async function encryptedSize(id: FormatId, { name, source }: GoldenFile): Promise<string> {
  const plain = { source, output: id, format: FORMATS[id], name } as const
  const { encrypted } = await encryptResult(plain, PASSWORD, async (to) => memorySink(Number.POSITIVE_INFINITY, to))
  return `encrypted: ${encrypted.size} bytes`
}

function jobFor(id: FormatId, quality: Quality, output: OutputId): { codec: Codec; options: Options } {
  const codecs = id in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS
  const codec = (codecs as Partial<Record<FormatId, Codec>>)[id]
  if (!codec) throw new Error(`${id} has no codec`)
  const base = { quality, output, memoryBudget: MEMORY_BUDGET_BYTES, signal: new AbortController().signal, progress: () => undefined }
  return { codec, options: { ...base, inner: lendCodecs(codecs, base) } }
}

/** Encrypted PDFs vary by some bytes, because random strings need a varying number of escapes. */
const MOST_ENCRYPTION_DIFFERS_BYTES = 64

/** True if two results are the same to the byte; encrypted ones may differ by a few bytes in size. */
export function isSameResult(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [one, other].map((result) => /^encrypted: (\d+) bytes$/.exec(result ?? '')?.[1])
  if (a === undefined || b === undefined) return one === other
  return Math.abs(Number(a) - Number(b)) <= MOST_ENCRYPTION_DIFFERS_BYTES
}

/** A generated file as `goldenRows` takes it. */
export const goldenFile = (holds: string, name: string, bytes: Uint8Array): GoldenFile => ({
  holds,
  name,
  source: memorySource(bytes, name),
})
