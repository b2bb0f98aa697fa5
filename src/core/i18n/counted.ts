/** Writes numbers of items as English people do. */

/** Names whose singular follows no rule. */
const SINGULAR: { readonly [plural: string]: string | undefined } = {
  'file times and attributes': 'set of file times and attributes',
  'sheets and slides': 'sheet or slide',
}
/** Words after which the counted noun has ended: `fonts of forms`, `files inside`. */
const REST = /^(.+?)( (?:of|with|without|in|inside|not) .*)?$/

/**
 * Returns for example `24 ids`, `1 id`, or only the name for one item that has no plural, such as `resolution`.
 * @param name English name of a kind, in the plural if it has one
 */
export function counted(count: number, name: string): string {
  const [, noun = name, rest = ''] = REST.exec(name) ?? []
  if (!noun.endsWith('s')) return count === 1 ? name : `${name} (${count})`
  return `${count} ${count === 1 ? (SINGULAR[name] ?? singular(noun) + rest) : name}`
}

const singular = (noun: string) =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(ss|x)es$/, '$1')
    .replace(/([^s])s$/, '$1')
