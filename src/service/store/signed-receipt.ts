/** Receipt for third parties: the file, the engines that were used, and the result of the task. */
import type { EngineFacts } from '../../core/catalog/engines.ts'
import type { ReceiptView } from '../../core/model/receipt.ts'
import { type Task, toTaskView } from './task.ts'

export interface SignedReceipt {
  /** Issuer: the origin of the service. */
  iss: string
  task_id: string
  file_name: string
  format: string
  output_format: string
  /** `null`: the client asked for a score. */
  quality: string | null
  target_score?: number
  original_size: number
  compressed_size: number
  result: ReceiptView
  /** True if the result is encrypted with the client's password. Size and SHA-256 are those of the encrypted file. */
  encrypted?: true
  /** `null`: the task was completed before engines were recorded. */
  engines: EngineView[] | null
  completed_at: string
}

interface EngineView {
  name: string
  version?: string
  wasm_sha256?: string
  sources?: readonly string[]
}

/**
 * Returns the receipt of a completed task. It never changes.
 * @param origin origin of the service as its operator configured it. `undefined`: the host name that received the file, which only
 *   names that are routed to the service can be
 * @throws RangeError if the task is not completed
 */
export function signedReceipt(task: Task, origin: string | undefined): SignedReceipt {
  const view = toTaskView(task, task.baseUrl)
  const { task_id, file_name, format, output_format, quality, target_score, original_size, compressed_size, result, completed_at } = view
  if (!task.result || !result || output_format === undefined || compressed_size === undefined || completed_at === undefined)
    throw new RangeError(`Task ${task.taskId} is ${task.status}; only completed tasks have receipts.`)
  return {
    iss: origin ?? task.baseUrl,
    ...{ task_id, file_name, format, output_format, quality, ...(target_score !== undefined && { target_score }) },
    ...{ original_size, compressed_size, result },
    ...(task.result.encrypted ? { encrypted: true } : {}),
    engines: task.result.engines?.map(engineView) ?? null,
    completed_at,
  }
}

const engineView = ({ name, version, wasmSha256, sources }: EngineFacts): EngineView => ({
  name,
  ...(version !== undefined && { version }),
  ...(wasmSha256 !== undefined && { wasm_sha256: wasmSha256 }),
  ...(sources && { sources }),
})
