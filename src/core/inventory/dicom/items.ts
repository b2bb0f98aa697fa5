import type { ItemCollector } from '../collector.ts'
import { Digest } from '../digest.ts'

/** Characters that are digested at once, because many short calls cost more. */
const PENDING_CHARACTERS = 16 * 1024

/** Name of an element: group and element number in hexadecimal. */
export const tagName = (tag: number): string =>
  `(${(tag >>> 16).toString(16).padStart(4, '0')},${(tag & 0xffff).toString(16).padStart(4, '0')})`

/** Collects the elements of a file. */
export class ElementItems {
  readonly #to: ItemCollector
  readonly #representations = new Digest()
  #withRepresentation = 0
  #pending = ''

  constructor(to: ItemCollector) {
    this.#to = to
  }

  /** @param vr value representation. `undefined`: the file does not name it */
  element(name: string, vr: string | undefined, text: string): void {
    if (vr !== undefined) {
      this.#pending += `${name}${vr}\n`
      this.#withRepresentation++
      if (this.#pending.length > PENDING_CHARACTERS) this.#digestPending()
    }
    this.#to.add('elements', `${name} = ${text}`)
  }

  /** A group length (element 0000 of a group, retired) has no text, because it counts bytes of the encoding. */
  groupLength(name: string): void {
    this.#to.add('group_lengths', name)
  }

  /** Begins an element of the top level. */
  beginElement(tag: number): void {
    this.#to.beginGroup(tagName(tag))
  }

  /** Adds an item for the value representations of all elements. Conversion from implicit files adds them, so such files have none. */
  finish(): void {
    if (this.#withRepresentation === 0) return
    this.#digestPending()
    const digest = this.#representations.finish()
    this.#to.add('header', `value representations = ${this.#withRepresentation} elements #${digest}`)
  }

  #digestPending(): void {
    this.#representations.update(this.#pending)
    this.#pending = ''
  }
}
