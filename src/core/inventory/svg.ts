/** Inventory of SVG drawings: names, rules, links, texts, scripts, animations, click areas and references. Reads XML with saxes. */
import type { Source } from '../model/codec.ts'
import { ItemCollector } from './collector.ts'
import type { Inventory, InventoryReader } from './inventory.ts'
import { ElementItems } from './svg/elements.ts'
import { RuleItems } from './svg/rules.ts'
import { textOf } from './svg/text.ts'
import { readXml } from './svg/xml.ts'
import { XML_LIBRARY } from './xml-library.ts'

export const svgInventory: InventoryReader = {
  library: XML_LIBRARY,
  async read(source: Source, signal: AbortSignal): Promise<Inventory> {
    const items = new ItemCollector()
    const elements = new ElementItems(items)
    await readXml(textOf(source, signal), elements, signal)
    const rules = new RuleItems(elements.sheets, items)
    if (rules.needsElements) {
      await readXml(textOf(source, signal), rules, signal)
      rules.finish()
    }
    return withRelations(items).build()
  },
}

/** Replaces items whose meaning depends on other items of the drawing. */
function withRelations(items: ItemCollector): ItemCollector {
  items.replace('classes', (name, count) => `${name} = ${count} elements`)
  const ids = items.listed('ids')
  // A reference counts once if it leads to an element, so that an id that is still needed cannot go.
  if (ids) items.replace('references', (id) => (ids.has(id) ? `#${id}` : undefined))
  // Style sheets of other files and scripts may ask for elements by their name.
  const mayAsk = items.has('style_sheets') || items.has('scripts')
  if (!mayAsk) items.remove('element_names')
  return items
}
