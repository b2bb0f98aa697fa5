/** Lists what resvg renders like browsers do. Everything else is rendered differently or not at all, so Whittle must not simplify it. */

import type { Declaration } from './css.ts'

const DRAWN_PROPERTIES = new Set(
  (
    'fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray ' +
    'stroke-dashoffset stop-color stop-opacity flood-color flood-opacity lighting-color color opacity clip-path clip-rule mask filter ' +
    'marker-start marker-mid marker-end display visibility mix-blend-mode isolation color-interpolation color-interpolation-filters ' +
    'shape-rendering mask-type overflow enable-background paint-order'
  ).split(' '),
)
/** Properties that do not change shapes. */
const IRRELEVANT =
  /^(?:-inkscape-.*|font(?:-.*)?|text-.*|letter-spacing|word-spacing|line-height|direction|writing-mode|unicode-bidi|baseline-shift|dominant-baseline|alignment-baseline|solid-.*|block-progression|kerning|glyph-.*|white-space|color-rendering|color-profile|image-rendering|buffered-rendering|cursor|pointer-events|transition.*|will-change|user-select|-webkit-user-select)$/
/** Properties of the root element that only define its position and size on a page. */
const PAGE_PROPERTIES =
  /^(?:background.*|(?:max-|min-)?(?:width|height)|margin.*|padding.*|border.*|position|top|left|right|bottom|vertical-align|float|z-index|zoom|display|overflow.*|box-sizing|-ms-.*|-moz-.*|-webkit-.*|--.*)$/

const ELEMENTS = new Set(
  (
    'svg g defs path rect circle ellipse line polyline polygon use image symbol marker pattern linearGradient radialGradient stop clipPath ' +
    'mask filter a style title desc metadata view script'
  ).split(' '),
)

/** Attributes that change shapes but that resvg does not support. */
const UNDRAWN_ATTRIBUTES = new Set([
  'transform-origin',
  'transform-box',
  'pathLength',
  'marker',
  'clip',
  'requiredExtensions',
  'systemLanguage',
])
/** True for transforms of SVG 1.1. CSS allows further functions and units. */
const isPlainTransform = (value: string): boolean =>
  /^[\s,()\d.eE+-]*$/.test(value.replace(/\b(?:matrix|translate|scale|rotate|skewX|skewY)\s*(?=\()/g, ''))

export const isRenderedElement = (name: string): boolean => ELEMENTS.has(name) || /^fe[A-Z]/.test(name)

/** True if resvg supports all functions in a value. It does not support var(), calc(), env() and newer colour functions. */
function isDrawnValue(name: string, value: string): boolean {
  if (/\b(?:initial|unset|revert|revert-layer|icc-color|context-fill|context-stroke)\b/i.test(value)) return false
  if (/^(?:clip-path|mask|filter)$/.test(name)) return /^(?:none|inherit|url\([^)]*\))$/.test(value.replace(/\s*!important$/, ''))
  return [...value.matchAll(/([\w-]{0,20})\(/g)].every(([, call = '']) => /^(?:url|rgba?|hsla?)$/i.test(call))
}

export function isRenderedDeclaration({ name, value }: Declaration, isRoot: boolean): boolean {
  if (isRoot && PAGE_PROPERTIES.test(name)) return true
  if (IRRELEVANT.test(name) || (name === 'vector-effect' && isRenderedAttribute(name, value))) return true
  return DRAWN_PROPERTIES.has(name) && isDrawnValue(name, value)
}

export function isRenderedAttribute(name: string, value: string): boolean {
  if (UNDRAWN_ATTRIBUTES.has(name)) return false
  // `vector-effect` only changes the stroke width. The position of the stroke is rendered and measured.
  if (name === 'vector-effect') return /^(?:none|non-scaling-stroke)$/.test(value)
  if (name === 'transform' || name === 'gradientTransform' || name === 'patternTransform') return isPlainTransform(value)
  if (name === 'style' || name === 'id' || name === 'class' || /^(?:data-|aria-|on)|:/.test(name)) return true
  return !/\b(?:var|calc|env|min|max|clamp|attr)\(/.test(value) && (!DRAWN_PROPERTIES.has(name) || isDrawnValue(name, value))
}

/** True if a link refers to another file. Whittle never fetches other files. */
export const isExternalLink = (href: string): boolean => !href.startsWith('#') && !href.startsWith('data:')

/** True if a declaration hides an element until something changes it, as in hidden layers and click areas. */
export const hidesElement = ({ name, value }: Declaration): boolean => {
  const plain = value.replace(/\s*!important$/, '').trim()
  if (name === 'display') return plain === 'none'
  if (name === 'visibility') return plain === 'hidden' || plain === 'collapse'
  if (name === 'fill' || name === 'stroke') return plain === 'transparent'
  return /^(?:opacity|fill-opacity|stroke-opacity)$/.test(name) && Number.parseFloat(plain) === 0
}
