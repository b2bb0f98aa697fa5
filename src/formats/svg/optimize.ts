/** svgo with a preset that keeps what others may rely on. */

import { optimize, type PluginConfig } from 'svgo/browser'
import { malformed } from '../../codec/error.ts'
import { exactPlugins, offFor, type PluginName, POLISHING, paramsOf, ROUNDING, TIDYING } from './preset.ts'
import { type Grain, roundingPlugin } from './rounding-plugins.ts'

/**
 * No number and no shape is changed; only what has no influence on the picture goes.
 * @throws CodecError (malformed) when the text is not well-formed
 */
export const exactSvg = (text: string): string => run(text, [...exactPlugins(text), EMPTY_METADATA])

/**
 * Roundings of one text. Half of what svgo does has nothing to do with decimals and is done once: each rounding begins with what
 * came of it. `gentle` leaves the structure of the document alone.
 */
export class SvgRounder {
  readonly #text: string
  readonly #off: ReadonlySet<string>
  #tidy: string | undefined

  constructor(text: string, gentle = false) {
    this.#text = text
    this.#off = offFor(text, gentle)
  }

  /**
   * The text with coordinates of so many decimals.
   * @param pause before each pass
   * @throws CodecError (malformed) when it is not well-formed
   */
  async round(grain: Grain, pause: () => Promise<void>): Promise<string> {
    await pause()
    this.#tidy ??= run(this.#text, [...this.#plugins(TIDYING, grain), EMPTY_METADATA])
    await pause()
    const root = keepRoot()
    return run(this.#tidy, [root.remember, ...this.#plugins(ROUNDING, grain), root.restore])
  }

  /** A rounding once more, as long as it pays: what has moved up or down the tree may make more of it superfluous. */
  async polish(rounded: string, grain: Grain, pause: () => Promise<void>): Promise<string> {
    let text = rounded
    for (let pass = 1; pass < MAX_PASSES; pass++) {
      await pause()
      const root = keepRoot()
      const again = run(text, [root.remember, ...this.#plugins(POLISHING, grain), root.restore])
      const saved = text.length - again.length
      if (saved > 0) text = again
      if (saved < WORTH_A_PASS * text.length) break
    }
    return text
  }

  #plugins(names: readonly PluginName[], grain: Grain): PluginConfig[] {
    return names
      .filter((name) => !this.#off.has(name))
      .map((name) => roundingPlugin(name, grain) ?? ({ name, params: paramsOf(name) } as PluginConfig))
  }
}

const MAX_PASSES = 10
/** What the last pass must have saved for another one. */
const WORTH_A_PASS = 0.005

function run(text: string, plugins: PluginConfig[]): string {
  try {
    return optimize(text, { plugins }).data
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw malformed('svg', 0, error.message.split('\n')[0] ?? 'not well-formed')
  }
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
