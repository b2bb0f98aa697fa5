/** svgo's plugins that round, told for each element how many decimals it needs. svgo itself knows one number for a document. */
import { builtinPlugins, type PluginConfig } from 'svgo/browser'
import { decimalsOf, eachElement, hasHugeNumbers, LEAST_DECIMALS, MOST_DECIMALS, type SvgElement, scaleOf } from './decimals.ts'

type Builtin = 'convertShapeToPath' | 'convertPathData' | 'convertTransform' | 'mergePaths'
type Enter = (node: SvgElement, parent: SvgElement) => void
interface Visitor {
  readonly element?: { readonly enter?: Enter }
}
type PluginFunction = (root: SvgElement, params: object, info: object) => Visitor | null

export interface Grain {
  /** What coordinates keep. */
  readonly decimals: number
  /**
   * Curves become arcs of circles only where they hardly differ from them. Otherwise svgo lets an arc stray by two and a half
   * steps of a coordinate, which makes thin rings uneven.
   */
  readonly trueArcs: boolean
}

/** The plugin under this name; undefined for those that round nothing. */
export function roundingPlugin(name: string, grain: Grain): PluginConfig | undefined {
  const fn = name === 'cleanupNumericValues' ? roundAttributes(grain.decimals) : isBuiltin(name) ? byElement(name, grain) : undefined
  return fn && ({ name, fn } as unknown as PluginConfig)
}

const isBuiltin = (name: string): name is Builtin => name in DECIMALS_OF

/** What an element needs, `decimals` being what coordinates in it need. */
const DECIMALS_OF: { readonly [Name in Builtin]: (node: SvgElement, decimals: number) => number } = {
  convertShapeToPath: (_, decimals) => decimals,
  convertPathData: (_, decimals) => decimals,
  convertTransform: decimalsOfTransform,
  mergePaths: ({ children }, decimals) =>
    Math.min(
      MOST_DECIMALS,
      decimals + children.reduce((most, { attributes }) => Math.max(most, Math.log10(scaleOf(attributes?.['transform'] ?? ''))), 0),
    ),
}

/** Gradients are moved within the unit square; small scales are followed by large coordinates. */
function decimalsOfTransform({ attributes }: SvgElement, decimals: number): number {
  const paint = attributes['gradientTransform'] ?? attributes['patternTransform']
  const least = paint === undefined ? decimals : Math.max(decimals, LEAST_DECIMALS)
  const scale = scaleOf(paint ?? attributes['transform'] ?? '')
  return Math.min(2 * MOST_DECIMALS, Math.max(least, Math.ceil(-Math.log10(scale)) + 2 * Number(scale < 0.1)))
}

/** In steps of a coordinate, and in percent of the radius. */
const TRUE_ARCS = { threshold: 0.5, tolerance: 0.5 }

function paramsOf(name: Builtin, { decimals, trueArcs }: Grain, applyTransforms: boolean): object {
  const whole = Math.ceil(decimals)
  if (name === 'convertTransform')
    return { floatPrecision: whole, transformPrecision: Math.max(4, whole + 2), degPrecision: Math.max(LEAST_DECIMALS - 1, whole) }
  if (name !== 'convertPathData') return { floatPrecision: whole }
  return { floatPrecision: whole, applyTransforms, ...(trueArcs ? { makeArcs: TRUE_ARCS } : {}) }
}

/** Elements that need the same decimals have one pass, as the plugin keeps its precision for itself; nearly always it is one. */
function byElement(name: Builtin, { decimals, trueArcs }: Grain): PluginFunction {
  const plugin = builtinPlugins.find((builtin) => builtin.name === name) as unknown as { readonly fn: PluginFunction }
  return (root, _, info) => {
    const groups = new Map<number, { node: SvgElement; parent: SvgElement }[]>()
    let untouched = 0
    eachElement(root, decimals, (node, parent, own) => {
      if (isHuge(name, node)) {
        untouched++
        return
      }
      const needed = Math.ceil(DECIMALS_OF[name](node, own))
      const group = groups.get(needed)
      if (group) group.push({ node, parent })
      else groups.set(needed, [{ node, parent }])
    })
    for (const [needed, elements] of groups) {
      const enter = plugin.fn(root, paramsOf(name, { decimals: needed, trueArcs }, untouched === 0), info)?.element?.enter
      if (!enter) continue
      for (const { node, parent } of elements) {
        if (name === 'mergePaths') mergeInRuns(enter, node, parent)
        else enter(node, parent)
      }
    }
    return null
  }
}

/** svgo holds every path against all that it has merged before, point by point: so many characters are read again in one run. */
const MERGE_READS = 1_000_000

/** Merges the children of a node run by run, so that twice as many take twice as long. Two paths may always meet. */
function mergeInRuns(enter: Enter, node: SvgElement, parent: SvgElement): void {
  const runs: SvgElement[][] = [[]]
  let characters = 0
  let reads = 0
  for (const child of node.children) {
    characters += child.attributes?.['d']?.length ?? 0
    reads += characters
    if (reads > MERGE_READS && runs.at(-1)!.length > 1) {
      runs.push([])
      characters = reads = 0
    }
    runs.at(-1)!.push(child)
  }
  node.children = runs.flatMap((children) => {
    const run = { ...node, children }
    enter(run, parent)
    return run.children
  })
}

function isHuge(name: Builtin, node: SvgElement): boolean {
  if (name === 'mergePaths') return node.children.some((child) => child.type === 'element' && isHuge('convertPathData', child))
  return name === 'convertPathData' && hasHugeNumbers(node.attributes['d'] ?? '')
}

const NUMBER = /^([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)(px|pt|pc|mm|cm|m|in|ft|em|ex|%)?$/
const PIXELS: { readonly [unit: string]: number | undefined } = { cm: 96 / 2.54, mm: 96 / 25.4, in: 96, pt: 4 / 3, pc: 16 }

/** In place of svgo's cleanupNumericValues, which rounds opacities like coordinates. */
function roundAttributes(decimals: number): PluginFunction {
  return (root) => {
    eachElement(root, decimals, (node, _, own) => {
      for (const [attribute, text] of Object.entries(node.attributes)) {
        if (attribute === 'viewBox') node.attributes[attribute] = roundBox(text, Math.max(own, LEAST_DECIMALS))
        const [, number, unit = ''] = NUMBER.exec(text) ?? []
        if (number === undefined) continue
        const rounded = roundNumber({ element: node.name, attribute }, { value: Number(number), unit }, own)
        if (rounded !== undefined) node.attributes[attribute] = rounded
      }
    })
    return null
  }
}

function roundNumber(
  place: { element: string; attribute: string },
  { value, unit }: { value: number; unit: string },
  decimals: number,
): string | undefined {
  const kept = decimalsOf(place, { value, unit }, decimals)
  if (kept === undefined) return undefined
  const short = shortest(value.toFixed(kept)) + (unit === 'px' ? '' : unit)
  const factor = PIXELS[unit]
  if (factor === undefined) return short
  const inPixels = shortest((value * factor).toFixed(decimalsOf(place, { value: value * factor, unit: '' }, decimals) ?? MOST_DECIMALS))
  return inPixels.length < short.length ? inPixels : short
}

const shortest = (number: string): string => String(Number(number)).replace(/^(-?)0\./, '$1.')

const roundBox = (box: string, decimals: number): string =>
  box
    .trim()
    .split(/[\s,]+/)
    .map((word) => (Number.isNaN(Number(word)) ? word : String(Number(Number(word).toFixed(decimals)))))
    .join(' ')
