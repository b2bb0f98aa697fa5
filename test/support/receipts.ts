/** Creates results with their receipts, as the service does, and verifies them as `whittle verify` does. */
import { createHash } from 'node:crypto'
import type { VerifyReport } from '../../src/core/audit/check.ts'
import { type Claims, readReceipt } from '../../src/core/audit/receipt.ts'
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { libraryOf } from '../../src/core/library.ts'
import type { Codecs, Quality } from '../../src/core/model/codec.ts'
import { receiptView } from '../../src/core/model/receipt.ts'
import { memorySource } from '../../src/core/model/source.ts'
import type { JobRequest } from '../../src/core/pipeline/job.ts'
import { pressFile } from './press-file.ts'

export const CODECS: Codecs = { ...PRESS_CODECS, ...MEDIA_CODECS }
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export interface Made {
  readonly name: string
  readonly file: Uint8Array
  readonly bytes: Uint8Array
  readonly claims: Claims
}

/** Compresses `file` with the codecs of its format's Worker. */
export async function pressAs(id: FormatId, name: string, file: Uint8Array, output: OutputId, quality: Quality, more: JobRequest = {}) {
  const lent = id in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS
  return await pressFile(CODECS[id]!, file, name, { quality, output, lent, ...more })
}

/** Compresses a file and returns the result with its receipt. */
export async function compressWithReceipt(id: FormatId, name: string, file: Uint8Array, output: OutputId, quality: Quality): Promise<Made> {
  return withReceipt(id, name, { quality, output }, { file, ...(await pressAs(id, name, file, output, quality)) })
}

/**
 * Returns the receipt of a result.
 * @throws Error if the result has a defect
 */
export function withReceipt(
  id: FormatId,
  name: string,
  { quality, output }: { readonly quality: Quality; readonly output: OutputId },
  { file, outcome, bytes, defect }: { readonly file: Uint8Array } & Awaited<ReturnType<typeof pressAs>>,
): Made {
  if (defect !== undefined) throw new Error(defect)
  const result = receiptView({ outcome, sha256: sha256(bytes), verifiedShare: 1 }, sha256(file))
  const output_format = outcome.kind === 'unchanged' ? id : (outcome.output ?? output)
  return {
    name,
    file,
    bytes,
    claims: { format: id, output_format, quality, original_size: file.length, compressed_size: bytes.length, result } as Claims,
  }
}

export const check = async ({ name, file, bytes }: Pick<Made, 'name' | 'file' | 'bytes'>, claims: Claims): Promise<VerifyReport> =>
  libraryOf(CODECS).verify(
    memorySource(file, name),
    memorySource(bytes, `result of ${name}`),
    await readReceipt(JSON.stringify(claims), undefined),
  )

export const falseOf = ({ findings }: VerifyReport) => findings.filter(({ verdict }) => verdict === 'false')
export const falseFields = (checked: VerifyReport) => falseOf(checked).map(({ field }) => field)
/** Returns the names of unchecked fields, except the signature, which these receipts lack. */
export const uncheckedFields = ({ findings }: VerifyReport) =>
  findings.filter(({ verdict, field }) => verdict === 'unchecked' && field !== 'signature').map(({ field }) => field)

/** Returns the fields that are false if the receipt claims `figures` instead. */
export const falseFieldsOfClaim = async (made: Made, figures: Partial<Claims['result']>) =>
  falseFields(await check(made, { ...made.claims, result: { ...made.claims.result, ...figures } } as Claims))
