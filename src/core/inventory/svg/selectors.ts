/** Selectors (Selectors Level 4) as lists of tests. What depends on later elements or on the reader, such as `:hover`, counts as given. */

/** Element as selectors see it. */
export interface Subject {
  readonly name: string
  readonly id: string | undefined
  readonly classes: ReadonlySet<string>
  /** Value of an attribute without a namespace. */
  attribute(name: string): string | undefined
  /** Position among the elements of the parent, from 1. */
  readonly index: number
  /** Position among the elements with the same name, from 1. */
  readonly indexOfType: number
  readonly isRoot: boolean
}

/** Tests of one element, between two combinators. */
export interface Compound {
  /** Combinator before the compound. Empty for the first one. */
  readonly combinator: '' | ' ' | '>' | '+' | '~'
  readonly name: string | undefined
  readonly ids: readonly string[]
  readonly classes: readonly string[]
  readonly tests: readonly ((subject: Subject) => boolean)[]
}

const STRUCTURAL =
  /^:(?:root|first-child|last-child|only-child|nth-[a-z-]+|first-of-type|last-of-type|only-of-type|empty|not|is|where|has)\b/i
const PSEUDO = /::?[a-z-]+(?:\((?:[^()]|\([^()]{0,200}\)){0,200}\))?/gi
const MAX_COMPOUNDS = 64

/** True if a selector depends on what a reader does: `:hover`, `:target`, `::selection`. */
export const dependsOnState = (selector: string): boolean => [...selector.matchAll(PSEUDO)].some(([pseudo]) => !STRUCTURAL.test(pseudo))

const NAME = /(?:[-\w\u0080-\uffff]|\\[\s\S])+/y
const BRACKETS = /\[\s*((?:[-\w\u0080-\uffff])+)\s*(?:([~|^$*]?=)\s*(?:'([^']*)'|([^\s\]']+))\s*([iIsS])?\s*)?\]/y
const FUNCTION = /::?([a-zA-Z-]+)(\((?:[^()]|\([^()]{0,200}\)){0,400}\))?/y

/** Parses a selector in one spelling (`oneSpelling`). `undefined`: it has a form that is not known here, so it matches nothing. */
export function compoundsOf(selector: string): Compound[] | undefined {
  const text = selector.replaceAll('/**/', '')
  const compounds: Compound[] = []
  let at = 0
  for (let combinator: Compound['combinator'] = ''; ; ) {
    const compound = compoundAt(text, at, combinator)
    if (!compound || compounds.length >= MAX_COMPOUNDS) return undefined
    compounds.push(compound.value)
    at = compound.end
    if (at >= text.length) return compounds
    if (!' >+~'.includes(text[at]!)) return undefined
    combinator = text[at++] as Compound['combinator']
  }
}

function compoundAt(text: string, from: number, combinator: Compound['combinator']): { value: Compound; end: number } | undefined {
  const [ids, classes, tests]: [string[], string[], ((subject: Subject) => boolean)[]] = [[], [], []]
  let [name, at]: [string | undefined, number] = [undefined, from]
  const take = (pattern: RegExp, offset: number) => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  if (text[at] === '*') at++
  else name = unescaped(take(NAME, at)?.[0])
  while (at < text.length && !' >+~'.includes(text[at]!)) {
    const sign = text[at]
    if (sign === '#' || sign === '.') {
      const found = unescaped(take(NAME, at + 1)?.[0])
      if (found === undefined) return undefined
      ;(sign === '#' ? ids : classes).push(found)
    } else if (sign === '[') {
      const found = take(BRACKETS, at)
      if (!found) return undefined
      tests.push(attributeTest(found[1]!, found[2], found[3] ?? found[4] ?? '', found[5]?.toLowerCase() === 'i'))
    } else if (sign === ':') {
      const found = take(FUNCTION, at)
      if (!found) return undefined
      const test = found[0].startsWith('::') ? undefined : pseudoTest(found[1]!.toLowerCase(), found[2]?.slice(1, -1) ?? '')
      if (test) tests.push(test)
    } else return undefined
  }
  if (at === from && combinator !== '' && from >= text.length) return undefined
  return { value: { combinator, name, ids, classes, tests }, end: at }
}

const unescaped = (name: string | undefined): string | undefined => name?.replace(/\\([\s\S])/g, '$1')

function attributeTest(name: string, operator: string | undefined, wanted: string, ignoreCase: boolean) {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const value = fold(wanted)
  return (subject: Subject): boolean => {
    const found = subject.attribute(name)
    if (found === undefined || operator === undefined) return found !== undefined
    const actual = fold(found)
    if (operator === '=') return actual === value
    if (operator === '~=') return actual.split(/\s+/).includes(value)
    if (operator === '|=') return actual === value || actual.startsWith(`${value}-`)
    if (value === '') return false
    if (operator === '^=') return actual.startsWith(value)
    return operator === '$=' ? actual.endsWith(value) : actual.includes(value)
  }
}

/** Test of a pseudo-class. `undefined`: it counts as given. */
function pseudoTest(name: string, argument: string): ((subject: Subject) => boolean) | undefined {
  if (name === 'root') return ({ isRoot }) => isRoot
  if (name === 'first-child') return ({ index }) => index === 1
  if (name === 'first-of-type') return ({ indexOfType }) => indexOfType === 1
  if (name === 'nth-child' || name === 'nth-of-type') {
    const fits = nthTest(argument)
    return fits && ((subject) => fits(name === 'nth-child' ? subject.index : subject.indexOfType))
  }
  if (name !== 'not') return undefined
  const inner = compoundsOf(argument)
  if (inner?.length !== 1 || dependsOnState(argument)) return undefined
  return (subject) => !matchesCompound(inner[0]!, subject)
}

/** Test of an index against `odd`, `even` or `an+b`. */
function nthTest(argument: string): ((index: number) => boolean) | undefined {
  const text = argument.toLowerCase().replaceAll(' ', '')
  if (text === 'odd' || text === 'even') return (index) => index % 2 === (text === 'odd' ? 1 : 0)
  const found = /^([+-]?\d{0,6})n([+-]\d{1,6})?$|^([+-]?\d{1,6})$/.exec(text)
  if (!found) return undefined
  if (found[3] !== undefined) return (index) => index === Number(found[3])
  const step = /\d/.test(found[1] ?? '') ? Number(found[1]) : found[1] === '-' ? -1 : 1
  const start = Number(found[2] ?? 0)
  return (index) => (step === 0 ? index === start : (index - start) % step === 0 && (index - start) / step >= 0)
}

export const matchesCompound = ({ name, ids, classes, tests }: Compound, subject: Subject): boolean =>
  (name === undefined || name === subject.name) &&
  ids.every((id) => id === subject.id) &&
  classes.every((one) => subject.classes.has(one)) &&
  tests.every((test) => test(subject))
