/** Adds the items of style sheets, and finds the rules that reach elements. */

import type { ItemCollector } from '../collector.ts'
import { addReference, hrefOf, plainAttributes } from './attributes.ts'
import { type CssDeclaration, type CssRule, cssRules, declarationsIn, urlsIn } from './css.ts'
import type { Sheet } from './elements.ts'
import { SelectorMatcher } from './matcher.ts'
import { compoundsOf, dependsOnState } from './selectors.ts'
import type { XmlElement, XmlHandlers } from './xml.ts'

/** Selector of a style rule. */
interface Watched {
  readonly where: string
  readonly selector: string
  /** True if conditions or the state of the page decide whether the rule applies. */
  readonly isConditional: boolean
  /** Last declaration of each property. */
  readonly declarations: ReadonlyMap<string, CssDeclaration>
  /** Properties that a `style` attribute of a reached element overrides. */
  readonly beaten: Set<string>
  isReached: boolean
}

/** Items of all style sheets of a drawing. Elements are given in a second pass, because a sheet may follow them. */
export class RuleItems implements XmlHandlers {
  readonly #items: ItemCollector
  readonly #watched: Watched[] = []
  readonly #matcher = new SelectorMatcher()

  constructor(sheets: readonly Sheet[], items: ItemCollector) {
    this.#items = items
    for (const sheet of sheets) this.#addSheet(sheet)
  }

  /** True if a second pass over the elements is needed. */
  get needsElements(): boolean {
    return this.#watched.length > 0
  }

  #addSheet({ css, media }: Sheet): void {
    const ids: string[] = []
    for (const url of urlsIn(css)) if (url.startsWith('#') || !css.includes('@import')) addReference(url, ids, this.#items)
    for (const id of ids) this.#items.add('references', id)
    for (const [comment] of css.matchAll(/\/\*!?[^*]*(?:\*(?!\/)[^*]*)*\*\//g))
      if (comment.startsWith('/*!') || NOTICE.test(comment)) this.#items.add('notices', comment)
    const condition = media === '' ? '' : `media=${media} `
    for (const rule of cssRules(css)) {
      const where = rule.conditions.join(' ')
      if (rule.selectors) for (const selector of rule.selectors) this.#addSelector(selector, rule, condition)
      else this.#addAtRule(rule, where)
      if (!rule.selectors && rule.content !== '') this.#items.add('style_rules', `${condition}${where} | ${rule.head} = {${rule.content}}`)
    }
  }

  #addAtRule({ head, content }: CssRule, where: string): void {
    const keyword = head.split(' ', 1)[0]!
    if (keyword === '@font-face') {
      const family = /font-family:\s*'?([^;']+)/i.exec(content)?.[1]?.trim() ?? 'unnamed'
      this.#items.add('embedded_fonts', family)
    } else if (keyword === '@import') this.#items.add('style_sheets', head.replace('url(', '').replace(')', ''))
    else if (keyword.includes('keyframes')) this.#items.add('animations', head)
    else if (keyword !== '@charset' && keyword !== '@namespace') this.#items.add('conditional_rules', `${where} ${head}`)
  }

  #addSelector(selector: string, { conditions, content }: CssRule, media: string): void {
    const where = conditions.join(' ')
    const isConditional = conditions.length > 0 || dependsOnState(selector)
    this.#items.add('style_rules', `${media}${where} | ${selector} = {${content}}`)
    if (isConditional) this.#items.add('conditional_rules', where === '' ? selector : `${where} | ${selector}`)
    const declarations = new Map(isConditional ? declarationsIn(content).map((one) => [one.name, one] as const) : [])
    const number = this.#watched.push({ where, selector, isConditional, declarations, beaten: new Set(), isReached: false }) - 1
    const compounds = compoundsOf(selector)
    if (compounds) this.#matcher.add(compounds, number)
  }

  open(element: XmlElement): void {
    const attributes = plainAttributes(element)
    const classes = new Set(
      attributes
        .get('class')
        ?.split(/\s+/)
        .filter((token) => token !== ''),
    )
    const attribute = (name: string) => attributes.get(name) ?? (name === 'href' ? hrefOf(element) : undefined)
    const style = attributes.get('style')
    for (const number of this.#matcher.open({ name: element.local, id: attributes.get('id'), classes, attribute })) {
      const watched = this.#watched[number]!
      watched.isReached = true
      if (style === undefined || !watched.isConditional) continue
      for (const { name } of declarationsIn(style)) watched.beaten.add(name)
    }
  }

  close(): void {
    this.#matcher.close()
  }

  /** Adds what the elements decide: rules that take effect, and rules that no element needs yet. */
  finish(): void {
    const effective = new Set<string>()
    for (const { where, selector, isConditional, declarations, beaten, isReached } of this.#watched) {
      if (!isConditional && !isReached) this.#items.add('plain_rules', `${selector} (no element yet)`)
      if (isConditional && isReached)
        for (const [name, { isImportant }] of declarations)
          if (isImportant || !beaten.has(name)) effective.add(`${where} | ${selector} | ${name}`)
    }
    for (const item of effective) this.#items.add('effective_rules', item)
  }
}

const NOTICE = /copyright|licen[cs]e|©|\(c\)\s|spdx|all rights/i
