/** Inventory of RTF: texts, pictures, fields, objects, fonts, bookmarks, comments, properties and all control words. */
import { ItemCollector } from './collector.ts'
import { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { RtfGroups } from './rtf/groups.ts'
import { RtfTokens } from './rtf/tokens.ts'

export const RTF_READER: InventoryReader = {
  async read(source, signal) {
    const view = new FileView(source, 'rtf', signal)
    const items = new ItemCollector()
    const groups = new RtfGroups(items)
    const tokens = new RtfTokens(groups)
    for await (const chunk of view.chunks(0, view.size)) {
      tokens.push(chunk)
      if (groups.isTooDeep) throw view.malformed(0)
    }
    tokens.finish()
    groups.finish()
    return items.build()
  },
}
