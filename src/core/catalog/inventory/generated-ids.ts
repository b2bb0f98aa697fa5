/**
 * Recognises ids that programs generate; only these may be removed. Codes of countries, seats or rooms (`FR`, `B12`, `region-07`) are
 * names.
 */

const WORDS =
  'path|rect|g|circle|ellipse|line|polygon|polyline|text|tspan|use|image|svg|layer|defs|namedview|metadata|stop|clip|clippath|mask|' +
  'filter|marker|pattern|base|grid|lineargradient|radialgradient|gradient|perspective|fe[a-z]+|flowroot|flowregion|flowpara|paint|' +
  'surface|glyph|inkscape-[a-z0-9-]+'
/** Generated ids such as `SVGID_1_`, `XMLID_12_`, `clip0_3_17` or `paint1_linear`. */
const EXPORTED = /^(?:SVGID_\w*|XMLID_\w*|(?:clip|mask|paint|filter|image|pattern)\d*(?:_[\da-z]+)+)$/
/** Generated ids such as `path1234`, `g10` or `linearGradient12-3`. */
const NUMBERED = new RegExp(`^(?:${WORDS})[-_:.]*\\d[\\da-f]*(?:[-_:.]+\\d[\\da-f]*)*[-_]?$`, 'i')
const MAX_LENGTH = 60

export const looksGenerated = (id: string): boolean =>
  id.length <= MAX_LENGTH && (id === 'base' || id === 'svgroot' || EXPORTED.test(id) || NUMBERED.test(id))
