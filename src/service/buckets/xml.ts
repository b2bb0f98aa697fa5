/** Bounded reader of XML answers: lists of objects and errors. Documents define no entities of their own, and nothing is loaded. */
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { BucketError, MAX_PAGE_OBJECTS } from './object-store.ts'

/** Deepest nesting of elements. Lists of S3 and Azure have 4 levels. */
const MAX_DEPTH = 16

export interface XmlShape {
  /** Path of the element that is repeated, such as `ListBucketResult/Contents`. `undefined`: none. */
  readonly record?: string
  /** Elements of a record by path within it, such as `Properties/Etag`. */
  readonly fields?: readonly string[]
  /** Other elements, by their whole path. */
  readonly facts: readonly string[]
}

export interface XmlContent {
  readonly facts: ReadonlyMap<string, string>
  readonly records: readonly ReadonlyMap<string, string>[]
}

/** @throws BucketError `malformed` if the text is not well-formed XML, too deep, or has more than `MAX_PAGE_OBJECTS` records */
export function readXml(text: string, { record = '', fields = [], facts }: XmlShape): XmlContent {
  const found = { facts: new Map<string, string>(), records: [] as Map<string, string>[] }
  const wanted = new Set([...facts, ...fields.map((field) => `${record}/${field}`)])
  const path: string[] = []
  let value: { text: string; isEncoded: boolean } | undefined
  const parser = new SaxesParser()
  parser.on('error', () => fail())
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    if (path.push(name) > MAX_DEPTH) fail()
    const here = path.join('/')
    if (here === record && found.records.push(new Map()) > MAX_PAGE_OBJECTS) fail()
    value = wanted.has(here) ? { text: '', isEncoded: attributes['Encoded'] === 'true' } : undefined
  })
  const take = (part: string) => {
    if (value) value.text += part
  }
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('closetag', () => {
    const here = path.join('/')
    path.pop()
    if (!value) return
    // Azure encodes names that XML cannot represent ("List Blobs", attribute `Encoded`).
    const content = value.isEncoded ? percentDecode(value.text) : value.text
    if (facts.includes(here)) found.facts.set(here, content)
    else found.records.at(-1)?.set(here.slice(record.length + 1), content)
    value = undefined
  })
  parser.write(text).close()
  return found
}

/** @throws BucketError `malformed` */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return fail()
  }
}

function fail(): never {
  throw new BucketError('malformed')
}
