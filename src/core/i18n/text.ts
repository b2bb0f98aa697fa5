/** Texts of messages: a table maps each code to a text in which `{name}` stands for a parameter. */

/** Parameter of a message: text of the file, a number, or other messages. */
type Parameter = string | number | AnyMessage | readonly (string | AnyMessage)[]

/** Message of any table: a code and its parameters, as plain JSON. */
export interface AnyMessage {
  readonly code: string
  readonly [parameter: string]: Parameter
}

/** Texts by code. */
export type Texts = { readonly [code: string]: string }

/** Names of the parameters in a text: those in braces. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** Arguments for a text: none, or one object with a value for each parameter. */
export type ParametersOf<Text extends string> = [NamesIn<Text>] extends [never]
  ? []
  : [parameters: { readonly [Name in NamesIn<Text>]: Parameter }]

/** Codes of a table whose texts have no parameters. */
export type PlainCodeOf<Table extends Texts> = {
  [Code in keyof Table]: [NamesIn<Table[Code]>] extends [never] ? Code : never
}[keyof Table] &
  string

/** Code of the separator between the messages of a list. Every language may have its own. */
const SEPARATOR = 'list_separator'

/**
 * Returns the text of a message from the first table that has its code. A code without a text comes from another version and is
 * shown with spaces instead of underscores.
 */
export function renderMessage(message: AnyMessage, ...tables: readonly Texts[]): string {
  const text = textFor(message.code, tables)
  if (text === undefined) return message.code.replaceAll('_', ' ')
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(message, name) ? message[name]! : ''
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    if (!isList(value)) return renderMessage(value, ...tables)
    return value.map((one) => (typeof one === 'string' ? one : renderMessage(one, ...tables))).join(textFor(SEPARATOR, tables) ?? ', ')
  })
}

const textFor = (code: string, tables: readonly Texts[]) => tables.find((table) => Object.hasOwn(table, code))?.[code]

const isList = (value: AnyMessage | readonly (string | AnyMessage)[]): value is readonly (string | AnyMessage)[] => Array.isArray(value)

/** Returns the parameter names in a text. */
export const parameterNamesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
