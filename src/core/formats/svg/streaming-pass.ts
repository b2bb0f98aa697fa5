/**
 * Streaming pass for drawings whose element trees exceed the memory limit, such as maps and plots. It removes comments and white space
 * between elements, and shortens or rounds numbers of paths and polygons, tag by tag.
 */

import { equalBytes } from '../../bytes/equal.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import type { YieldBudget } from '../../bytes/yield.ts'
import { NOTICE } from './css.ts'
import { fewestDecimals, longerSideOf, VIEWPORT_ELEMENTS } from './decimals.ts'
import { isUnmeasured } from './marks.ts'
import { absolutePath, readPath, readPoints, roundPath, type Segment, shortNumber, writePath, writePoints } from './path.ts'
import { scanSvg, type Token } from './scan.ts'

/** Elements in which white space is content, or may be. */
const SPACED = new Set(['text', 'tspan', 'textPath', 'title', 'desc', 'style', 'script', 'foreignObject', 'metadata', 'switch'])

/** True for comments with a copyright notice. The bytes are read as Latin-1; a UTF-8 copyright sign ends with the Latin-1 one. */
const isNotice = (comment: string) => comment.startsWith('<!--!') || NOTICE.test(comment)

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Yields all tokens that must be kept: everything except comments and white space between elements. */
function* essentials(bytes: Uint8Array): Generator<Token> {
  const spaced: boolean[] = []
  for (const token of scanSvg(bytes)) {
    if (token.kind === 'open') {
      const inherited = spaced.at(-1) ?? false
      const own = token.attributes.find(({ name }) => name === 'xml:space')?.value
      if (!token.empty) spaced.push(inherited || SPACED.has(localName(token.name)) || own === 'preserve')
    } else if (token.kind === 'close') {
      spaced.pop()
    } else if (token.kind === 'comment') {
      if (!isNotice(latin1Of(bytes.subarray(token.from, token.to)))) continue
    } else if (token.kind === 'text' && !spaced.at(-1)) {
      if (/^[ \t\r\n]*$/.test(latin1Of(bytes.subarray(token.from, token.to)))) continue
    }
    yield token
  }
}

const NO_CLASSES: ReadonlySet<string> = new Set()

const isPath = (element: string, attribute: string) => attribute === 'd' && localName(element) === 'path'
const isPoints = (element: string, attribute: string) =>
  attribute === 'points' && (localName(element) === 'polygon' || localName(element) === 'polyline')

/**
 * Maximum length in characters of an attribute value that is shortened. Longer values stay unchanged, because their numbers would take too
 * much memory.
 */
const MAX_VALUE_CHARACTERS = 1024 * 1024

function shortenValue(element: string, attribute: string, value: string, decimals: number | undefined): string {
  if (value.length > MAX_VALUE_CHARACTERS) return value
  const shorter = () => {
    if (isPath(element, attribute)) {
      const path = readPath(value)
      if (!path) return value
      if (decimals !== undefined) return writePath(roundPath(path, decimals))
      return writePath(path.map(({ command, numbers }) => ({ command, numbers: shortenNumbers(command, numbers) })))
    }
    const points = isPoints(element, attribute) ? readPoints(value) : undefined
    if (!points) return value
    return writePoints(points.map((text) => shortNumber(decimals === undefined ? text : Number(text).toFixed(decimals))))
  }
  const shortValue = shorter()
  return shortValue.length < value.length ? shortValue : value
}

const shortenNumbers = (command: string, numbers: readonly string[]) =>
  numbers.map((text, i) => (/a/i.test(command) && (i === 3 || i === 4) ? text : shortNumber(text)))

/**
 * Yields the shortened document in chunks. Elements that the renderer draws differently from browsers keep their values.
 * @param decimals decimals of coordinates in paths and polygons; `undefined`: no value changes
 */
