/** Runs the rounding plugins of svgo with a separate precision for each element. svgo itself has one precision per document. */

import type { PluginConfig } from 'svgo/browser'
import { log10 } from '../../bytes/same-math.ts'
import { eachElement, hasHugeNumbers, type SvgElement, scaleOf } from './decimals.ts'
import type { AllowedChanges } from './freedom.ts'
import { builtin, isConvertibleShape, type MarksHolder, type PluginFunction, plugin } from './guarded.ts'
import { roundAttributes } from './numbers.ts'
import { readPath, readPoints, roundPath, type Segment, shortNumber, writePath, writePoints } from './path.ts'
import { LEAST_DECIMALS, MAX_MERGE_CHARACTERS, MOST_DECIMALS } from './tuning.ts'

type Builtin = 'convertShapeToPath' | 'convertPathData' | 'convertTransform' | 'mergePaths'
type Enter = (node: SvgElement, parent: SvgElement) => unknown

export interface RoundingPrecision {
  /** Number of decimals of coordinates. */
  readonly decimals: number
  /**
   * True: svgo converts a curve into an arc only if both are almost equal. By default svgo tolerates two and a half coordinate steps, which
   * makes thin rings uneven.
   */
  readonly trueArcs: boolean
}

export interface RoundingPlugins {
  readonly numbers: PluginConfig
  readonly shapes: PluginConfig
  readonly paths: PluginConfig
  readonly transforms: PluginConfig
  readonly merging: PluginConfig
}

/** Creates the rounding plugins, each restricted to the elements it may change. */
export function roundingPlugins(grain: RoundingPrecision, freedom: AllowedChanges, marked: MarksHolder): RoundingPlugins {
  const isMeasured = (node: SvgElement) => freedom.rounding && !marked.marks.of(node).keepsNumbers
  const losesCorners = (node: SvgElement) => isMeasured(node) && freedom.corners && !marked.marks.of(node).mayHaveMarkers
  const restricted = (name: Builtin, allow: (node: SvgElement) => boolean) => plugin(name, byElement(name, grain, { allow, freedom }))
  return {
    numbers: plugin('cleanupNumericValues', roundAttributes(grain.decimals, isMeasured)),
    shapes: restricted('convertShapeToPath', (node) => isMeasured(node) && isConvertibleShape(node, marked.marks)),
    paths: plugin('convertPathData', (root, params, info) => {
      byElement('convertPathData', grain, { allow: losesCorners, freedom })(root, params, info)
      keepCorners(root, grain.decimals, (node) => (losesCorners(node) ? 'not' : isMeasured(node) ? 'rounded' : 'exact'))
      return null
    }),
    transforms: restricted('convertTransform', (node) => isMeasured(node) && freedom.styles),
    merging: restricted(
      'mergePaths',
      (node) => marked.marks.mayChange(node) && !marked.marks.of(node).mayHaveMarkers && losesCorners(node),
    ),
  }
}

/** Shortens paths that must keep every vertex, because markers may be drawn on them or because the result is not measured. */
function keepCorners(root: SvgElement, decimals: number, treat: (node: SvgElement) => 'not' | 'rounded' | 'exact'): void {
  eachElement(root, decimals, (node, _, ownDecimals) => {
    const how = treat(node)
    const [name, value] = node.name === 'path' ? ['d', node.attributes['d']] : ['points', node.attributes['points']]
    if (value === undefined || (how === 'not' && name === 'd')) return
    const needed = how === 'exact' ? undefined : Math.ceil(ownDecimals)
    node.attributes[name] = shortOutline(name, value, needed)
  })
}

function shortOutline(name: string, value: string, decimals: number | undefined): string {
  if (hasHugeNumbers(name === 'd' ? value : `M${value}`)) return value
  const [path, points] = name === 'd' ? [readPath(value), undefined] : [undefined, readPoints(value)]
  const short = path
    ? writePath(decimals === undefined ? path.map(shortSegment) : roundPath(path, decimals))
    : points && writePoints(points.map((text) => shortNumber(decimals === undefined ? text : Number(text).toFixed(decimals))))
  return short !== undefined && short.length < value.length ? short : value
}

const shortSegment = ({ command, numbers }: Segment): Segment => ({
  command,
  numbers: numbers.map((text, i) => (/a/i.test(command) && (i === 3 || i === 4) ? text : shortNumber(text))),
})

/** Number of decimals that a plugin needs for an element. `decimals`: decimals of the coordinates in it. */
const DECIMALS_OF: { readonly [Name in Builtin]: (node: SvgElement, decimals: number) => number } = {
  convertShapeToPath: (_, decimals) => decimals,
  convertPathData: (_, decimals) => decimals,
  convertTransform: decimalsOfTransform,
  mergePaths: ({ children }, decimals) =>
    Math.min(
      MOST_DECIMALS,
      decimals + children.reduce((most, { attributes }) => Math.max(most, log10(scaleOf(attributes?.['transform'] ?? ''))), 0),
    ),
}

