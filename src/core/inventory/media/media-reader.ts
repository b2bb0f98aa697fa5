/** Frame of the readers for films and sound. */
import type { Source } from '../../model/codec.ts'
import { FileView } from '../file-view.ts'
import { InventoryBuilder, type InventoryReader } from '../inventory.ts'

/** What a reader works with. */
export interface Reading {
  readonly view: FileView
  /** The file itself, for short reads far from the others, which must not replace the window of `view`. */
  readonly source: Source
  readonly items: InventoryBuilder
  readonly signal: AbortSignal
  /** True if the file is a result of a codec. */
  readonly isResult: boolean
}

/** Returns a reader. `format`: name of the format in error messages. */
export const mediaReader = (format: string, read: (reading: Reading) => Promise<void>, library?: string): InventoryReader => ({
  ...(library !== undefined && { library }),
  async read(source, signal, isResult = false) {
    const reading = { view: new FileView(source, format, signal), source, items: new InventoryBuilder(), signal, isResult }
    await read(reading)
    return reading.items.build()
  },
})
