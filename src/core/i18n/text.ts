/** Texts of messages: a table maps each code to a text in which `{name}` stands for a parameter. */

/** What a message carries: text of the file, a figure, or messages of ours. */
export type Parameter = string | number | AnyMessage | readonly (string | AnyMessage)[]

/** A message of any table: its code and its parameters. It is plain JSON. */
export interface AnyMessage {
  readonly code: string
  readonly [parameter: string]: Parameter
}

/** Texts by code. */
export type Texts = { readonly [code: string]: string }

/** Names in braces of a text. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** Arguments that fill a text: none, or one object with a value for each of its names. */
export type ParametersOf<Text extends string> = [NamesIn<Text>] extends [never]
  ? []
  : [parameters: { readonly [Name in NamesIn<Text>]: Parameter }]

/** Codes of a table whose texts have no parameters. */
export type PlainCodeOf<Table extends Texts> = {
  [Code in keyof Table]: [NamesIn<Table[Code]>] extends [never] ? Code : never
}[keyof Table] &
  string

/** Stands between the messages of a list. Every table may have its own. */
export const SEPARATOR = 'list_separator'

/**
 * The text of a message, from the first table that has its code. A code that no table has was written by another version: its own
 * words are all there is to show.
 */
export function textOf(message: AnyMessage, ...tables: readonly Texts[]): string {
  const text = textFor(message.code, tables)
  if (text === undefined) return message.code.replaceAll('_', ' ')
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(message, name) ? message[name]! : ''
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    if (!isList(value)) return textOf(value, ...tables)
    return value.map((one) => (typeof one === 'string' ? one : textOf(one, ...tables))).join(textFor(SEPARATOR, tables) ?? ', ')
  })
}

const textFor = (code: string, tables: readonly Texts[]) => tables.find((table) => Object.hasOwn(table, code))?.[code]

const isList = (value: AnyMessage | readonly (string | AnyMessage)[]): value is readonly (string | AnyMessage)[] => Array.isArray(value)

/** Names of parameters in a text. */
export const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
