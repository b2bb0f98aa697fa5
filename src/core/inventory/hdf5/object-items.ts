import type { ItemCollector } from '../collector.ts'
import { textOfBytes } from '../decode-text.ts'
import { digestOf } from '../digest.ts'
import { type Attribute, attributesIn } from './attributes.ts'
import { shapeOf } from './dataspace.ts'
import type { Hdf5File } from './file.ts'
import { GlobalHeap } from './global-heap.ts'
import { openHeader } from './header.ts'
import { type Hdf5Object, readObject } from './object.ts'
import { type Ordered, orderText } from './order.ts'
import type { SharedMessages } from './shared.ts'
import { digestOfValues, hasReferences } from './values.ts'

const MAX_CLASS_BYTES = 64

/** Object with a name. */
export interface Named {
  readonly address: number
  readonly name: string
}

/** Group whose links are not read yet. */
export interface Group extends Named {
  /** Text for the order of its attributes. `undefined`: they have none. */
  readonly attributeOrder: string | undefined
}

/** Adds the items of objects: datasets, types, attributes, dimensions, comments. */
export class ObjectItems {
  readonly #file: Hdf5File
  readonly #shared: SharedMessages
  readonly #to: ItemCollector
  readonly #heap: GlobalHeap
  readonly #names: ReadonlyMap<number, string>
  /** Objects with references in their attributes, which are read when all names are known. */
  readonly #waiting: Named[] = []

  /** `names`: first names of objects by address, for references. */
  constructor(file: Hdf5File, shared: SharedMessages, to: ItemCollector, names: ReadonlyMap<number, string>) {
    this.#file = file
    this.#shared = shared
    this.#to = to
    this.#heap = new GlobalHeap(file)
    this.#names = names
  }

  /** Adds the items of an object, except for attributes with references. Returns a group, for which the caller adds the item. */
  async add({ address, name }: Named): Promise<Group | undefined> {
    const header = await openHeader(this.#file, address)
    const ordered: Ordered[] = []
    let [isWaiting, isDimension] = [false, false]
    const object = await readObject(this.#file, this.#shared, header, async (found) => {
      for await (const attribute of attributesIn(this.#file, this.#shared, found)) {
        if (header.tracksAttributeOrder) ordered.push({ name: attribute.name, order: attribute.order })
        isDimension ||= attribute.name === 'CLASS' && (await isScale(attribute))
        if (hasReferences(attribute.type)) isWaiting = true
        else await this.#addAttribute(name, attribute)
      }
    })
    if (isWaiting) this.#waiting.push({ address, name })
    if (object.comment) this.#to.add('comments', `${name} = ${object.comment}`)
    if (isDimension && object.space) this.#to.add('dimensions', `${name} = ${shapeOf(object.space)}`)
    const attributeOrder = orderText('attributes', ordered)
    if (object.kind === 'group') return { address, name, attributeOrder }
    this.#addTyped(name, object, attributeOrder)
    return undefined
  }

  /** Adds the attributes with references. */
  async addWaiting(): Promise<void> {
    for (const { address, name } of this.#waiting)
      for await (const found of (await openHeader(this.#file, address)).messages())
        for await (const attribute of attributesIn(this.#file, this.#shared, found))
          if (hasReferences(attribute.type)) await this.#addAttribute(name, attribute)
  }

  async #addAttribute(name: string, { name: key, type, hasCommittedType, space, data }: Attribute): Promise<void> {
    const context = { file: this.#file, heap: this.#heap, names: this.#names }
    const digest = space.count > 0 ? ` #${await digestOfValues(context, type, space.count, data)}` : ''
    this.#to.add('attributes', `${name}@${key} = ${shapeOf(space)} ${typeText(type.text, hasCommittedType)}${digest}`)
  }

  #addTyped(name: string, { kind, type, hasCommittedType, space, fill }: Hdf5Object, order: string | undefined): void {
    const text = typeText(type?.text ?? '', hasCommittedType)
    const rest = order ? `, ${order}` : ''
    if (kind === 'type') this.#to.add('groups', `${name} named type = ${text}${rest}`)
    else {
      // A value of variable length is stored as a place, which differs between files.
      const filled = fill && type?.kind === 'bytes' ? ` filled with #${digestOf(fill)}` : ''
      this.#to.add('datasets', `${name} = ${space ? shapeOf(space) : ''} ${text}${filled}${rest}`)
    }
  }
}

/** True if the value of an attribute `CLASS` says that the dataset is a dimension scale (HDF5 Dimension Scale Specification). */
async function isScale({ type, space, data }: Attribute): Promise<boolean> {
  if (type.kind !== 'bytes' || space.count !== 1 || type.bytes > MAX_CLASS_BYTES) return false
  return textOfBytes(await data.bytes(0, Math.min(type.bytes, data.size))).split('\0')[0] === 'DIMENSION_SCALE'
}

const typeText = (text: string, isCommitted: boolean) => (isCommitted ? `named type, ${text}` : text)
