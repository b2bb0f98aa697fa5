import { digestOfStream } from './digest.ts'
import type { FileView } from './file-view.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Adds the bytes from `end` on, if there are any besides zeros. */
export async function addTrailingBytes(builder: InventoryBuilder, view: FileView, end: number): Promise<void> {
  const length = view.size - end
  if (length <= 0 || !(await holdsMoreThanZeros(view, end, length))) return
  builder.add('trailing_bytes', `after the picture = ${length} bytes #${await digestOfStream(view.chunks(end, length))}`)
}

async function holdsMoreThanZeros(view: FileView, at: number, length: number): Promise<boolean> {
  for await (const chunk of view.chunks(at, length)) if (chunk.some((byte) => byte !== 0)) return true
  return false
}
