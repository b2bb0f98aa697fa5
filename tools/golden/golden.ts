/** Golden results: the SHA-256 of what each codec makes of a fixed small file, at every level and for every output. */
import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { libraryOf, memorySource, PRESS_CODECS, type Quality, type Source } from '../../src/core/index.ts'

const LIBRARY = libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })

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

/** Formats whose results are also encrypted: one for each kind of encryption (PDF, Office, ZIP). */
const ENCRYPTED: ReadonlySet<FormatId> = new Set(['pdf', 'docx', 'png'])
const PASSWORD = 'golden'

/** Levels of a format, from the smallest result to the largest. */
export const levelsOf = (id: FormatId): Quality[] => [...('ultra' in FORMATS[id] ? (['ultra'] as const) : []), 'low', 'medium', 'high']

/**
 * Compresses one file at every level and for every output of its format.
 * @param resultAt the line of one result; default: what the library makes of the file
 */
export async function goldenRows(
  id: FormatId,
  file: GoldenFile,
  resultAt = (quality: Quality, output: OutputId) => resultOf(file, quality, output),
): Promise<GoldenRow[]> {
  const rows: GoldenRow[] = []
  for (const quality of levelsOf(id)) {
    for (const output of FORMATS[id].outputs) {
      const name = [id, file.holds, quality, output].join(', ')
      rows.push({ name, result: await resultAt(quality, output) })
    }
  }
  if (ENCRYPTED.has(id)) rows.push({ name: [id, file.holds, 'encrypted'].join(', '), result: await encryptedSize(file) })
  return rows
}

async function resultOf({ source, name }: GoldenFile, quality: Quality, output: OutputId): Promise<string> {
  const { result, receipt } = await LIBRARY.compress(source, { quality, output, name })
  const { outcome, reason, sha256 } = receipt.result
  return outcome === 'unchanged' ? `unchanged: ${reason}` : `${result.size} ${sha256}`
}

/** Size of the result under a password. Salts and keys are random, so its bytes differ in every run; the library opens what it wrote. */
async function encryptedSize({ source, name }: GoldenFile): Promise<string> {
  const { result, receipt } = await LIBRARY.compress(source, { quality: 'high', password: PASSWORD, name })
  if (!receipt.encrypted) throw new Error(`${name} was not encrypted`)
  return `encrypted: ${result.size} bytes`
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
