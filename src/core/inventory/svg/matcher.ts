/** Finds which selectors match the elements of a document, in one pass and without a tree. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import { type Compound, matchesCompound, type Subject } from './selectors.ts'

/** Compound of a selector and its place in the selector. */
interface Part {
  /** Number of the part. The part before it in the same selector has the number before. */
  readonly number: number
  readonly compound: Compound
  /** Selector that ends with this part. `undefined`: it has further parts. */
  readonly selector: number | undefined
}

/** Parts that match an open element and its surroundings. */
interface Level {
  readonly name: string
  readonly own: ReadonlySet<number>
  /** Parts that match the element or an element around it. */
  readonly around: ReadonlySet<number>
  /** Parts that match the child before, and those that match any child before. */
  previous: ReadonlySet<number>
  earlier: Set<number> | undefined
  children: number
  readonly childrenByName: Map<string, number>
}

/** Most tests of parts, which bounds the time for a file with many rules and elements. */
const MAX_TRIALS = 5_000_000
const NONE: ReadonlySet<number> = new Set()

const levelOf = (name: string, own: ReadonlySet<number>, around: ReadonlySet<number>): Level => ({
  name,
  own,
  around,
  previous: NONE,
  earlier: undefined,
  children: 0,
  childrenByName: new Map(),
})

export class SelectorMatcher {
  readonly #byId = new Map<string, Part[]>()
  readonly #byClass = new Map<string, Part[]>()
  readonly #byName = new Map<string, Part[]>()
  readonly #others: Part[] = []
  readonly #levels: Level[] = [levelOf('', NONE, NONE)]
  #parts = 0
  #trials = 0
  #elements = 0

  /** Adds a selector. `selector`: its number in the results of `open`. */
  add(compounds: readonly Compound[], selector: number): void {
    this.#parts++ // leaves a gap, so that the first part of a selector does not follow the last part of another
    compounds.forEach((compound, at) => {
      const part = { number: this.#parts++, compound, selector: at + 1 === compounds.length ? selector : undefined }
      const { ids, classes, name } = compound
      if (ids[0] !== undefined) addTo(this.#byId, ids[0], part)
      else if (classes[0] !== undefined) addTo(this.#byClass, classes[0], part)
      else if (name !== undefined) addTo(this.#byName, name, part)
      else this.#others.push(part)
    })
  }

  /**
   * Opens an element and returns the selectors that match it.
   * @throws CodecError `over_budget` if rules and elements are too many
   */
  open(element: Omit<Subject, 'index' | 'indexOfType' | 'isRoot'>): number[] {
    this.#elements++
    const parent = this.#levels.at(-1)!
    const indexOfType = (parent.childrenByName.get(element.name) ?? 0) + 1
    parent.childrenByName.set(element.name, indexOfType)
    const subject: Subject = {
      name: element.name,
      id: element.id,
      classes: element.classes,
      attribute: (name) => element.attribute(name),
      index: ++parent.children,
      indexOfType,
      isRoot: this.#levels.length === 1,
    }
    const own = new Set<number>()
    const selectors: number[] = []
    for (const part of this.#candidates(subject)) {
      if (!isReached(part, parent) || !matchesCompound(part.compound, subject)) continue
      own.add(part.number)
      if (part.selector !== undefined) selectors.push(part.selector)
    }
    this.#trials += own.size + (own.size > 0 ? parent.around.size : 0)
    this.#levels.push(levelOf(element.name, own.size > 0 ? own : NONE, own.size > 0 ? new Set([...parent.around, ...own]) : parent.around))
    return selectors
  }

  close(): void {
    const { own } = this.#levels.pop()!
    const parent = this.#levels.at(-1)!
    parent.previous = own
    if (own.size > 0) {
      parent.earlier ??= new Set()
      for (const part of own) parent.earlier.add(part)
    }
  }

  *#candidates({ id, classes, name }: Subject): Generator<Part> {
    const lists = [this.#others, this.#byName.get(name), id === undefined ? undefined : this.#byId.get(id)]
    for (const one of classes) lists.push(this.#byClass.get(one))
    for (const list of lists) {
      this.#trials += list?.length ?? 0
      if (this.#trials > MAX_TRIALS)
        throw overBudget(message('style_rules_take_too_long', { rules: this.#parts, elements: this.#elements }))
      if (list) yield* list
    }
  }
}

/** True if the parts before match elements at the places that the combinator asks for. */
function isReached({ number, compound: { combinator } }: Part, parent: Level): boolean {
  if (combinator === '') return true
  if (combinator === ' ') return parent.around.has(number - 1)
  if (combinator === '>') return parent.own.has(number - 1)
  return combinator === '+' ? parent.previous.has(number - 1) : (parent.earlier?.has(number - 1) ?? false)
}

function addTo(map: Map<string, Part[]>, key: string, part: Part): void {
  const list = map.get(key)
  if (list) list.push(part)
  else map.set(key, [part])
}
