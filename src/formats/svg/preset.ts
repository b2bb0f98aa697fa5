/** Which of svgo's plugins work on a document, in which order, and what they are told. */
import type { PluginConfig } from 'svgo/browser'
import { startTagsOf } from './markup.ts'

export type PluginName = Extract<PluginConfig, string>

/** svgo's default preset in its order, without what drops metadata, descriptions and empty text. First, whatever the decimals: */
export const TIDYING = [
  'removeDoctype',
  'removeXMLProcInst',
  'removeComments',
  'removeDeprecatedAttrs',
  'removeEditorsNSData',
  'cleanupAttrs',
  'mergeStyles',
  'inlineStyles',
  'minifyStyles',
  'cleanupIds',
  'removeUselessDefs',
  'convertColors',
  'removeNonInheritableGroupAttrs',
  'removeUselessStrokeAndFill',
  'cleanupEnableBackground',
  'removeHiddenElems',
  'convertEllipseToCircle',
  'moveElemsAttrsToGroup',
  'moveGroupAttrsToElems',
  'collapseGroups',
  'removeEmptyAttrs',
  'removeEmptyContainers',
  'removeUnusedNS',
  'sortAttrs',
  'sortDefsChildren',
] as const satisfies readonly PluginName[]

/** Again for every rounding: what rounds, what works on rounded numbers, and what makes room for either. */
export const POLISHING = [
  'cleanupNumericValues',
  'convertShapeToPath',
  'moveElemsAttrsToGroup',
  'moveGroupAttrsToElems',
  'collapseGroups',
  'convertPathData',
  'convertTransform',
  'removeEmptyAttrs',
  'removeEmptyContainers',
  'mergePaths',
  'sortAttrs',
] as const satisfies readonly PluginName[]

/** A width of 1px is known to be the default once it is 1. */
export const ROUNDING = [
  'cleanupNumericValues',
  'removeUnknownsAndDefaults',
  ...POLISHING.slice(1),
] as const satisfies readonly PluginName[]

export function paramsOf(name: PluginName): object {
  switch (name) {
    case 'removeComments':
      return KEPT_COMMENTS
    case 'cleanupIds':
      // Names stay as they are: links from outside use them. Unused ones go where nothing can look for them.
      return { minify: false }
    case 'removeUnknownsAndDefaults':
      return { unknownContent: false, unknownAttrs: false, keepRoleAttr: true }
    default:
      return {}
  }
}

const KEPT_COMMENTS = { preservePatterns: [/^!/, /licen[cs]e|copyright|©/i] }

/** What would change names, shapes or the structure of a document in which somebody looks for them. */
export function offFor(text: string, gentle: boolean): ReadonlySet<string> {
  const read = gentle || hasReaders(text)
  const styled = /<(?:[\w-]+:)?style\b/.test(text)
  return new Set<PluginName>([...(read || styled ? NAMES_AND_SHAPES : []), ...(read ? STRUCTURE : [])])
}

const NAMES_AND_SHAPES = [
  'cleanupIds',
  'convertShapeToPath',
  'convertEllipseToCircle',
  'mergePaths',
] as const satisfies readonly PluginName[]
const STRUCTURE = [
  'mergeStyles',
  'inlineStyles',
  'minifyStyles',
  'removeUselessDefs',
  'removeHiddenElems',
  'removeEmptyContainers',
  'removeNonInheritableGroupAttrs',
  'removeUselessStrokeAndFill',
  'moveElemsAttrsToGroup',
  'moveGroupAttrsToElems',
  'collapseGroups',
  'sortDefsChildren',
] as const satisfies readonly PluginName[]

/** Whether scripts or other documents look for parts of it. */
const hasReaders = (text: string): boolean => isLive(text) || isLibrary(text)

/** Scripts, event handlers and animation reach into the document by name, order and structure. */
const isLive = (text: string): boolean =>
  /<(?:[\w-]+:)?(?:script|animate\w*|set|foreignObject)\b|\son\w+\s*=|@keyframes|javascript:/i.test(text)

/** Made of pieces that other documents point to: symbols, views, or definitions and nothing that is drawn. */
function isLibrary(text: string): boolean {
  if (/<(?:[\w-]+:)?(?:symbol|view)\b/.test(text)) return true
  let definitions: number | undefined
  for (const { tag, depth } of startTagsOf(text)) {
    if (definitions !== undefined && depth <= definitions) definitions = undefined
    if (/^<(?:[\w-]+:)?defs\b/.test(tag)) definitions ??= depth
    else if (definitions === undefined && /^<(?:[\w-]+:)?(?:path|rect|circle|ellipse|line|polyline|polygon|text|image|use)\b/.test(tag))
      return false
  }
  return true
}

/** Nothing that is drawn, no number and no name. */
export function exactPlugins(text: string): PluginConfig[] {
  return [
    'removeDoctype',
    'removeXMLProcInst',
    { name: 'removeComments', params: KEPT_COMMENTS },
    ...(hasReaders(text) ? [] : ['removeEditorsNSData', 'removeUnusedNS']),
  ] as PluginConfig[]
}