/**
 * Decimals of a transform. Gradient transforms apply to the unit square, and small scales precede large coordinates, so both need more
 * decimals.
 */
function decimalsOfTransform({ attributes }: SvgElement, decimals: number): number {
  const paint = attributes['gradientTransform'] ?? attributes['patternTransform']
  const least = paint === undefined ? decimals : Math.max(decimals, LEAST_DECIMALS)
  const scale = scaleOf(paint ?? attributes['transform'] ?? '')
  return Math.min(2 * MOST_DECIMALS, Math.max(least, Math.ceil(-log10(scale)) + 2 * Number(scale < 0.1)))
}

/** Arc tolerances for `trueArcs`: `threshold` in coordinate steps, `tolerance` in percent of the radius. */
const TRUE_ARCS = { threshold: 0.5, tolerance: 0.5 }

function paramsOf(name: Builtin, { decimals, trueArcs }: RoundingPrecision, applyTransforms: boolean): object {
  const whole = Math.ceil(decimals)
  if (name === 'convertTransform')
    return { floatPrecision: whole, transformPrecision: Math.max(4, whole + 2), degPrecision: Math.max(LEAST_DECIMALS - 1, whole) }
  if (name !== 'convertPathData') return { floatPrecision: whole }
  return { floatPrecision: whole, applyTransforms, ...(trueArcs ? { makeArcs: TRUE_ARCS } : {}) }
}

interface Limits {
  readonly allow: (node: SvgElement) => boolean
  readonly freedom: AllowedChanges
}

/** Runs a plugin once for each precision, because a plugin instance has a fixed precision. Most documents need one run. */
function byElement(name: Builtin, { decimals, trueArcs }: RoundingPrecision, { allow, freedom }: Limits): PluginFunction {
  return (root, _, info) => {
    const groups = new Map<number, { node: SvgElement; parent: SvgElement }[]>()
    const untouched: SvgElement[] = []
    eachElement(root, decimals, (node, parent, ownDecimals) => {
      if (name === 'mergePaths' ? isHuge(name, node) : isHuge(name, node) || !allow(node)) {
        untouched.push(node)
        return
      }
      const needed = Math.ceil(DECIMALS_OF[name](node, ownDecimals))
      const group = groups.get(needed)
      if (group) group.push({ node, parent })
      else groups.set(needed, [{ node, parent }])
    })
    for (const [needed, elements] of groups) {
      const params = paramsOf(name, { decimals: needed, trueArcs }, freedom.structure)
      const enter = withoutPaths(name === 'convertPathData' ? untouched : [], () => builtin(name)(root, params, info)?.element?.enter)
      if (!enter) continue
      for (const { node, parent } of elements) {
        if (name === 'mergePaths') mergeInRuns(enter, node, parent, allow)
        else enter(node, parent)
      }
    }
    return null
  }
}

/**
 * Hides the paths of these elements during `run`. svgo applies transforms to all paths of a tree at once, before it visits single elements.
 */
function withoutPaths<T>(nodes: readonly SvgElement[], run: () => T): T {
  const paths = nodes.filter(({ attributes }) => attributes['d'] !== undefined).map((node) => ({ node, d: node.attributes['d']! }))
  for (const { node } of paths) delete node.attributes['d']
  const result = run()
  for (const { node, d } of paths) node.attributes['d'] = d
  return result
}

/** Merges the children of a node in limited groups, so the time is linear in the number of paths. Two paths can always be merged. */
function mergeInRuns(enter: Enter, node: SvgElement, parent: SvgElement, allow: (node: SvgElement) => boolean): void {
  const runs: SvgElement[][] = [[]]
  let characters = 0
  let reads = 0
  for (const child of node.children) {
    if (child.type !== 'element' || !allow(child)) {
      runs.push([child], [])
      characters = reads = 0
      continue
    }
    characters += child.attributes?.['d']?.length ?? 0
    reads += characters
    if (reads > MAX_MERGE_CHARACTERS && runs.at(-1)!.length > 1) {
      runs.push([])
      characters = reads = 0
    }
    runs.at(-1)!.push(child)
  }
  node.children = runs.flatMap((children) => {
    if (children.length < 2) return children
    const run = { ...node, children }
    enter(run, parent)
    return run.children
  })
}

function isHuge(name: Builtin, node: SvgElement): boolean {
  if (name === 'mergePaths') return node.children.some((child) => child.type === 'element' && isHuge('convertPathData', child))
  return name === 'convertPathData' && hasHugeNumbers(node.attributes['d'] ?? '')
}
