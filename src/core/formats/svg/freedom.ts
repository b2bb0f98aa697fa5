/** Decides what may change in a document. It depends on what may refer to elements: style sheets, scripts, animation or other files. */

import { rulesOf } from './css.ts'
import { hidesElement, isRenderedDeclaration } from './drawn.ts'
import { contentsOf, piecesOf, startTagsOf } from './markup.ts'

export interface AllowedChanges {
  /** True if elements may be joined, moved, renamed, and removed if empty, because nothing finds them by position or name. */
  readonly structure: boolean
  /** True if paths may lose vertices that are not visible. */
  readonly corners: boolean
  /** True if coordinates may be rounded, because the rendered state shows everything that is visible in any state. */
  readonly rounding: boolean
  /** True if ids that look generated may be removed when nothing refers to them. */
  readonly ids: boolean
  /** True if private data of drawing programs and empty metadata may be removed. */
  readonly editorData: boolean
  /** True if layer names, which drawing programs show, may be removed. */
  readonly layers: boolean
  /** True if `style` attributes may be shortened. */
  readonly styles: boolean
  /** Classes with which a style sheet hides elements. */
  readonly hidingClasses: ReadonlySet<string>
}

export interface ChangeOptions {
  /** True at level `high` and for lossless results: nothing that may be referenced is removed. */
  readonly strict: boolean
  /** True if data of drawing programs stays, because no receipt could report its removal. Default false. */
  readonly keepsEditorData?: boolean
  /** True if the element structure must stay. Default false. */
  readonly keepsStructure?: boolean
}

export function findAllowedChanges(
  text: string,
  { strict, keepsEditorData: silent = false, keepsStructure: gentle = false }: ChangeOptions,
): AllowedChanges {
  const css = [...contentsOf(text, 'style')].map(cssOf).join('\n')
  const sheet = sheetOf(hasMediaAttribute(text) ? `@media attribute{${css}}` : css)
  const isScripted = hasScriptsOrAnimation(text)
  const hasExternalSheet = mayUseExternalSheet(text)
  const library = isLibrary(text)
  const foreign = hasForeignObject(text)
  const isReferenced = isScripted || hasExternalSheet || gentle
  const plainRules = sheet.kind === 'none' || sheet.kind === 'plain'
  const asksForAttributes = /\[/.test(sheet.css)
  return {
    structure: !isReferenced && !library && !foreign && sheet.kind === 'none' && !/<(?:[\w-]+:)?style\b/.test(text),
    corners: !isScripted && !hasExternalSheet && plainRules && !/marker/.test(sheet.css),
    rounding: sheet.kind !== 'geometry',
    ids: !strict && !isScripted && !hasExternalSheet && !library && !foreign && !asksForAttributes,
    editorData: !silent && !isScripted && !hasExternalSheet && !asksForAttributes && !/\|/.test(sheet.css),
    layers: !strict,
    styles: !isScripted && !hasExternalSheet && !asksForAttributes,
    hidingClasses: sheet.hidingClasses,
  }
}

/** True if scripts, event handlers or animation may access elements by name, order or structure. */
const hasScriptsOrAnimation = (text: string): boolean =>
  /<(?:[\w-]+:)?(?:script|animate\w*|set)\b|\son\w+\s*=|@(?:-\w+-)?keyframes|javascript:/i.test(text)

export const hasForeignObject = (text: string): boolean => /<(?:[\w-]+:)?foreignObject\b/i.test(text)

/** True if style sheets of other files may apply, whose rules may match any name and any shape. */
function mayUseExternalSheet(text: string): boolean {
  if (/@import\b/i.test(text) || /<(?:[\w-]+:)?link\b/i.test(text)) return true
  for (const { kind, from, to } of piecesOf(text))
    if (kind === 'instruction' && /^<\?xml-/.test(text.slice(from, Math.min(to, from + 20)))) return true
  return false
}

/** True if a `style` element has a `media` attribute other than `all` or `screen`. resvg applies such rules to every medium. */
function hasMediaAttribute(text: string): boolean {
  for (const { tag } of startTagsOf(text))
    if (/^<(?:[\w-]+:)?style\s/.test(tag) && /\smedia\s*=\s*["'](?!\s*(?:all|screen)?\s*["'])/.test(tag)) return true
  return false
}

/** True if the document consists of parts for other documents: symbols, views, or only definitions. */
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
  /** Effect of the style sheet. `plain`: constant and supported by resvg. `paint`: may change colours only. `geometry`: anything else. */
  readonly kind: 'none' | 'plain' | 'paint' | 'geometry'
  readonly css: string
  readonly hidingClasses: ReadonlySet<string>
}

/** Properties that change only colours, or nothing visible. */
const PAINT =
  /^(?:fill|stroke|color|stop-color|flood-color|stroke-width|stroke-dasharray|stroke-linecap|stroke-linejoin|transition.*|cursor|pointer-events|font.*|text-.*|letter-spacing|color-scheme|--.*|outline.*|background.*|fill-rule|clip-rule|user-select|-webkit-.*)$/
const PLAIN_SELECTOR = /^[\w\s.#*,-]+$/
const HARMLESS_AT_RULE = /^@(?:charset|namespace|font-face)\b/i

function sheetOf(css: string): Sheet {
  const hidingClasses = new Set<string>()
  const sheetOfKind = (kind: Sheet['kind']): Sheet => ({ kind, css, hidingClasses })
  if (css.trim() === '') return sheetOfKind('none')
  const rules = rulesOf(css)
  if (!rules) return sheetOfKind('geometry')
  let kind: Sheet['kind'] = 'plain'
  for (const { prelude, isTopLevel, declarations } of rules) {
    if (HARMLESS_AT_RULE.test(prelude)) continue
    const isPlain = isTopLevel && PLAIN_SELECTOR.test(prelude)
    for (const declaration of declarations) {
      const isPainted = PAINT.test(declaration.name) && !/^(?:none|transparent)\b/.test(declaration.value)
      if (hidesElement(declaration)) {
        const classes = prelude.split(',').map((selector) => selector.trim())
        if (!isPlain || !classes.every((selector) => /^\.[\w-]+$/.test(selector))) return sheetOfKind('geometry')
        for (const selector of classes) hidingClasses.add(selector.slice(1))
      } else if (!isPlain || !isRenderedDeclaration(declaration, /^(?::root|svg)$/.test(prelude))) {
        if (!isPainted) return sheetOfKind('geometry')
        kind = 'paint'
      }
    }
    if (!isPlain) kind = 'paint'
  }
  return sheetOfKind(kind)
}

/** Text of a style element as CSS: without CDATA markers and with XML entities resolved. */
const cssOf = (text: string): string =>
  text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
