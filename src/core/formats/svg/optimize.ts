/** Runs svgo with a preset that keeps everything other documents or scripts may rely on. */

import { optimize, type PluginConfig } from 'svgo/browser'
import { withSameMath } from '../../bytes/same-math-in.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { type AllowedChanges, type ChangeOptions, findAllowedChanges } from './freedom.ts'
import { exactPlugins, precisionIndependentPlugins, precisionPlugins } from './preset.ts'
import type { RoundingPrecision } from './rounding-plugins.ts'
import { MAX_PASSES, MIN_PASS_GAIN } from './tuning.ts'

/**
 * Optimises without any change to numbers and shapes; only content without influence on the picture is removed.
 * @throws CodecError (malformed) if the text is not well-formed
 */
export const exactSvg = (text: string, wishes: ChangeOptions): string => run(text, exactPlugins(text, findAllowedChanges(text, wishes)))

/**
 * Rounds one text to several precisions. Plugins that do not depend on the precision run once, and each rounding starts from their result.
 */
export class SvgRounder {
  readonly #text: string
  readonly #freedom: AllowedChanges
  #tidy: string | undefined

  constructor(text: string, wishes: ChangeOptions) {
    this.#text = text
    this.#freedom = findAllowedChanges(text, wishes)
  }

  /**
   * Rounds coordinates to the decimals in `grain`.
   * @param pause called before each pass
   * @throws CodecError (malformed) if the text is not well-formed
   */
  async round(grain: RoundingPrecision, pause: () => Promise<void>): Promise<string> {
    await pause()
    this.#tidy ??= run(this.#text, precisionIndependentPlugins(this.#text, this.#freedom))
    await pause()
    return this.#pass(this.#tidy, grain, true)
  }

  /** Repeats the passes while each one still saves enough, because moved attributes may make further content redundant. */
  async polish(rounded: string, grain: RoundingPrecision, pause: () => Promise<void>): Promise<string> {
    let text = rounded
    for (let pass = 1; pass < MAX_PASSES; pass++) {
      await pause()
      const polished = this.#pass(text, grain, false)
      const saved = text.length - polished.length
      if (saved > 0) text = polished
      if (saved < MIN_PASS_GAIN * text.length) break
    }
    return text
  }

  #pass(text: string, grain: RoundingPrecision, isFirst: boolean): string {
    const root = keepRoot()
    return run(text, [root.remember, ...precisionPlugins(this.#freedom, grain, isFirst), root.restore])
  }
}

function run(text: string, plugins: PluginConfig[]): string {
  try {
    return withSameMath(() => optimize(text, { plugins }).data)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw malformed('svg', 0, message('engine_reports', { problem: error.message.split('\n')[0] ?? 'not well-formed' }))
  }
}

/** Keeps size attributes of the root element unchanged, because other documents use them for layout. */
function keepRoot() {
  const names = ['width', 'height', 'viewBox', 'preserveAspectRatio']
  let rootAttributes: Map<string, string> | undefined
  const isRoot = (node: XmlNode, parent: { type: string }) => node.name === 'svg' && parent.type === 'root'
  return {
    remember: {
      name: 'rememberRoot',
      fn: () => ({
        element: {
          enter(node: XmlNode, parent: { type: string }) {
            if (!rootAttributes && isRoot(node, parent))
              rootAttributes = new Map(names.flatMap((name) => (name in node.attributes! ? [[name, node.attributes![name]!]] : [])))
          },
        },
      }),
    },
    restore: {
      name: 'restoreRoot',
      fn: () => ({
        element: {
          enter(node: XmlNode, parent: { type: string }) {
            if (isRoot(node, parent)) for (const [name, value] of rootAttributes ?? []) node.attributes![name] = value
          },
        },
      }),
    },
  }
}

interface XmlNode {
  readonly type: string
  readonly name?: string
  readonly attributes?: { [name: string]: string }
}
