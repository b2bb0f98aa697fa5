/** Inventory of mails: headers, parts with type, name, disposition and id, and the content of texts and attachments. */
import { ItemCollector } from './collector.ts'
import { MailLines } from './eml/mail-lines.ts'
import { PartItems } from './eml/parts.ts'
import { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'

export const emlInventory: InventoryReader = {
  async read(source, signal) {
    const items = new ItemCollector()
    await new PartItems(new MailLines(new FileView(source, 'eml', signal)), items).read()
    return items.build()
  },
}
