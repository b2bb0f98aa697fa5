/** JSON Schemas of `/openapi.json`, from the schemas of requests and answers. */
import * as z from 'zod'

export type Json = Record<string, unknown>

/** Converts named schemas to JSON Schema, each once under `components`. */
export class Schemas {
  readonly components: Record<string, unknown> = {}

  of(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema }) => loosen(jsonSchema) }) as Json
    return this.#adopt(made)
  }

  named(name: string, schema: Json): Json {
    this.components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Moves `$defs` and a named root schema to the components. */
  #adopt(made: Json): unknown {
    const { $schema: _, $defs, ...root } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) this.components[name] = withoutId(definition)
    if (typeof root['id'] !== 'string') return root
    return this.named(root['id'], withoutId(root))
  }
}

/**
 * Adapts a schema for clients. Answers stay open for new fields (docs/users/versioning.md), and limits of JavaScript integers are removed.
 * PHP code of openapi-generator checks patterns of dates after parsing and compares `true` with a string, so both are removed.
 */
function loosen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') delete schema.pattern
  if (schema.type === 'boolean') delete schema.const
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

const withoutId = ({ id: _, ...rest }: Json) => rest
