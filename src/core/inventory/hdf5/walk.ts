import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { ItemCollector } from '../collector.ts'
import type { Hdf5File } from './file.ts'
import { openHeader } from './header.ts'
import type { Link } from './links.ts'
import { readObject } from './object.ts'
import { type Group, type Named, ObjectItems } from './object-items.ts'
import { type Ordered, orderText } from './order.ts'
import type { SharedMessages } from './shared.ts'

/** Most links of a file, most characters of their names, and most groups inside of each other. */
const MAX_LINKS = 200_000
const MAX_NAME_CHARACTERS = 16 * 1024 * 1024
const MAX_DEPTH = 200
const ROOT_NAME = '/'

/**
 * Walks through the groups of a file, from its root, and collects the items. The first name of an object does not depend on the storage,
 * because groups are visited in the order of their names. The objects of a group are read in the order of their addresses, which is fast.
 */
export class Walk {
  readonly #file: Hdf5File
  readonly #shared: SharedMessages
  readonly #to: ItemCollector
  readonly #objects: ObjectItems
  /** First name of each object by address. */
  readonly #names = new Map<number, string>()
  #links = 0
  #nameCharacters = 0

  constructor(file: Hdf5File, shared: SharedMessages, to: ItemCollector) {
    this.#file = file
    this.#shared = shared
    this.#to = to
    this.#objects = new ObjectItems(file, shared, to, this.#names)
  }

  async run(address: number | undefined): Promise<void> {
    if (address === undefined) throw this.#file.malformed(address)
    this.#names.set(address, ROOT_NAME)
    const root = await this.#objects.add({ address, name: ROOT_NAME })
    if (!root) throw this.#file.malformed(address)
    await this.#visit(root, 0)
    await this.#objects.addWaiting()
  }

  /** Reads the links and objects of a group, and then its groups. */
  async #visit(group: Group, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw this.#file.malformed(group.address)
    const groups: Group[] = []
    for (const child of await this.#newObjectsOf(group)) {
      const found = await this.#objects.add(child)
      if (found) groups.push(found)
    }
    for (const child of groups.sort(byName)) await this.#visit(child, depth + 1)
  }

  /** Adds the items of a group and its links. Returns the objects that have no other name yet, by address. */
  async #newObjectsOf(group: Group): Promise<Named[]> {
    const { address, name } = group
    const header = await openHeader(this.#file, address)
    const object = await readObject(this.#file, this.#shared, header, async () => undefined)
    const targets: Named[] = []
    const ordered: Ordered[] = []
    for await (const link of object.links()) {
      this.#count(link)
      if (object.tracksLinkOrder) ordered.push({ name: link.name, order: link.order })
      const path = `${name === ROOT_NAME ? '' : name}/${link.name}`
      if (link.kind !== 'hard') this.#to.add('links', `${path} ${link.kind} = ${link.value}`)
      else if (link.address === undefined) throw this.#file.malformed(address)
      else targets.push({ address: link.address, name: path })
    }
    this.#addGroup(group, orderText('members', ordered))
    const found = targets.sort(byName).filter((target) => this.#isNew(target))
    return found.sort((a, b) => a.address - b.address)
  }

  /** The root has no name, so it is no item. Its order of attributes and members is part of the header. */
  #addGroup({ name, attributeOrder }: Group, memberOrder: string | undefined): void {
    const orders = [attributeOrder, memberOrder].filter((order) => order !== undefined).join(', ')
    if (name !== ROOT_NAME) this.#to.add('groups', orders ? `${name} = ${orders}` : name)
    else if (orders) this.#to.add('header', `root group = ${orders}`)
  }

  #count({ name }: Link): void {
    this.#nameCharacters += name.length
    if (++this.#links > MAX_LINKS || this.#nameCharacters > MAX_NAME_CHARACTERS)
      throw overBudget(message('inventory_too_large', { items: MAX_LINKS }))
  }

  #isNew({ address, name }: Named): boolean {
    const known = this.#names.get(address)
    if (known === undefined) this.#names.set(address, name)
    else this.#to.add('links', `${name} second name = ${known}`)
    return known === undefined
  }
}

const byName = (a: Named, b: Named): number => (a.name < b.name ? -1 : 1)
