/** Inventory of DXF drawings, ASCII or binary: layers, blocks, entities by type, header variables and texts. */
import { ItemCollector } from './collector.ts'
import { asciiGroups } from './dxf/ascii.ts'
import { binaryGroups, isBinary } from './dxf/binary.ts'
import type { Group } from './dxf/group.ts'
import { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'

/** Entities with a text in group 1. */
const WITH_TEXT = /^(?:TEXT|MTEXT|ATTRIB|ATTDEF|DIMENSION|MULTILEADER)$/
/** Objects that belong to the entity before them. */
const FOLLOWERS = /^(?:VERTEX|SEQEND)$/

export const dxfInventory: InventoryReader = {
  async read(source, signal) {
    const view = new FileView(source, 'dxf', signal)
    const items = new ItemCollector()
    const walker = new GroupWalker(items)
    for await (const group of (await isBinary(view)) ? binaryGroups(view) : asciiGroups(view)) walker.take(group)
    return items.build()
  },
}

/** Follows sections and objects. Group 0 begins an object, group 2 names it, and group 9 names a header variable. */
class GroupWalker {
  readonly #items: ItemCollector
  #section = ''
  #object = ''
  #variable = ''

  constructor(items: ItemCollector) {
    this.#items = items
  }

  take({ code, value }: Group): void {
    if (code === 0) this.#begin(value)
    else if (code === 9) this.#variable = value
    else if (this.#section === 'HEADER' && this.#variable !== '') this.#items.add('header', `${this.#variable} ${code} = ${value}`)
    else if (code === 2 && this.#object === 'SECTION') this.#section = value
    else if (code === 2 && this.#object === 'LAYER' && this.#section === 'TABLES') this.#items.add('layers', value)
    else if (code === 2 && this.#object === 'BLOCK' && this.#section === 'BLOCKS') this.#items.add('blocks', value)
    else if (code === 1 && WITH_TEXT.test(this.#object)) this.#items.add('texts', value)
  }

  #begin(name: string): void {
    this.#object = name
    this.#variable = ''
    if (name === 'ENDSEC') this.#section = ''
    const isEntity = this.#section === 'ENTITIES' || (this.#section === 'BLOCKS' && name !== 'BLOCK' && name !== 'ENDBLK')
    if (isEntity && name !== 'ENDSEC' && !FOLLOWERS.test(name)) this.#items.add('elements', name)
  }
}
