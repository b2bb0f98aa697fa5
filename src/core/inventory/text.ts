/** Inventory of text files: their lines and their byte order mark. Only bytes are counted, in constant memory. */
import { hex } from '../bytes/hex.ts'
import { FileView } from './file-view.ts'
import { InventoryBuilder, type InventoryReader } from './inventory.ts'

/** Byte order marks by their bytes in hexadecimal digits, longest first. */
const MARKS = [
  ['efbbbf', 'UTF-8'],
  ['fffe', 'UTF-16LE'],
  ['feff', 'UTF-16BE'],
] as const

export const textInventory: InventoryReader = {
  async read(source, signal) {
    const view = new FileView(source, 'text', signal)
    const builder = new InventoryBuilder()
    const head = hex(await view.bytesUpTo(0, 3))
    const mark = MARKS.find(([bytes]) => head.startsWith(bytes))?.[1]
    if (mark) builder.add('header', `byte order mark ${mark}`)
    let lines = 0
    let last = 0x0a
    // In UTF-16, a line feed has a zero byte beside it.
    const partner = mark === 'UTF-16LE' ? 1 : mark === 'UTF-16BE' ? -1 : 0
    for await (const bytes of view.chunks(0, view.size)) {
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
        if (partner !== 0 && (at % 2 === 0) !== (partner === 1)) continue
        if (partner === 0 || bytes[at + partner] === 0) lines++
      }
      last = bytes.at(partner === 1 ? -2 : -1) ?? last
    }
    // A last line without a line break counts, too.
    builder.add('lines', 'line', lines + Number(last !== 0x0a))
    return builder.build()
  },
}
