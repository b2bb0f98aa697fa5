/** Rewrites Markdown of the repository for the documentation site. */
import { posix } from 'node:path'

/** Opening or closing line of a code block. */
const FENCE = /^(\s*)(`{3,})(.*)$/
/** Title of a code block: ```sh [curl]. Adjacent blocks with titles become tabs. */
const TITLE = /\[[^\]]+\]\s*$/
/** Inline code, which stays as it is, or the target of a link or image. */
const CODE_OR_TARGET = /(`+)(?:(?!\1).)+\1(?!`)|\]\(([^()\s]+)\)/g

/** @param targetOf new target of a link, from its target in the repository */
export function rewriteMarkdown(text: string, targetOf: (target: string) => string): string {
  return tabbed(blocksOf(text))
    .map(({ kind, lines }) => (kind === 'text' ? lines.map((line) => relinked(line, targetOf)) : lines).join('\n'))
    .join('\n')
}

interface Block {
  readonly kind: 'text' | 'code' | 'tabs'
  readonly lines: readonly string[]
}

/** Splits a page into code blocks and the text between them. */
function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = [{ kind: 'text', lines: [] }]
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const ticks = FENCE.exec(line)?.[2]
    if (fence === undefined && ticks !== undefined) {
      fence = ticks
      blocks.push({ kind: 'code', lines: [line] })
    } else {
      blocks.at(-1)?.lines.push(line)
      if (fence !== undefined && line.trim() === fence) {
        fence = undefined
        blocks.push({ kind: 'text', lines: [] })
      }
    }
  }
  return blocks
}

const hasTitle = ({ kind, lines }: Block) => kind === 'code' && TITLE.test(lines[0] ?? '')
const isBlank = ({ kind, lines }: Block) => kind === 'text' && lines.every((line) => line.trim() === '')

/** Runs of adjacent titled code blocks, without the blank lines between them. Every other block is a run of its own. */
function runsOf(blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = []
  for (let i = 0; i < blocks.length; i++) {
    const run = [blocks[i]!]
    while (hasTitle(run[0]!)) {
      const next = blocks[i + 1] && isBlank(blocks[i + 1]!) ? i + 2 : i + 1
      if (!blocks[next] || !hasTitle(blocks[next]!)) break
      run.push(blocks[next]!)
      i = next
    }
    runs.push(run)
  }
  return runs
}

/** Joins adjacent titled code blocks to one group of tabs. */
const tabbed = (blocks: readonly Block[]): Block[] =>
  runsOf(blocks).map((run) => {
    if (!hasTitle(run[0]!)) return run[0]!
    const indent = FENCE.exec(run[0]?.lines[0] ?? '')?.[1] ?? ''
    return { kind: 'tabs', lines: [`${indent}::: code-group`, ...run.flatMap(({ lines }) => lines), `${indent}:::`] }
  })

/** Code of a page in its order. Adjacent blocks with titles count as one. */
export const codeOf = (text: string): string[] =>
  runsOf(blocksOf(text))
    .filter(([first]) => first?.kind === 'code')
    .map((run) => run.map(({ lines }) => lines.join('\n')).join('\n\n'))

const relinked = (line: string, targetOf: (target: string) => string) =>
  line.replaceAll(CODE_OR_TARGET, (whole, _, target?: string) => (target === undefined ? whole : `](${targetOf(target)})`))

/** True if a link leaves the repository or stays on its page. */
const isOutside = (target: string) => /^([a-z]+:|#|\/)/.test(target)

/** Path from the root of the repository and fragment of a relative link. `undefined`: the link is not relative. */
export function resolveLink(target: string, source: string): { path: string; fragment: string } | undefined {
  if (isOutside(target)) return undefined
  const [, path = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? []
  return { path: posix.normalize(posix.join(posix.dirname(source), path)), fragment }
}
