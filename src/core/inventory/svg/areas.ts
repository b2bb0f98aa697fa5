/** Properties of shapes that a rendering does not show: areas that take clicks, hidden parts and the vertices of markers. */
import type { ItemCollector } from '../collector.ts'
import { urlsIn } from './css.ts'

const TRACKED = new Set([
  'display',
  'pointer-events',
  'fill',
  'visibility',
  'fill-opacity',
  'opacity',
  'marker',
  'marker-start',
  'marker-mid',
  'marker-end',
])

/** Values by property name. */
export type Properties = ReadonlyMap<string, string>

const NO_PROPERTIES: Properties = new Map()

/** Returns the tracked properties that an element declares. A `style` attribute overrides presentation attributes. */
export function declaredProperties(attributes: ReadonlyMap<string, string>): Properties {
  const declared = new Map<string, string>()
  for (const [name, value] of attributes) if (TRACKED.has(name)) declared.set(name, plain(value))
  for (const part of attributes.get('style')?.split(';') ?? []) {
    const colon = part.indexOf(':')
    const name = part.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (TRACKED.has(name)) declared.set(name, plain(part.slice(colon + 1)))
  }
  return declared.size > 0 ? declared : NO_PROPERTIES
}

const plain = (value: string): string => value.replace('!important', '').trim()

/** Returns the properties of an element and those that it inherits. */
export function inheritedProperties(parent: Properties, declared: Properties): Properties {
  if (declared.size === 0) return parent
  const all = new Map(parent)
  for (const [name, value] of declared) if (value !== 'inherit') all.set(name, value)
  return all
}

export const isZero = (value: string | undefined): boolean => value !== undefined && /^[+-]?(?:0+\.?0*|\.0+)(?:e[+-]?\d+)?%?$/i.test(value)

export interface Shape {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly inherited: Properties
  /** Where the shape is: in a link, or in a group with event attributes. */
  readonly place: string
  /** True if the shape or a group around it has no opacity. */
  readonly isFaint: boolean
}

const EVERYWHERE = /^(?:all|fill|bounding-box)$/
const IF_VISIBLE = /^(?:visible|visibleFill)$/

/** Adds an area that nobody sees and everybody can click (SVG 2, 15.6). */
export function addClickArea({ inherited, place, isFaint }: Shape, items: ItemCollector): void {
  const events = inherited.get('pointer-events') ?? 'visiblePainted'
  const fill = inherited.get('fill') ?? 'black'
  const isVisible = (inherited.get('visibility') ?? 'visible') === 'visible'
  if (events === 'none') return
  if (fill === 'none') {
    if (EVERYWHERE.test(events) || (IF_VISIBLE.test(events) && isVisible)) items.add('click_areas', `area ${place}`)
    return
  }
  const takes = EVERYWHERE.test(events) || isVisible || events === 'painted'
  const isUnseen = fill === 'transparent' || isZero(inherited.get('fill-opacity')) || isFaint || !isVisible
  if (takes && isUnseen) items.add('click_areas', `area ${place}`)
}

const PLACES = ['marker', 'marker-start', 'marker-mid', 'marker-end'] as const

/** Adds the markers of a shape, with the number of vertices on which they may be drawn. */
export function addMarkers(shape: Shape, items: ItemCollector): void {
  const { inherited } = shape
  const urlsOf = (place: (typeof PLACES)[number]) => urlsIn(inherited.get(place) ?? '')
  const urls = new Set(PLACES.flatMap(urlsOf))
  if (urls.size === 0) return
  const onEach = new Set([...urlsOf('marker'), ...urlsOf('marker-mid')])
  for (const url of urls) items.add('markers', url, onEach.has(url) ? verticesOf(shape) : 1)
}

const NUMBER = /[\s,]*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/iy
const FLAG = /[\s,]*[01]/y

/** Number of vertices of a shape. */
function verticesOf({ name, attributes }: Pick<Shape, 'name' | 'attributes'>): number {
  if (name === 'line') return 2
  if (name !== 'path') return Math.floor(numbersIn(attributes.get('points') ?? '', 2) / 2) + Number(name === 'polygon')
  let vertices = 0
  for (const [, command = '', numbers = ''] of (attributes.get('d') ?? '').matchAll(/([MLHVCSQTAZ])([^MLHVCSQTAZ]*)/gi)) {
    const perVertex = NUMBERS_PER_VERTEX[command.toLowerCase()]!
    vertices += perVertex === 0 ? 1 : Math.max(1, Math.floor(numbersIn(numbers, perVertex) / perVertex))
  }
  return vertices
}

const NUMBERS_PER_VERTEX: { readonly [command: string]: number } = { m: 2, l: 2, t: 2, h: 1, v: 1, c: 6, s: 4, q: 4, a: 7, z: 0 }

/** Number of numbers at the start of a list. The flags of an arc (`perVertex` 7) need no space between them. */
function numbersIn(list: string, perVertex: number): number {
  let [count, at] = [0, 0]
  for (;;) {
    const pattern = perVertex === 7 && (count % 7 === 3 || count % 7 === 4) ? FLAG : NUMBER
    pattern.lastIndex = at
    if (!pattern.test(list)) return count
    at = pattern.lastIndex
    count++
  }
}
