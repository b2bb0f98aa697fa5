/** svgo's plugins, kept away from elements that must be left alone. docs/decisions/svg.md lists what each would drop. */
import { builtinPlugins, type PluginConfig } from 'svgo/browser'
import type { SvgElement } from './decimals.ts'
import type { Marks } from './marks.ts'

type Visit = (node: SvgElement, parent: SvgElement) => unknown
interface Visitor {
  readonly element?: { readonly enter?: Visit; readonly exit?: Visit }
  readonly root?: object
}
export type PluginFunction = (root: SvgElement, params: object, info: object) => Visitor | null | undefined

/** Marks of the tree that is being worked on. */
export interface Marked {
  marks: Marks
}

/** svgo's own function under this name. */
export function builtin(name: string): PluginFunction {
  const plugin = builtinPlugins.find((one) => one.name === name) as unknown as { readonly fn: PluginFunction } | undefined
  if (!plugin) throw new Error(`svgo has no plugin ${name}`)
  return plugin.fn
}

/** A plugin of our own. */
export const plugin = (name: string, fn: PluginFunction): PluginConfig => ({ name, fn }) as unknown as PluginConfig

type Allow = (node: SvgElement, marks: Marks) => boolean

/** svgo's plugin under this name, which visits only what `allow` lets it. */
export function guarded(name: string, marked: Marked, allow: Allow, params: object = {}): PluginConfig {
  const wrapped = (visit: Visit | undefined): { visit?: Visit } =>
    visit ? { visit: (node, parent) => (allow(node, marked.marks) ? visit(node, parent) : undefined) } : {}
  return plugin(name, (root, _, info) => {
    const visitor = builtin(name)(root, params, info)
    if (!visitor?.element) return visitor
    const { visit: enter } = wrapped(visitor.element.enter)
    const { visit: exit } = wrapped(visitor.element.exit)
    return { ...visitor, element: { ...(enter ? { enter } : {}), ...(exit ? { exit } : {}) } }
  })
}

export const elementsOf = (node: SvgElement): SvgElement[] => node.children.filter(({ type }) => type === 'element')

/** A group whose attributes may move to its children, or theirs to it. `style` outranks attributes, so it cannot trade places with them. */
export const isLooseGroup: Allow = (node, marks) =>
  node.name === 'g' &&
  marks.isLoose(node) &&
  node.attributes['style'] === undefined &&
  node.children.every((child) => child.type !== 'element' || marks.isLoose(child))

/** A group that holds nothing and draws nothing. */
export const isIdleGroup: Allow = (node, marks) =>
  (node.name === 'g' || node.name === 'defs') &&
  marks.isLoose(node) &&
  node.attributes['style'] === undefined &&
  node.attributes['filter'] === undefined

/** A shape that nobody knows by its kind, and that draws the same as a path. */
export function isLooseShape(node: SvgElement, marks: Marks): boolean {
  if (!marks.isLoose(node) || marks.of(node).marked) return false
  const { attributes, name } = node
  const value = (attribute: string) => Number(attributes[attribute] ?? Number.NaN)
  if (name === 'rect') return value('width') > 0 && value('height') > 0
  if (name === 'line') return attributes['x1'] !== attributes['x2'] || attributes['y1'] !== attributes['y2']
  if (name !== 'polyline' && name !== 'polygon') return false
  const numbers = (attributes['points'] ?? '').match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? []
  return numbers.length >= 4 && numbers.length % 2 === 0
}

/** Presentation attributes that children take over. Who shows a part of the drawing elsewhere may give them other values. */
const INHERITED =
  /^(?:fill|stroke|marker|font|clip-rule|color|cursor|direction|dominant-baseline|glyph|image-rendering|letter-|paint-order|pointer-events|shape-rendering|text-|visibility|word-|writing-)/

/** svgo's removal of defaults, but for those that decide what the element inherits. */
export function removeDefaults(marked: Marked): PluginConfig {
  const kept = { unknownContent: false, unknownAttrs: false, keepRoleAttr: true }
  return plugin('removeDefaults', (root, _, info) => {
    const visitors = [
      builtin('removeUnknownsAndDefaults')(root, { ...kept, uselessOverrides: false }, info),
      builtin('removeUnknownsAndDefaults')(root, { ...kept, defaultAttrs: false }, info),
    ]
    const [defaults, overrides] = visitors.map((visitor) => visitor?.element?.enter)
    return {
      element: {
        enter(node: SvgElement, parent: SvgElement) {
          if (!marked.marks.isLoose(node) || node.name === 'svg') return
          const before = { ...node.attributes }
          defaults?.(node, parent)
          for (const [name, value] of Object.entries(before)) if (INHERITED.test(name)) node.attributes[name] = value
          overrides?.(node, parent)
        },
      },
    }
  })
}