export function* streamingPass(bytes: Uint8Array, decimals: number | undefined, hidingClasses = NO_CLASSES): Generator<Uint8Array> {
  const exactElements: boolean[] = []
  for (const token of essentials(bytes)) {
    if (token.kind === 'open') {
      const attributes = Object.fromEntries(token.attributes.map(({ name, value }) => [name, value]))
      const isExact = exactElements.at(-1) || isUnmeasured({ name: token.name, attributes }, hidingClasses, exactElements.length === 0)
      if (!token.empty) exactElements.push(isExact)
      const keptDecimals = isExact ? undefined : decimals
      let tag = `<${token.name}`
      for (const { name, value, quote } of token.attributes)
        tag += ` ${name}=${quote}${shortenValue(token.name, name, value, keptDecimals)}${quote}`
      yield latin1Bytes(`${tag}${token.empty ? '/>' : '>'}`)
    } else if (token.kind === 'close') {
      exactElements.pop()
      yield latin1Bytes(`</${token.name}>`)
    } else {
      yield bytes.subarray(token.from, token.to)
    }
  }
}

/**
 * Number of decimals that the smallest box in the document needs. Other documents may show a symbol at any size, so symbols count as boxes.
 * @param breath called between elements to yield to other tasks
 */
export async function fewestDecimalsOfBoxes(bytes: Uint8Array, breath: YieldBudget): Promise<number> {
  let fewest = 0
  for (const token of scanSvg(bytes)) {
    await breath.after(token.to - token.from)
    if (token.kind !== 'open' || !VIEWPORT_ELEMENTS.has(localName(token.name))) continue
    const side = longerSideOf(Object.fromEntries(token.attributes.map(({ name, value }) => [name, value])))
    if (side !== undefined) fewest = Math.max(fewest, fewestDecimals(side))
  }
  return fewest
}

/** Describes the first difference between a file and its shortened form. `undefined`: none beyond `tolerance` in coordinates. */
export async function streamingPassDifference(
  before: Uint8Array,
  after: Uint8Array,
  tolerance: number,
  breath: YieldBudget,
): Promise<string | undefined> {
  const [left, right] = [essentials(before), essentials(after)]
  for (;;) {
    const [a, b] = [left.next(), right.next()]
    if (a.done || b.done) return a.done === b.done ? undefined : 'elements are missing'
    const [p, q] = [a.value, b.value]
    await breath.after(p.to - p.from)
    const where = `at byte ${p.from}`
    if (p.kind !== q.kind) return `${p.kind} became ${q.kind} ${where}`
    if (p.kind === 'close') continue // closing tags match their opening tags
    if (p.kind !== 'open' || q.kind !== 'open') {
      if (!equalBytes(before.subarray(p.from, p.to), after.subarray(q.from, q.to))) return `${p.kind} changed ${where}`
      continue
    }
    if (p.name !== q.name || p.attributes.length !== q.attributes.length) return `<${p.name}> changed ${where}`
    for (let i = 0; i < p.attributes.length; i++) {
      const [old, now] = [p.attributes[i], q.attributes[i]]
      if (!old || old.name !== now?.name || !sameValue(p.name, old.name, old.value, now.value, tolerance))
        return `${old?.name} of <${p.name}> changed ${where}`
    }
  }
}

function sameValue(element: string, attribute: string, before: string, after: string, tolerance: number): boolean {
  if (before === after) return true
  const isNear = (a: readonly number[], b: readonly number[]) =>
    a.length === b.length && a.every((v, i) => Math.abs(v - (b[i] ?? Number.NaN)) <= tolerance)
  if (isPoints(element, attribute)) {
    const [a, b] = [readPoints(before), readPoints(after)]
    return a !== undefined && b !== undefined && isNear(a.map(Number), b.map(Number))
  }
  if (!isPath(element, attribute)) return false
  const [a, b] = [readPath(before), readPath(after)]
  if (!a || !b || a.length !== b.length || a.some(({ command }, i) => command !== b[i]?.command)) return false
  if (tolerance === 0) return a.every((segment, i) => isNear(values(segment), values(b[i] ?? segment)))
  const [x, y] = [absolutePath(a), absolutePath(b)]
  return x.every((point, i) => isNear(point, y[i] ?? []))
}

const values = ({ numbers }: Segment) => numbers.map(Number)
