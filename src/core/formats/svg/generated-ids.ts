/** Ids that programs make up: only these may ever go. Codes of countries, seats and rooms (`FR`, `B12`, `region-07`) are names. */

const WORDS =
  'path|rect|g|circle|ellipse|line|polygon|polyline|text|tspan|use|image|svg|layer|defs|namedview|metadata|stop|clip|clippath|mask|' +
  'filter|marker|pattern|base|grid|lineargradient|radialgradient|gradient|perspective|fe[a-z]+|flowroot|flowregion|flowpara|paint|' +
  'surface|glyph|inkscape-[a-z0-9-]+'
/** `SVGID_1_`, `XMLID_12_`, `clip0_3_17`, `paint1_linear`. */
const EXPORTED = /^(?:SVGID_\w*|XMLID_\w*|(?:clip|mask|paint|filter|image|pattern)\d*(?:_[\da-z]+)+)$/
/** `path1234`, `g10`, `linearGradient12-3`. */
const NUMBERED = new RegExp(`^(?:${WORDS})[-_:.]*\\d[\\da-f]*(?:[-_:.]+\\d[\\da-f]*)*[-_]?$`, 'i')
const MAX_LENGTH = 60

export const looksGenerated = (id: string): boolean =>
  id.length <= MAX_LENGTH && (id === 'base' || id === 'svgroot' || EXPORTED.test(id) || NUMBERED.test(id))
