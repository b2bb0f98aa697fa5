/** Reads an object: its attributes, and what makes it a group, a dataset or a type. */
import type { Cursor } from './cursor.ts'
import { type Dataspace, dataspaceOf } from './dataspace.ts'
import { type Datatype, datatypeOf } from './datatype.ts'
import type { Hdf5File } from './file.ts'
import { MESSAGE, type Message, type ObjectHeader } from './header.ts'
import { denseLinks, type Link, linkInfoOf, linkOf } from './links.ts'
import type { SharedMessages } from './shared.ts'
import { oldLinks } from './symbol-table.ts'

export interface Hdf5Object {
  readonly kind: 'group' | 'dataset' | 'type'
  readonly type: Datatype | undefined
  readonly hasCommittedType: boolean
  readonly space: Dataspace | undefined
  /** Value of elements that were never written, as stored. `undefined`: the default or none. */
  readonly fill: Uint8Array | undefined
  readonly comment: string | undefined
  readonly tracksLinkOrder: boolean
  /** Links of a group. */
  links(): AsyncGenerator<Link>
}

type Found = { [Key in Exclude<keyof Hdf5Object, 'kind' | 'links'>]?: Hdf5Object[Key] }

/** Reads the messages of an object. `onAttributes` gets each message that has attributes or names their place. */
export async function readObject(
  file: Hdf5File,
  shared: SharedMessages,
  header: ObjectHeader,
  onAttributes: (message: Message) => Promise<void>,
): Promise<Hdf5Object> {
  const sources: (() => AsyncGenerator<Link>)[] = []
  let found: Found = {}
  for await (const message of header.messages()) {
    const { type, content } = message
    if (type === MESSAGE.attribute || type === MESSAGE.attributeInfo) await onAttributes(message)
    else if (type === MESSAGE.symbolTable) sources.push(() => oldLinks(file, content))
    else if (type === MESSAGE.link) sources.push(() => one(linkOf(content)))
    else if (type === MESSAGE.linkInfo) {
      const info = linkInfoOf(content)
      found = { ...found, tracksLinkOrder: info.tracksOrder }
      sources.push(() => denseLinks(file, info))
    } else found = { ...found, ...(await detailOf(shared, message, found)) }
  }
  const kind = sources.length > 0 ? 'group' : found.space && found.type ? 'dataset' : found.type ? 'type' : undefined
  if (!kind) throw file.malformed(header.address)
  return {
    ...{ kind, type: undefined, hasCommittedType: false, space: undefined, fill: undefined, comment: undefined, tracksLinkOrder: false },
    ...found,
    links: () => all(sources),
  }
}

async function* one(link: Link): AsyncGenerator<Link> {
  yield link
}

async function* all(sources: readonly (() => AsyncGenerator<Link>)[]): AsyncGenerator<Link> {
  for (const source of sources) yield* source()
}

async function detailOf(shared: SharedMessages, message: Message, found: Found): Promise<Found> {
  const { type } = message
  switch (type) {
    case MESSAGE.datatype: {
      const { content, committed } = await shared.resolve(message)
      return { type: datatypeOf(content), hasCommittedType: committed !== undefined }
    }
    case MESSAGE.dataspace:
      return { space: dataspaceOf((await shared.resolve(message)).content) }
    case MESSAGE.fillValue:
      return { fill: fillOf((await shared.resolve(message)).content) ?? found.fill }
    case MESSAGE.oldFillValue:
      return { fill: found.fill ?? fillBytes((await shared.resolve(message)).content) }
    case MESSAGE.comment:
      return { comment: message.content.text() }
    default:
      return {}
  }
}

const IS_DEFINED = 1 << 5

/** Parses a fill value message (IV.A.2.f). */
function fillOf(content: Cursor): Uint8Array | undefined {
  const version = content.u8()
  const isDefined = version >= 3 ? (content.u8() & IS_DEFINED) !== 0 : content.skip(2).u8() !== 0 || version === 1
  return isDefined ? fillBytes(content) : undefined
}

/** Reads a value with its length. A negative length stands for no value, and 0 for the default. */
function fillBytes(content: Cursor): Uint8Array | undefined {
  const length = content.u32()
  return length === 0 || length >= 2 ** 31 ? undefined : content.take(length)
}
