/** svgo with a preset that keeps what others may rely on. */
import { optimize, type PluginConfig } from 'svgo/browser'
import { MalformedFile } from '../../codec/codec.ts'

/** The number of decimals that leaves numbers as they are. */
export const EXACT = undefined

/**
 * Smaller text of the same picture. `precision` is the number of decimals that coordinates keep; `EXACT` changes no number
 * and no shape at all, only what has no influence on the picture. `gentle` leaves the structure of the document alone.
 * `passes`: as long as it gets smaller, or one.
 * @throws MalformedFile when the text is not well-formed
 */
export function optimizeSvg(text: string, precision: number | undefined, gentle = false, passes: 'all' | 'one' = 'all'): string {
  const live = gentle || isLive(text) || isLibrary(text)
  const root = keepRoot()
  const chosen = precision === EXACT ? exactPlugins(live) : [root.remember, ...plugins(text, precision, live), root.restore]
  try {
    return optimize(text, { multipass: passes === 'all' && precision !== EXACT, plugins: chosen as PluginConfig[] }).data
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new MalformedFile('svg', 0, error.message.split('\n')[0] ?? 'not well-formed')
  }
}

/** Scripts, event handlers and animation reach into the document by name, order and structure. */
const isLive = (text: string): boolean =>
  /<(?:[\w-]+:)?(?:script|animate\w*|set|foreignObject)\b|\son\w+\s*=|@keyframes|javascript:/i.test(text)

function plugins(text: string, precision: number, live: boolean): PluginConfig[] {
  const styled = /<(?:[\w-]+:)?style\b/.test(text)
  const rounding = { floatPrecision: precision }
  const off = (...names: string[]) => Object.fromEntries(names.map((name) => [name, false as const]))
  return [
    {
      name: 'preset-default',
      params: {
        overrides: {
          removeMetadata: false,
          removeDesc: false,
          removeEmptyText: false,
          removeComments: { preservePatterns: [/^!/, /licen[cs]e|copyright|©/i] },
          // Names stay as they are: links from outside use them. Unused ones go where nothing can look for them.
          cleanupIds: live || styled ? false : { minify: false },
          removeUnknownsAndDefaults: { unknownContent: false, unknownAttrs: false, keepRoleAttr: true },
          cleanupNumericValues: rounding,
          convertPathData: rounding,
          convertTransform: { ...rounding, transformPrecision: precision + 2, degPrecision: Math.max(1, precision) },
          convertShapeToPath: styled || live ? false : rounding,
          convertEllipseToCircle: !styled && !live ? {} : false,
          mergePaths: styled || live ? false : rounding,
          ...(live
            ? off(
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
              )
            : {}),
        },
      },
    },
    EMPTY_METADATA,
  ] as PluginConfig[]
}

/** Nothing that is drawn, no number and no name. */
function exactPlugins(live: boolean): PluginConfig[] {
  return [
    'removeDoctype',
    'removeXMLProcInst',
    { name: 'removeComments', params: { preservePatterns: [/^!/, /licen[cs]e|copyright|©/i] } },
    ...(live ? [] : ['removeEditorsNSData', 'removeUnusedNS']),
    EMPTY_METADATA,
  ] as PluginConfig[]
}

/** Made of pieces that other documents point to: symbols, views, or definitions and nothing that is drawn. */
function isLibrary(text: string): boolean {
  if (/<(?:[\w-]+:)?(?:symbol|view)\b/.test(text)) return true
  const drawn = text.replace(/<(?:[\w-]+:)?defs\b[\s\S]*?<\/(?:[\w-]+:)?defs\s*>/g, '')
  return !/<(?:[\w-]+:)?(?:path|rect|circle|ellipse|line|polyline|polygon|text|image|use)\b/.test(drawn)
}

/** The root's size is what others lay out by: it stays as it was written, whatever the rounding. */
function keepRoot() {
  const names = ['width', 'height', 'viewBox', 'preserveAspectRatio']
  let kept: Map<string, string> | undefined
  const isRoot = (node: XmlNode, parent: { type: string }) => node.name === 'svg' && parent.type === 'root'
  return {
    remember: {
      name: 'rememberRoot',
      fn: () => ({
        element: {
          enter(node: XmlNode, parent: { type: string }) {
            if (!kept && isRoot(node, parent))
              kept = new Map(names.flatMap((name) => (name in node.attributes! ? [[name, node.attributes![name]!]] : [])))
          },
        },
      }),
    },
    restore: {
      name: 'restoreRoot',
      fn: () => ({
        element: {
          enter(node: XmlNode, parent: { type: string }) {
            if (isRoot(node, parent)) for (const [name, value] of kept ?? []) node.attributes![name] = value
          },
        },
      }),
    },
  }
}

interface XmlNode {
  readonly type: string
  readonly name?: string
  readonly value?: string
  readonly attributes?: { [name: string]: string }
  readonly children?: readonly XmlNode[]
}

/** Drawing programs write a `metadata` that says "image/svg+xml" and nothing else. What says more stays. */
const EMPTY_METADATA = {
  name: 'removeEmptyMetadata',
  fn: () => ({
    element: {
      exit(node: XmlNode, parent: { children: XmlNode[] }) {
        if (node.name === 'metadata' && isEmptyMetadata(node)) parent.children = parent.children.filter((child) => child !== node)
      },
    },
  }),
}

function isEmptyMetadata(node: XmlNode): boolean {
  if (node.type === 'text' || node.type === 'cdata') return ['', 'image/svg+xml'].includes((node.value ?? '').trim())
  const names = Object.entries(node.attributes ?? {})
  const plain = names.every(([name, value]) => name.startsWith('xmlns') || name === 'id' || value === '' || /StillImage$/.test(value))
  return plain && (node.children ?? []).every(isEmptyMetadata)
}
