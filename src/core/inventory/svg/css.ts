/** Reads style sheets (CSS Syntax Level 3) as far as an inventory needs them: rules, their conditions, selectors and declarations. */

export interface CssRule {
  /** At-rules with a block around the rule, from outside inwards: `@media print`. */
  readonly conditions: readonly string[]
  /** Selectors of a style rule. `undefined`: an at-rule. */
  readonly selectors: readonly string[] | undefined
  /** Keyword and prelude of an at-rule, for example `@import url(a.css)`. Empty for a style rule. */
  readonly head: string
  /** Text between the braces, in one spelling. Empty if there is no block. */
  readonly content: string
}

export interface CssDeclaration {
  readonly name: string
  readonly isImportant: boolean
}

const MAX_DEPTH = 16
/** At-rules that contain rules. */
const GROUPS = /^@(?:-moz-)?(?:media|supports|container|layer|document|scope|starting-style)\b/

/** Yields all rules of a style sheet, including those inside of at-rules. */
export function* cssRules(css: string, conditions: readonly string[] = []): Generator<CssRule> {
  for (let at = 0; at < css.length; ) {
    at = behindSpace(css, at)
    if (at >= css.length) return
    const isAtRule = css[at] === '@'
    const open = endOf(css, at, isAtRule ? '{;' : '{')
    const prelude = css.slice(at, open)
    const close = css[open] === '{' ? endOf(css, open + 1, '}') : open
    const block = css[open] === '{' ? css.slice(open + 1, close) : undefined
    at = close + 1
    if (isAtRule) yield* atRule(prelude, block, conditions)
    else if (block !== undefined)
      yield { conditions, selectors: partsOf(prelude, ',').map(oneSpelling), head: '', content: oneSpelling(block) }
  }
}

function* atRule(prelude: string, block: string | undefined, conditions: readonly string[]): Generator<CssRule> {
  const keyword = /^@[\w-]*/.exec(prelude)?.[0] ?? '@'
  const head = oneSpelling(`${keyword.toLowerCase()} ${prelude.slice(keyword.length)}`)
  if (block !== undefined && GROUPS.test(head) && conditions.length < MAX_DEPTH) yield* cssRules(block, [...conditions, head])
  else yield { conditions, selectors: undefined, head, content: oneSpelling(block ?? '') }
}

/** Returns the declarations of a block, without the blocks nested in it. */
export function declarationsIn(content: string): CssDeclaration[] {
  return partsOf(content, ';').flatMap((part) => {
    const colon = part.indexOf(':')
    const name = part.slice(0, Math.max(colon, 0)).trim()
    if (!/^[\w-]+$/.test(name)) return []
    return [{ name: name.startsWith('--') ? name : name.toLowerCase(), isImportant: /!\s*important\s*$/i.test(part) }]
  })
}

/** Splits a text at a separator outside of brackets and strings. Empty parts are left out. */
function partsOf(css: string, separator: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < css.length; ) {
    const end = endOf(css, at, separator)
    if (css.slice(at, end).trim() !== '') parts.push(css.slice(at, end))
    at = end + 1
  }
  return parts
}

function behindSpace(css: string, from: number): number {
  let at = from
  for (;;) {
    if (css.startsWith('/*', at)) at = endOfComment(css, at)
    else if (css.startsWith('<!--', at)) at += 4
    else if (css.startsWith('-->', at)) at += 3
    else if (/[\s;}]/.test(css[at] ?? '')) at++
    else return at
  }
}

function endOfComment(css: string, at: number): number {
  const end = css.indexOf('*/', at + 2)
  return end < 0 ? css.length : end + 2
}

/** Returns the offset of the next character of `stops` outside of comments, strings, URLs and brackets. The length: there is none. */
function endOf(css: string, from: number, stops: string): number {
  let depth = 0
  for (let at = from; at < css.length; at++) {
    const character = css[at]!
    if (depth === 0 && stops.includes(character)) return at
    if (character === '\\') at++
    else if (character === '/' && css[at + 1] === '*') at = endOfComment(css, at) - 1
    else if (character === '"' || character === "'") at = endOfString(css, at)
    else if (character === '(' && isUrl(css, at)) at = endOfUrl(css, at)
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
  }
  return css.length
}

/** Offset of the closing quote. A string also ends at a line break. */
function endOfString(css: string, from: number): number {
  for (let at = from + 1; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === css[from] || css[at] === '\n') return at
  }
  return css.length
}

/** True for the bracket of an unquoted `url(…)`, in which `/*` and quotes have no meaning. */
const isUrl = (css: string, bracket: number): boolean =>
  css.slice(Math.max(0, bracket - 3), bracket).toLowerCase() === 'url' && !/^\s{0,9}["']/.test(css.slice(bracket + 1, bracket + 11))

function endOfUrl(css: string, bracket: number): number {
  const end = css.indexOf(')', bracket)
  return end < 0 ? css.length : end
}

/**
 * Returns CSS in one spelling: without comments, white space that has no meaning, and double quotes. A comment between two characters
 * separates them, so it stays as an empty comment.
 */
function oneSpelling(css: string): string {
  return css
    .replace(/\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g, '\0')
    .replace(/[\s\0]+/g, (run) => (/\s/.test(run) ? ' ' : '/**/'))
    .replace(/(?: |\/\*\*\/)?([,>+~={};])(?: |\/\*\*\/)?/g, '$1')
    .replace(/([(:])(?: |\/\*\*\/)|(?: |\/\*\*\/)(\))/g, '$1$2')
    .replace(/;+(?=\}|$)/g, '')
    .replaceAll('"', "'")
    .replace(/^(?: |\/\*\*\/)+|(?: |\/\*\*\/)+$/g, '')
}

/** Returns the addresses of all `url(…)` in a text. */
export function urlsIn(text: string): string[] {
  const urls: string[] = []
  for (let at = text.indexOf('url('); at >= 0; ) {
    const end = text.indexOf(')', at)
    if (end < 0) break
    urls.push(
      text
        .slice(at + 4, end)
        .replace(/^\s*["']|["']\s*$/g, '')
        .trim(),
    )
    at = text.indexOf('url(', end)
  }
  return urls
}
