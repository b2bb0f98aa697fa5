/** Minimal CSS parser for style sheets and `style` attributes. Whittle shortens them but never changes the meaning of a rule. */

export interface Declaration {
  readonly name: string
  readonly value: string
}

/** Matches comments that must be kept, because they contain a copyright or licence notice. */
export const NOTICE = /copyright|licen[cs]e|©|\(c\)\s|spdx|all rights/i

/**
 * CSS tokens: comments, strings, unquoted URLs, white space, words, or one other character. Matching is linear even for unterminated
 * tokens.
 */
const TOKEN =
  /\/\*[\s\S]*?(?:\*\/|$)|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|url\(\s*[^"'\s)][^)]*(?:\)|$)|\s+|[\w#.%-]+|\\[\s\S]|[\s\S]/gi

function* tokensOf(css: string): Generator<string> {
  for (const [token] of css.matchAll(TOKEN)) yield token
}

const isComment = (token: string) => token.startsWith('/*') && token.length > 1
const isNotice = (comment: string) => comment.startsWith('/*!') || NOTICE.test(comment)

/** Removes comments and superfluous white space from a style sheet. `withNotices`: keeps copyright notices. */
export function shortenCss(css: string, withNotices = true): string {
  const parts: string[] = []
  let [gap, last] = ['', '{']
  for (const token of tokensOf(css)) {
    if (isComment(token)) {
      if (withNotices && isNotice(token)) parts.push(token)
      // A comment is no white space: `.a/**/.b` selects one element, `.a .b` two. It still separates tokens, as in `1px/**/2px`.
      else gap ||= '/**/'
      continue
    }
    if (/^\s/.test(token)) {
      gap = ' '
      continue
    }
    if (token === '}' && parts.at(-1) === ';') parts.pop()
    // White space after a colon has no meaning. Before a colon it may be a descendant combinator of a selector.
    else if (gap !== '' && !/^[{};,]$/.test(token) && !/[{};,:]/.test(last)) parts.push(gap)
    parts.push(token)
    last = token.at(-1)!
    gap = ''
  }
  return parts.join('').trim()
}

/** Matches blocks whose semicolons may not separate declarations. */
const MAY_NEST = /["'\\/{}()]/

/** Parses the declarations of a `style` attribute or of a block, in order. `undefined`: it contains blocks or unbalanced brackets. */
export function declarationsOf(block: string): Declaration[] | undefined {
  const parts = MAY_NEST.test(block) ? declarationTextsOf(block) : block.split(';')
  return parts?.flatMap(declarationIn)
}

/** The declaration in a text without semicolons that separate others. */
function declarationIn(text: string): Declaration[] {
  const colon = text.indexOf(':')
  if (colon <= 0) return []
  const name = text.slice(0, colon).trim()
  return [{ name: name.startsWith('--') ? name : name.toLowerCase(), value: text.slice(colon + 1).trim() }]
}

/** The texts between semicolons outside of brackets, without comments. `undefined`: blocks or unbalanced brackets. */
function declarationTextsOf(block: string): string[] | undefined {
  const parts = ['']
  let depth = 0
  for (const token of tokensOf(block)) {
    if (isComment(token)) continue
    if (token === '{' || token === '}') return undefined
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === ';' && depth === 0) parts.push('')
    else parts[parts.length - 1] += token
  }
  return depth === 0 ? parts : undefined
}

/** Shortens a `style` attribute: the same declarations in the same order. */
export function shortenStyle(style: string): string {
  const declarations = declarationsOf(style)
  if (!declarations || /\/\*|\\|!ie/i.test(style)) return style
  const short = declarations.map(({ name, value }) => `${name}:${shortValue(value)}`).join(';')
  return short.length < style.length ? short : style
}

function shortValue(value: string): string {
  const colour = /^#([\da-f])\1([\da-f])\2([\da-f])\3$/i.exec(value)
  if (colour) return `#${colour[1]}${colour[2]}${colour[3]}`
  const number = /^(-?)0+(\.\d+)$/.exec(value)
  return number ? `${number[1]}${number[2]}` : value.replace(/\s+/g, (space) => (/["']/.test(value) ? space : ' '))
}

export interface Rule {
  /** Selectors of the rule, or the at-rule with its condition. */
  readonly prelude: string
  /** True for a qualified rule outside of any block. */
  readonly isTopLevel: boolean
  readonly declarations: readonly Declaration[]
}

/** Returns all rules of a style sheet, including those inside blocks. `undefined`: unbalanced blocks or nested rules. */
export function rulesOf(css: string): Rule[] | undefined {
  const rules: Rule[] = []
  const open: { prelude: string; text: string; hasBlocks: boolean }[] = [{ prelude: '', text: '', hasBlocks: false }]
  for (const token of tokensOf(css)) {
    if (isComment(token)) continue
    const top = open.at(-1)!
    if (token === '{') {
      const cut = Math.max(top.text.lastIndexOf(';'), -1) + 1
      const prelude = top.text.slice(cut).trim()
      if (open.length > 1 && !top.prelude.startsWith('@')) return undefined
      if (top.text.slice(0, cut).trim() !== '') rules.push({ prelude: top.text.slice(0, cut).trim(), isTopLevel: false, declarations: [] })
      top.text = ''
      top.hasBlocks = true
      open.push({ prelude, text: '', hasBlocks: false })
    } else if (token === '}') {
      open.pop()
      if (open.length === 0) return undefined
      const declarations = top.hasBlocks ? [] : declarationsOf(top.text)
      if (!declarations) return undefined
      rules.push({ prelude: top.prelude, isTopLevel: open.length === 1 && !top.prelude.startsWith('@'), declarations })
    } else top.text += token
  }
  const rest = open[0]!.text.trim()
  if (rest !== '') rules.push({ prelude: rest, isTopLevel: false, declarations: [] })
  return open.length === 1 ? rules : undefined
}
