/** Completes the properties in `/openapi.json`. A test checks that each has a description and an example. */
import { PROPERTY_EXAMPLES } from './openapi-examples/properties.ts'
import type { Json } from './openapi-schemas.ts'

type Components = Readonly<Record<string, Json>>

/** Adds an example to every property, and the description of the component to properties that only refer to one. */
export function withPropertyTexts(original: Json): Json {
  // Several schemas share parts, which would otherwise share their examples.
  const document = structuredClone(original)
  const { paths, webhooks } = document as Readonly<Record<string, Readonly<Record<string, Record<string, Json>>>>>
  const { schemas } = document['components'] as { readonly schemas: Components }
  for (const [name, schema] of Object.entries(schemas)) complete(schema, name, schemas)
  for (const operations of [...Object.values(paths ?? {}), ...Object.values(webhooks ?? {})])
    for (const operation of Object.values(operations)) completeBodies(operation, schemas)
  return document
}

function completeBodies({ operationId, requestBody }: Json, components: Components): void {
  const { content = {} } = (requestBody ?? {}) as { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }
  const name = String(operationId).replace(/^on/, '')
  for (const { schema } of Object.values(content)) complete(schema, name, components)
}

/** Completes the properties of a schema and of the schemas in it. */
function complete(schema: Json, name: string, components: Components): void {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  for (const [key, property] of Object.entries(properties)) {
    const component = components[String(property['$ref']).split('/').at(-1) ?? '']
    if (component?.['description'] !== undefined) property['description'] ??= component['description']
    const example = PROPERTY_EXAMPLES[`${name}.${key}`] ?? PROPERTY_EXAMPLES[key]
    if (example !== undefined) property['examples'] = [property['type'] === 'string' ? textOf(example) : example]
    complete(property, `${name}.${key}`, components)
  }
}

/** Forms send numbers and objects as text. */
const textOf = (example: unknown) => (typeof example === 'string' ? example : JSON.stringify(example))
