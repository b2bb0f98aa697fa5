/** Holds answers against the served `/openapi.json`: the document is the judge, not the code that made it. */
import * as z from 'zod'
import { ERROR_MEANINGS } from '../../src/service/http/error-texts.ts'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>
}

export interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

/** Clients must read over fields that they do not know; an answer of today has none that the document does not. */
function closed(_: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
  return isObject ? { additionalProperties: false, ...value } : value
}

export class Contract {
  readonly #document: Document
  readonly #schemas = new Map<unknown, z.ZodType>()
  /** "GET /v1/usage 200" of everything that was held against it. */
  readonly seen = new Set<string>()

  constructor(document: Document) {
    this.#document = document
  }

  get operations(): string[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
  }

  /** Throws where status, media type or body are not as documented. Returns the body. */
  async hold(method: string, template: string, answer: Response): Promise<unknown> {
    const operation = this.#document.paths[template]?.[method.toLowerCase()]
    if (!operation) throw new Error(`${method} ${template} is not documented`)
    const described = operation.responses[answer.status]
    if (!described) throw new Error(`${method} ${template}: ${answer.status} is not documented: ${await answer.text()}`)
    this.seen.add(`${method} ${template} ${answer.status}`)
    const type = answer.headers.get('Content-Type')?.split(';')[0] ?? ''
    const schema = described.content?.[type]?.schema
    if (schema === undefined || type === 'application/zip') return type === 'application/json' ? answer.json() : answer.arrayBuffer()
    if (type === 'text/event-stream') return answer.text()
    const body = (await answer.json()) as { error_detail?: { type?: string } }
    const word = body.error_detail?.type
    // The page of errors in the documentation is made from this table.
    if (word !== undefined && !Object.hasOwn(ERROR_MEANINGS, word)) throw new Error(`'${word}' is not documented`)
    const parsed = this.#compiled(schema).safeParse(body)
    if (!parsed.success) {
      throw new Error(`${method} ${template} ${answer.status}: ${z.prettifyError(parsed.error)}\n${JSON.stringify(body, null, 1)}`)
    }
    return body
  }

  #compiled(schema: unknown): z.ZodType {
    const known = this.#schemas.get(schema)
    if (known) return known
    const whole = JSON.stringify({ ...(schema as object), $defs: this.#document.components.schemas })
    const made = z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/'), closed))
    this.#schemas.set(schema, made)
    return made
  }
}
