/** Checks the signed receipt of a task in the browser. */
import { sha256, verifiedPayload } from '../../site/src/shared/signature.ts'
import { load, resultOf, type Task } from './api.ts'

/** Fields of the signed receipt that the page compares. */
export interface SignedReceipt {
  readonly iss: string
  readonly task_id: string
  readonly compressed_size: number
  readonly result: { readonly sha256: string; readonly original_sha256: string }
}

/**
 * Loads the receipt and checks its signature with the published keys of the service.
 * @throws Error if the signature is wrong, if the receipt is about another result, or if the browser cannot check it
 */
export async function checkedReceipt(task: Task): Promise<SignedReceipt> {
  const receipt = await load(`/v1/tasks/${task.task_id}/receipt`).then((answer) => answer.text())
  const signed = (await verifiedPayload(receipt)) as SignedReceipt
  const isOurs =
    signed.task_id === task.task_id &&
    signed.compressed_size === task.compressed_size &&
    signed.result.sha256 === task.result?.sha256 &&
    signed.result.original_sha256 === task.result.original_sha256
  if (!isOurs) throw new Error('the receipt is about another result')
  return signed
}

/** Largest file in bytes that the page loads to compute its hash. */
export const MAX_HASHED_BYTES = 200_000_000

/** One checked claim of a receipt. */
export interface Check {
  readonly what: 'signature' | 'result' | 'original'
  readonly isTrue: boolean
}

/** Checks the signature, and the hashes of the result and of the file. @param file file of the person, `undefined`: not at hand */
export async function checkAll(task: Task, file: File | undefined): Promise<Check[]> {
  const signed = await checkedReceipt(task).catch(() => undefined)
  const checks: Check[] = [{ what: 'signature', isTrue: signed !== undefined }]
  if ((task.compressed_size ?? 0) <= MAX_HASHED_BYTES) {
    checks.push({ what: 'result', isTrue: (await sha256(await resultOf(task))) === task.result?.sha256 })
  }
  if (file && file.size <= MAX_HASHED_BYTES)
    checks.push({ what: 'original', isTrue: (await sha256(file)) === task.result?.original_sha256 })
  return checks
}
