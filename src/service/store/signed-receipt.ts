/** The receipt as others read it: of which file, by which engines, and what the task says of its result. */
import type { EngineFacts } from '../../core/catalog/engines.ts'
import type { ReceiptView } from '../../core/model/receipt.ts'
import { present, type Task } from './task.ts'

export interface SignedReceipt {
  /** Who says so: the origin that the file was sent to. */
  iss: string
  task_id: string
  file_name: string
  format: string
  output_format: string
  quality: string
  original_size: number
  compressed_size: number
  result: ReceiptView
  /** The result is under the caller's password: size and SHA-256 are of what is encrypted. */
  encrypted?: true
  /** null: completed before engines were kept. */
  engines: EngineView[] | null
  completed_at: string
}

interface EngineView {
  name: string
  version?: string
  wasm_sha256?: string
  sources?: readonly string[]
}

/** The same, whenever it is asked for. */
export function signedReceipt(task: Task): SignedReceipt {
  const { task_id, file_name, format, output_format, quality, original_size, compressed_size, result, completed_at } = present(
    task,
    task.baseUrl,
  )
  if (!task.result || !result || output_format === undefined || compressed_size === undefined || completed_at === undefined)
    throw new RangeError('only completed tasks have receipts')
  return {
    iss: task.baseUrl,
    ...{ task_id, file_name, format, output_format, quality, original_size, compressed_size, result },
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
