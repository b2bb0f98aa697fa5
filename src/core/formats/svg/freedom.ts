/** What may be changed in a document, decided by who may refer to what: style sheets, scripts, animation, other files. */

import { rulesOf } from './css.ts'
import { isDrawnDeclaration, isHiding } from './drawn.ts'
import { contentsOf, piecesOf, startTagsOf } from './markup.ts'

export interface Freedom {
  /** Elements may be joined, moved, renamed, and left out where nothing is in them: nobody finds them by place or name. */
  readonly structure: boolean
  /** Paths may lose corners that are not visible. */
  readonly corners: boolean
  /** Coordinates may be rounded: all that is shown in some state is drawn in this one. */
  readonly rounding: boolean
  /** Ids that look generated may go where nothing refers to them. */
  readonly ids: boolean
  /** Data of drawing programs may go, and metadata that say nothing. */
  readonly editorData: boolean
  /** Names of layers, which drawing programs show, may go. */
  readonly layers: boolean
  /** `style` attributes may be written in fewer characters. */
  readonly styles: boolean
  /** Classes by which a style sheet hides elements. */
  readonly hidingClasses: ReadonlySet<string>
}

export interface Wishes {
  /** Nothing that anybody could refer to goes: `high`, and exact results. */
  readonly strict: boolean
  /** Data of drawing programs stay: nobody would be told that they went. */
  readonly silent?: boolean
  /** The structure of the document stays in any case. */
  readonly gentle?: boolean
}

export function freedomOf(text: string, { strict, silent = false, gentle = false }: Wishes): Freedom {
  const css = [...contentsOf(text, 'style')].map(unwrapped).join('\n')
  const sheet = sheetOf(hasMediaAttribute(text) ? `@media attribute{${css}}` : css)
  const live = isLive(text)
  const outside = hasOutsideSheet(text)
  const library = isLibrary(text)
  const foreign = hasForeignObject(text)
  const addressed = live || outside || gentle
  const plainRules = sheet.kind === 'none' || sheet.kind === 'plain'
  const asksForAttributes = /\[/.test(sheet.css)
  return {
    structure: !addressed && !library && !foreign && sheet.kind === 'none' && !/<(?:[\w-]+:)?style\b/.test(text),
    corners: !live && !outside && plainRules && !/marker/.test(sheet.css),
    rounding: sheet.kind !== 'geometry',
    ids: !strict && !live && !outside && !library && !foreign && !asksForAttributes,
    editorData: !silent && !live && !outside && !asksForAttributes && !/\|/.test(sheet.css),
    layers: !strict,
    styles: !live && !outside && !asksForAttributes,
    hidingClasses: sheet.hidingClasses,
  }
}

/** Scripts, event handlers and animation reach into the document by name, order and structure. */
const isLive = (text: string): boolean =>
  /<(?:[\w-]+:)?(?:script|animate\w*|set)\b|\son\w+\s*=|@(?:-\w+-)?keyframes|javascript:/i.test(text)

export const hasForeignObject = (text: string): boolean => /<(?:[\w-]+:)?foreignObject\b/i.test(text)

/** Rules of other files may match any name and any shape. */
function hasOutsideSheet(text: string): boolean {
  if (/@import\b/i.test(text) || /<(?:[\w-]+:)?link\b/i.test(text)) return true
  for (const { kind, from, to } of piecesOf(text))
    if (kind === 'instruction' && /^<\?xml-/.test(text.slice(from, Math.min(to, from + 20)))) return true
  return false
}

/** Whether a style element names a medium in an attribute. The renderer applies its rules to every medium. */
function hasMediaAttribute(text: string): boolean {
  for (const { tag } of startTagsOf(text))
    if (/^<(?:[\w-]+:)?style\s/.test(tag) && /\smedia\s*=\s*["'](?!\s*(?:all|screen)?\s*["'])/.test(tag)) return true
  return false
}

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

interface Sheet {
  /** `plain`: always the same, and drawn here. `paint`: changes colours alone. `geometry`: anything else. */
  readonly kind: 'none' | 'plain' | 'paint' | 'geometry'
  readonly css: string
  readonly hidingClasses: ReadonlySet<string>
}

/** Properties that change colours, or nothing that is drawn. */
const PAINT =
  /^(?:fill|stroke|color|stop-color|flood-color|stroke-width|stroke-dasharray|stroke-linecap|stroke-linejoin|transition.*|cursor|pointer-events|font.*|text-.*|letter-spacing|color-scheme|--.*|outline.*|background.*|fill-rule|clip-rule|user-select|-webkit-.*)$/
const PLAIN_SELECTOR = /^[\w\s.#*,-]+$/
const HARMLESS_AT_RULE = /^@(?:charset|namespace|font-face)\b/i

function sheetOf(css: string): Sheet {
  const hidingClasses = new Set<string>()
  const as = (kind: Sheet['kind']): Sheet => ({ kind, css, hidingClasses })
  if (css.trim() === '') return as('none')
  const rules = rulesOf(css)
  if (!rules) return as('geometry')
  let kind: Sheet['kind'] = 'plain'
  for (const { prelude, isTopLevel, declarations } of rules) {
    if (HARMLESS_AT_RULE.test(prelude)) continue
    const isPlain = isTopLevel && PLAIN_SELECTOR.test(prelude)
    for (const declaration of declarations) {
      const isPainted = PAINT.test(declaration.name) && !/^(?:none|transparent)\b/.test(declaration.value)
      if (isHiding(declaration)) {
        const classes = prelude.split(',').map((selector) => selector.trim())
        if (!isPlain || !classes.every((selector) => /^\.[\w-]+$/.test(selector))) return as('geometry')
        for (const selector of classes) hidingClasses.add(selector.slice(1))
      } else if (!isPlain || !isDrawnDeclaration(declaration, /^(?::root|svg)$/.test(prelude))) {
        if (!isPainted) return as('geometry')
        kind = 'paint'
      }
    }
    if (!isPlain) kind = 'paint'
  }
  return as(kind)
}

/** Text as CSS reads it: without the marks of CDATA sections, references resolved as far as CSS needs them. */
const unwrapped = (text: string): string =>
  text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
