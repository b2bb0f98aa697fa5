/**
 * Refuses unknown fields instead of ignoring them, so that a client never believes that an unsupported option was applied.
 * The value is never repeated: it may be a password under a mistyped name.
 */

import * as z from 'zod'
import { apiMessage } from '../i18n/message.ts'
import { type ApiError, invalidParameter } from '../tasks/api-error.ts'

/** Maximum number of characters of an unknown name that an error repeats. */
const MAX_PARAM_LENGTH = 200
const MAX_SHOWN_LENGTH = 60

export function unknownField(name: string, known: readonly string[]): ApiError {
  const shown = name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name
  const said =
    known.length === 0
      ? apiMessage('takes_no_fields', { name: shown })
      : apiMessage('field_not_known_here', { name: shown, known: known.join(', ') })
  return invalidParameter(name.slice(0, MAX_PARAM_LENGTH), said, { allowed: known })
}

/** Refuses the first field of a JSON body that its schema does not define. */
export function refuseUnknownFields(schema: z.ZodType, value: unknown): void {
  const shapes = closedObjects(schema)
  if (!shapes || typeof value !== 'object' || value === null || Array.isArray(value)) return
  refuseUnknownNames(Object.keys(value), [...new Set(shapes.flatMap(({ shape }) => Object.keys(shape)))])
}

export function refuseUnknownNames(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) if (!known.includes(name)) throw unknownField(name, known)
}

/** Returns the alternatives of a union schema. `undefined`: one of them accepts additional fields. */
function closedObjects(schema: z.ZodType): readonly z.ZodObject[] | undefined {
  const alternatives: readonly unknown[] = schema instanceof z.ZodUnion ? schema.options : [schema]
  const isClosed = (one: unknown): one is z.ZodObject => one instanceof z.ZodObject && one.def.catchall instanceof z.ZodNever
  return alternatives.every(isClosed) ? alternatives : undefined
}

/** Refuses query parameters that the route does not define or that are given twice. */
export function refuseUnknownQuery(query: URLSearchParams, known: readonly string[]): void {
  const names = [...query.keys()]
  refuseUnknownNames(names, known)
  refuseRepeated(names)
}

function refuseRepeated(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw duplicateField(twice)
}

export const duplicateField = (name: string) =>
  invalidParameter(name.slice(0, MAX_PARAM_LENGTH), apiMessage('field_given_twice', { name: name.slice(0, MAX_SHOWN_LENGTH) }))

/** Matches a JSON string or bracket. A string followed by a colon is a field name. */
const TOKEN = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]/g

/** Refuses JSON objects with a duplicate name, because parsers silently keep the last value. `text` is valid JSON. */
export function refuseRepeatedNames(text: string): void {
  const open: Set<string>[] = []
  for (const [token, inner, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      const name = JSON.parse(`"${inner}"`) as string
      const names = open.at(-1)!
      if (names.has(name)) throw duplicateField(name)
      names.add(name)
    }
  }
}
