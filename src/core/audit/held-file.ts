/** Reads the inventory of a result that holds a file (JPEG XL) from that file. */
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { allowMemory } from '../../../wasm/memories/memories.ts'
import { FORMATS } from '../catalog/index.ts'
import { holdsFile } from '../catalog/outputs.ts'
import type { InventoryPair } from '../inventory/check.ts'

/** Memory in bytes, as for all checks (check.ts). */
const MEMORY_BYTES = 1024 * 1024 * 1024

type Pair = Omit<InventoryPair, 'signal'>

/** Replaces a result that holds a file by that file. @throws CodecError if the file cannot be rebuilt */
export async function withHeldFile(pair: Pair): Promise<Pair> {
  if (!holdsFile(pair.format.id, pair.output)) return pair
  using _ = allowMemory(MEMORY_BYTES)
  const { jpegOfJxl } = await withEngines(import('../formats/jpg/jxl.ts'))
  // The JPEG is the original, or the original without some metadata, and so not larger than it.
  const result = await jpegOfJxl(pair.result, pair.original.size, FORMATS.jpg.mostPixels.roomy)
  return { ...pair, result, output: pair.format.id }
}
