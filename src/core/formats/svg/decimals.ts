/**
 * Chooses the number of decimals for the numbers of a document. Only coordinates and lengths of drawn shapes get fewer than three decimals.
 * Their precision follows the size of the drawing: an icon is 24 units wide, a map thousands.
 */

import { maxOf } from '../../bytes/min-max.ts'
import { log10 } from '../../bytes/same-math.ts'
import { HUGE_NUMBER, HUGE_RADIUS, LEAST_DECIMALS, LENGTH_TOLERANCE, MIN_STEPS_PER_SIDE, MOST_DECIMALS } from './tuning.ts'

export interface SvgElement {
  readonly type: string
  name: string
  attributes: { [name: string]: string }
  children: SvgElement[]
}

/** Minimum number of decimals for coordinates in a box with this longer side, in user units. */
export const fewestDecimals = (side: number): number =>
  side > 0 && side < Number.POSITIVE_INFINITY ? Math.min(MOST_DECIMALS, Math.max(0, Math.ceil(log10(MIN_STEPS_PER_SIDE / side)))) : 0

/** Longer side of the box given by `viewBox`, or else by `width` and `height`, in user units. `undefined`: neither is given. */
export function longerSideOf(attributes: { readonly [name: string]: string | undefined }): number | undefined {
  const box = (attributes['viewBox'] ?? '').trim().split(/[\s,]+/)
  const sides = box.length === 4 ? box.slice(2).map(Number) : [attributes['width'], attributes['height']].map(pixels)
  const side = maxOf(sides.filter((value) => value > 0))
  return side > 0 ? side : undefined
}

const pixels = (length: string | undefined): number => Number(/^\s*([\d.]+(?:e[-+]?\d+)?)\s*(?:px)?\s*$/i.exec(length ?? '')?.[1])

/** Coordinate system of an element during the tree walk. */
interface Scope {
  readonly decimals: number
  /** Product of all transform scales since `decimals` was chosen. */
  readonly scale: number
}

/** Elements that establish a coordinate system of their own. */
export const VIEWPORT_ELEMENTS = new Set(['svg', 'symbol', 'marker', 'pattern', 'view'])
const UNITS_ATTRIBUTES: { readonly [element: string]: string | undefined } = {
  clipPath: 'clipPathUnits',
  mask: 'maskContentUnits',
  pattern: 'patternContentUnits',
}

/** Visits every element that is still in the tree, parents first, with the decimals for its coordinates. */
export function eachElement(
  root: SvgElement,
  decimals: number,
  visit: (node: SvgElement, parent: SvgElement, decimals: number) => void,
): void {
  const walk = (node: SvgElement, parent: SvgElement, outer: Scope) => {
    const scope = scopeOf(node, outer, decimals)
    visit(node, parent, scaledDecimals(scope))
    // The list is copied, because a visit may add or remove elements.
    for (const child of [...node.children]) if (child.type === 'element') walk(child, node, scope)
  }
  for (const child of [...root.children]) if (child.type === 'element') walk(child, root, { decimals, scale: 1 })
}

/** Adds decimals for a scale above 1. A scale of 1.25, as from points to pixels, adds none. */
const scaledDecimals = ({ decimals, scale }: Scope) =>
  Math.min(MOST_DECIMALS, scale > 1 ? decimals + Math.max(0, Math.ceil(log10(scale) - 0.5)) : decimals)

function scopeOf({ name, attributes }: SvgElement, outer: Scope, decimals: number): Scope {
  const units = UNITS_ATTRIBUTES[name]
  if (units && attributes[units] === 'objectBoundingBox') return { decimals: Math.max(decimals, LEAST_DECIMALS), scale: 1 }
  const side = VIEWPORT_ELEMENTS.has(name) && attributes['viewBox'] !== undefined ? longerSideOf(attributes) : undefined
  if (side !== undefined) return { decimals: Math.max(decimals, fewestDecimals(side)), scale: 1 }
  return { decimals: outer.decimals, scale: outer.scale * scaleOf(attributes['transform'] ?? '') }
}

/** Factor by which a list of transforms scales lengths. Rotations and translations count as 1. */
export function scaleOf(transform: string): number {
  let scale = 1
  for (const [, name, list = ''] of transform.matchAll(/(matrix|scale)\s*\(([^)]*)\)/g)) {
    const [a = 1, b = name === 'scale' ? a : 0, c = 0, d = 1] = list
      .trim()
      .split(/[\s,]+/)
      .map(Number)
    const factor = Math.sqrt(Math.abs(name === 'scale' ? a * b : a * d - b * c))
    if (factor > 0 && factor < Number.POSITIVE_INFINITY) scale *= factor
  }
  return scale
}

const DRAWN = new Set(['rect', 'circle', 'ellipse', 'line', 'image', 'use', 'text', 'tspan', 'svg', 'foreignObject'])
const COORDINATES = new Set(['x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'dx', 'dy'])
const LENGTHS = new Set(['r', 'rx', 'ry', 'width', 'height'])

/** Number of decimals for a number in an attribute. `undefined`: the number must not change. `unit` is empty or `px` for user units. */
export function decimalsOf(
  { element, attribute }: { element: string; attribute: string },
  { value, unit }: { value: number; unit: string },
  decimals: number,
): number | undefined {
  if (/^(?:version|id|class|data-|aria-)|:/.test(attribute) || Math.abs(value) >= HUGE_NUMBER) return undefined
  const users = unit === '' || unit === 'px'
  if (!users || !DRAWN.has(element)) return Math.max(decimals, LEAST_DECIMALS)
  if (COORDINATES.has(attribute)) return decimals
  return LENGTHS.has(attribute) ? decimalsOfLength(value, decimals) : Math.max(decimals, LEAST_DECIMALS)
}

function decimalsOfLength(value: number, decimals: number): number {
  for (let kept = decimals; kept < MOST_DECIMALS; kept++) {
    if (Math.abs(Number(value.toFixed(kept)) - value) <= LENGTH_TOLERANCE * Math.abs(value)) return kept
  }
  return MOST_DECIMALS
}

/** Matches path data with an exponent, or with six digits before a point. Other numbers are below the smallest limit. */
const MAY_BE_HUGE = /e|(?:^|[^\d.])\d{6}/i

/** True if path data contains numbers that renderers interpret differently. A rewritten path could then look different. */
export function hasHugeNumbers(path: string): boolean {
  if (!MAY_BE_HUGE.test(path)) return false
  for (const [, command = '', list = ''] of path.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const largest = command === 'A' || command === 'a' ? HUGE_RADIUS : HUGE_NUMBER
    for (const [number] of list.matchAll(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi)) if (!(Math.abs(Number(number)) < largest)) return true
  }
  return false
}
