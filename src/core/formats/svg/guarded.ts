/** Restricts svgo plugins to elements they may change. docs/decisions/svg.md lists what each plugin would remove otherwise. */
import { builtinPlugins, type PluginConfig } from 'svgo/browser'
import type { SvgElement } from './decimals.ts'
import type { ElementMarks } from './marks.ts'

type Visit = (node: SvgElement, parent: SvgElement) => unknown
interface Visitor {
  readonly element?: { readonly enter?: Visit; readonly exit?: Visit }
  readonly root?: object
}
export type PluginFunction = (root: SvgElement, params: object, info: object) => Visitor | null | undefined

/** Marks of the tree that svgo processes. */
export interface MarksHolder {
  marks: ElementMarks
}

/** Function of the built-in svgo plugin with this name. */
export function builtin(name: string): PluginFunction {
  const plugin = builtinPlugins.find((one) => one.name === name) as unknown as { readonly fn: PluginFunction } | undefined
  if (!plugin) throw new Error(`svgo has no plugin ${name}`)
  return plugin.fn
}

/** Creates an svgo plugin from a function. */
export const plugin = (name: string, fn: PluginFunction): PluginConfig => ({ name, fn }) as unknown as PluginConfig

type Allow = (node: SvgElement, marks: ElementMarks) => boolean

/** Wraps an svgo plugin so that it visits only elements for which `allow` is true. */
export function guarded(name: string, marked: MarksHolder, allow: Allow, params: object = {}): PluginConfig {
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

/** True for a group that may exchange attributes with its children. `style` overrides attributes, so groups with `style` are excluded. */
export const isChangeableGroup: Allow = (node, marks) =>
  node.name === 'g' &&
  marks.mayChange(node) &&
  node.attributes['style'] === undefined &&
  node.children.every((child) => child.type !== 'element' || marks.mayChange(child))

/** True for a group that is not referenced and draws nothing itself, so it may be removed when empty. */
export const isRemovableGroup: Allow = (node, marks) =>
  (node.name === 'g' || node.name === 'defs') &&
  marks.mayChange(node) &&
  node.attributes['style'] === undefined &&
  node.attributes['filter'] === undefined

/** True for a shape that nothing refers to by its element name and that renders identically as a path. */
export function isConvertibleShape(node: SvgElement, marks: ElementMarks): boolean {
  if (!marks.mayChange(node) || marks.of(node).mayHaveMarkers) return false
  const { attributes, name } = node
  const value = (attribute: string) => Number(attributes[attribute] ?? Number.NaN)
  if (name === 'rect') return value('width') > 0 && value('height') > 0
  if (name === 'line') return attributes['x1'] !== attributes['x2'] || attributes['y1'] !== attributes['y2']
  if (name !== 'polyline' && name !== 'polygon') return false
  const numbers = (attributes['points'] ?? '').match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? []
  return numbers.length >= 4 && numbers.length % 2 === 0
}

/** Presentation attributes that children inherit. Another document that uses part of this drawing may set other values. */
const INHERITED =
  /^(?:fill|stroke|marker|font|clip-rule|color|cursor|direction|dominant-baseline|glyph|image-rendering|letter-|paint-order|pointer-events|shape-rendering|text-|visibility|word-|writing-)/

/** svgo's removal of default values, except for attributes that children inherit. */
export function removeDefaults(marked: MarksHolder): PluginConfig {
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
          if (!marked.marks.mayChange(node) || node.name === 'svg') return
          const before = { ...node.attributes }
          defaults?.(node, parent)
          for (const [name, value] of Object.entries(before)) if (INHERITED.test(name)) node.attributes[name] = value
          overrides?.(node, parent)
        },
      },
    }
  })
}
