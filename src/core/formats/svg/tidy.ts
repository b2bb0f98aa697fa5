/** Plugins that remove or shorten content independently of the number of decimals. */
import type { PluginConfig } from 'svgo/browser'
import { looksGenerated } from '../../catalog/inventory/generated-ids.ts'
import { isEditorNamespace } from '../../catalog/inventory/svg-editors.ts'
import { shortenCss, shortenStyle } from './css.ts'
import type { SvgElement } from './decimals.ts'
import type { AllowedChanges } from './freedom.ts'
import { elementsOf, plugin } from './guarded.ts'

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

interface XmlNode {
  readonly type: string
  readonly value?: string
  name?: string
  attributes?: { [name: string]: string }
  children?: XmlNode[]
}

/** True if an element may be removed with its id. Otherwise the element stays, with only its id. */
const mayLoseId = (id: string | undefined, freedom: AllowedChanges): boolean => id === undefined || (freedom.ids && looksGenerated(id))

/** Removes ids that look generated and that nothing in the document refers to. */
export const removeGeneratedIds = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeGeneratedIds', (root) => {
    const words = new Set<string>()
    collectWords(root as unknown as XmlNode, words)
    const visit = (node: SvgElement) => {
      const id = node.attributes?.['id']
      if (id !== undefined && looksGenerated(id) && !words.has(id)) delete node.attributes['id']
      for (const child of elementsOf(node)) visit(child)
    }
    if (freedom.ids) for (const child of elementsOf(root)) visit(child)
    return null
  })

/** Collects every word of style sheets and of attributes other than ids, because any of them may refer to an id. */
function collectWords({ type, value, name, attributes, children }: XmlNode, words: Set<string>): void {
  const add = (text: string) => {
    for (const word of text.split(/[\s#()'",;]+/)) {
      const [id = ''] = word.split('.', 1)
      for (const one of [word, id]) if (looksGenerated(one)) words.add(one)
    }
  }
  if (type === 'text' || type === 'cdata') add((value ?? '').replace(/[{}:>+~.[\]]/g, ' '))
  for (const [attribute, text] of Object.entries(attributes ?? {}))
    if (attribute !== 'id' && attribute !== 'd' && attribute !== 'points') {
      add(text)
      if (text.includes('%')) add(text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))))
    }
  // Words in a text element are no references.
  if (name !== undefined && /^(?:text|title|desc)$/.test(localName(name))) {
    for (const child of children ?? []) if (child.type === 'element') collectWords(child, words)
    return
  }
  for (const child of children ?? []) collectWords(child, words)
}

const INKSCAPE = 'http://www.inkscape.org/namespaces/inkscape'

export const removeEditorData = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeEditorData', (root) => {
    if (freedom.editorData) for (const child of elementsOf(root)) stripEditorData(child, new Map(), freedom)
    return null
  })

/**
 * Removes elements and attributes of drawing programs.
 * @param prefixes namespace prefixes of drawing programs; true for Inkscape
 */
function stripEditorData(node: SvgElement, prefixes: ReadonlyMap<string, boolean>, freedom: AllowedChanges): void {
  const known = new Map(prefixes)
  for (const [name, value] of Object.entries(node.attributes))
    if (name.startsWith('xmlns:')) {
      if (isEditorNamespace(value)) known.set(name.slice(6), value === INKSCAPE)
      else known.delete(name.slice(6))
    }
  const prefixOf = (name: string) => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '')
  for (const name of Object.keys(node.attributes)) {
    const inkscape = known.get(prefixOf(name))
    const isLabel = inkscape === true && /:(?:label|groupmode)$/.test(name)
    if (inkscape !== undefined && !(isLabel && !freedom.layers)) delete node.attributes[name]
  }
  node.children = node.children.filter((child) => {
    if (child.type !== 'element') return true
    if (known.has(prefixOf(child.name))) return (!freedom.layers && hasLabel(child)) || keepsIds(child, freedom)
    stripEditorData(child, known, freedom)
    return true
  })
}

/** True for a named guide or page, or an element that contains one. Its name is useful only together with its position. */
const hasLabel = (node: SvgElement): boolean =>
  Object.keys(node.attributes).some((name) => /:label$/.test(name)) || elementsOf(node).some(hasLabel)

/** Reduces an element to the required ids in it. False if there are none. */
function keepsIds(node: SvgElement, freedom: AllowedChanges): boolean {
  const id = node.attributes['id']
  node.children = node.children.filter((child) => child.type === 'element' && keepsIds(child, freedom))
  const mustStay = !mayLoseId(id, freedom)
  if (!mustStay && node.children.length === 0) return false
  node.attributes = mustStay ? { id: id! } : {}
  return true
}

