import type { ItemCollector } from '../collector.ts'
import { textOfBytes } from '../decode-text.ts'
import { digestOf } from '../digest.ts'
import { rangesOf } from '../ranges.ts'
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
/** Most bytes of attributes that wait in memory, and the bytes that each counts in addition to its value. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
const ATTRIBUTE_BYTES = 1024

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
  /** Attributes with references, which are read when all names are known. */
  readonly #waiting: { readonly name: string; readonly attribute: Attribute }[] = []
  #waitingBytes = 0
  /** Objects whose attributes with references are too long to wait in memory. They are read again. */
  readonly #again: Named[] = []

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
    const waiting: Attribute[] = []
    let isDimension = false
    const object = await readObject(this.#file, this.#shared, header, async (found) => {
      for await (const attribute of attributesIn(this.#file, this.#shared, found)) {
        if (header.tracksAttributeOrder) ordered.push({ name: attribute.name, order: attribute.order })
        isDimension ||= attribute.name === 'CLASS' && (await isScale(attribute))
        if (hasReferences(attribute.type)) waiting.push(attribute)
        else await this.#addAttribute(name, attribute)
      }
    })
    await this.#addLater({ address, name }, waiting)
    if (object.comment) this.#to.add('comments', `${name} = ${object.comment}`)
    if (isDimension && object.space) this.#to.add('dimensions', `${name} = ${shapeOf(object.space)}`)
    const attributeOrder = orderText('attributes', ordered)
    if (object.kind === 'group') return { address, name, attributeOrder }
    this.#addTyped(name, object, attributeOrder)
    return undefined
  }

  /** Remembers the attributes of an object that have references, or the object if they are too long. */
  async #addLater(object: Named, attributes: readonly Attribute[]): Promise<void> {
    const bytes = attributes.reduce((sum, { data }) => sum + data.size + ATTRIBUTE_BYTES, 0)
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#again.push(object)
      return
    }
    this.#waitingBytes += bytes
    // The copy lets go of the block of the file that holds the value.
    for (const attribute of attributes) {
      const data = rangesOf((await attribute.data.bytes(0, attribute.data.size)).slice())
      this.#waiting.push({ name: object.name, attribute: { ...attribute, data } })
    }
  }

  /** Adds the attributes with references. */
  async addWaiting(): Promise<void> {
    for (const { name, attribute } of this.#waiting) await this.#addAttribute(name, attribute)
    for (const { address, name } of this.#again)
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
