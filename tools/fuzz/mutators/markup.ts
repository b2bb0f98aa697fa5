/** Mutates SVG and other XML as text: elements, attributes and numbers. The result is usually still well-formed. */
import { fromLatin1, latin1, withDamage, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

const NUMBERS = ['0', '-1', '1e20', '-1e9', '1e-20', '0.0000001', '99999999999', 'NaN', '1e999', '50%', '-0', '1e38', '3.4e38', '65536', '']
const WORDS = [
  'none',
  'inherit',
  'url(#a)',
  'url(#f)',
  '#a',
  'currentColor',
  'matrix(0 0 0 0 0 0)',
  'scale(0)',
  'M0 0A1 1 0 0 0 9 9',
  '&lt;',
  '',
]
const ADDED = [
  '<g/>',
  '<g id="a"><use href="#a"/></g>',
  '<use href="#a"/>',
  '<!-- -->',
  '<![CDATA[<a>]]>',
  '<?a b?>',
  '<style>*{fill:red}</style>',
  '<filter id="f"><feGaussianBlur stdDeviation="9"/></filter>',
  '<rect width="9" height="9" filter="url(#f)"/>',
  '<text>a</text>',
  '<defs><linearGradient id="a" href="#a"/></defs>',
  '<path d="M0 0C1e9 1 2 1e9 3 3z"/>',
  '<svg viewBox="0 0 0 0"/>',
]

/** Splits markup into tags and the text between them. */
export const tokensOf = (text: string): string[] => text.match(/<[^>]*>|[^<]+/g) ?? []

function changedTag(token: string, random: Random): string {
  switch (random.below(5)) {
    case 0:
    case 1: {
      const numbers = [...token.matchAll(/-?\d[\d.]*(?:e-?\d+)?/g)]
      const number = numbers[random.below(numbers.length)]
      return number ? token.slice(0, number.index) + random.pick(NUMBERS) + token.slice(number.index + number[0].length) : token
    }
    case 2: {
      const attributes = [...token.matchAll(/="[^"]*"/g)]
      const attribute = attributes[random.below(attributes.length)]
      const value = `="${random.pick([...WORDS, ...NUMBERS])}"`
      return attribute ? token.slice(0, attribute.index) + value + token.slice(attribute.index + attribute[0].length) : token
    }
    case 3: {
      const attributes = token.match(/\s[\w:-]+="[^"]*"/g) ?? []
      const attribute = attributes[random.below(attributes.length)]
      return attribute ? token.replace(attribute, random.chance(0.5) ? '' : attribute + attribute) : token
    }
    default:
      return latin1(withDamage(fromLatin1(token), random))
  }
}

export function mutateMarkup(file: Uint8Array, random: Random): Uint8Array {
  const tokens = tokensOf(latin1(file))
  if (tokens.length < 2) return withDamage(file, random)
  const at = random.below(tokens.length)
  switch (random.below(5)) {
    case 0:
      return fromLatin1(withRearrangedItems(tokens, random).join(''))
    case 1:
      return fromLatin1(tokens.toSpliced(at, 0, random.pick(ADDED)).join(''))
    case 2: {
      const depth = random.pick([1, 20, 300])
      return fromLatin1(tokens.toSpliced(at, 0, '<g>'.repeat(depth), '</g>'.repeat(depth)).join(''))
    }
    default: {
      let made = tokens
      for (let edits = 1 + random.below(4); edits > 0; edits--) made = withOne(made, random, (token) => changedTag(token, random))
      return fromLatin1(made.join(''))
    }
  }
}

export const SVG_MUTATOR: Mutator = { container: 'SVG', formats: ['svg'], mutate: mutateMarkup }