/** Removes declarations of drawing-program namespaces that no name uses. Other namespaces may be used inside values. */
export const removeEditorNamespaces = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeEditorNamespaces', (root) => {
    if (!freedom.editorData) return null
    const used = new Set<string>()
    const visit = (node: SvgElement, use: (node: SvgElement) => void) => {
      use(node)
      for (const child of elementsOf(node)) visit(child, use)
    }
    visit(root, ({ name, attributes }) => {
      for (const one of [name ?? '', ...Object.keys(attributes ?? {})])
        if (one.includes(':') && !one.startsWith('xmlns:')) used.add(one.slice(0, one.indexOf(':')))
    })
    visit(root, ({ attributes }) => {
      for (const [name, value] of Object.entries(attributes ?? {}))
        if (name.startsWith('xmlns:') && isEditorNamespace(value) && !used.has(name.slice(6))) delete attributes[name]
    })
    return null
  })

/** Removes `metadata` elements that contain only "image/svg+xml", as drawing programs write them. */
export const removeEmptyMetadata = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeEmptyMetadata', () => ({
    element: {
      exit(node: SvgElement, parent: SvgElement) {
        if (!freedom.editorData || node.name !== 'metadata' || !isEmptyMetadata(node)) return
        if (mayLoseId(node.attributes['id'], freedom)) parent.children = parent.children.filter((child) => child !== node)
        else node.children = []
      },
    },
  }))

function isEmptyMetadata(node: XmlNode): boolean {
  if (node.type === 'text' || node.type === 'cdata') return ['', 'image/svg+xml'].includes((node.value ?? '').trim())
  const names = Object.entries(node.attributes ?? {})
  const plain = names.every(([name, value]) => name.startsWith('xmlns') || name === 'id' || value === '' || /StillImage$/.test(value))
  return plain && (node.children ?? []).every(isEmptyMetadata)
}

const PAINT_SERVERS = new Set(['linearGradient', 'radialGradient', 'clipPath', 'filter', 'mask', 'pattern', 'marker'])
/** Elements that can be found by other means than the id of the surrounding definition. */
const FINDABLE = new Set(['text', 'tspan', 'title', 'desc', 'metadata', 'style', 'script', 'image', 'a'])

/** Removes definitions without any id, because nothing can refer to them. */
export const removeUnusedDefinitions = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeUnusedDefinitions', () => ({
    element: {
      exit(node: SvgElement, parent: SvgElement) {
        if (!freedom.ids || !freedom.structure || !PAINT_SERVERS.has(node.name) || isFindable(node)) return
        parent.children = parent.children.filter((child) => child !== node)
      },
    },
  }))

const isFindable = ({ name, attributes, children }: SvgElement): boolean =>
  attributes['id'] !== undefined ||
  attributes['class'] !== undefined ||
  FINDABLE.has(localName(name)) ||
  Object.keys(attributes).some((attribute) => /^(?:data-|aria-|on|role$)/.test(attribute)) ||
  children.some((child) => child.type !== 'element' || isFindable(child))

const LISTS = new Set(['points', 'transform', 'gradientTransform', 'patternTransform', 'viewBox'])

/** Shortens white space in lists and styles, and removes comments from style sheets. */
export const shortenValues = (freedom: AllowedChanges): PluginConfig =>
  plugin('squeezeValues', () => ({
    element: {
      enter(node: SvgElement) {
        for (const [name, value] of Object.entries(node.attributes)) {
          if (LISTS.has(name) && freedom.styles) node.attributes[name] = value.trim().replace(/\s+/g, ' ')
          else if (name === 'style' && freedom.styles) node.attributes[name] = shortenStyle(value)
        }
        const type = node.attributes['type'] ?? ''
        if (localName(node.name) !== 'style' || (type !== '' && type !== 'text/css') || node.children.length !== 1) return
        const [content] = node.children as unknown as { type: string; value: string }[]
        if (content && (content.type === 'text' || content.type === 'cdata') && !/<!--|-->/.test(content.value))
          content.value = shortenCss(content.value)
      },
    },
  }))

/** Removes `enable-background`, which has no effect without a filter. No current renderer supports it. */
export const removeBackgrounds = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeBackgrounds', (root) => {
    const hasFilter = (node: SvgElement): boolean => node.name === 'filter' || elementsOf(node).some(hasFilter)
    if (!freedom.structure || hasFilter(root)) return null
    return {
      element: {
        enter({ attributes }: SvgElement) {
          delete attributes['enable-background']
          const style = attributes['style']?.replace(/(^|;)\s*enable-background\s*:[^;]*/, '$1').replace(/^;|;(?=;|$)/g, '')
          if (style === '') delete attributes['style']
          else if (style !== undefined) attributes['style'] = style
        },
      },
    }
  })

/** Presentation attributes that have no meaning when empty. Empty data attributes and labels may be intended. */
const MEANINGLESS_IF_EMPTY =
  /^(?:fill|stroke|opacity|transform|style|filter|mask|clip-path|display|visibility|font-[\w-]+|(?:fill|stroke)-[\w-]+)$/

export const removeEmptyAttributes = (freedom: AllowedChanges): PluginConfig =>
  plugin('removeEmptyAttributes', () => ({
    element: {
      enter({ attributes }: SvgElement) {
        if (freedom.structure)
          for (const [name, value] of Object.entries(attributes))
            if (value === '' && MEANINGLESS_IF_EMPTY.test(name)) delete attributes[name]
      },
    },
  }))
