/** Tests of what client generators need from the OpenAPI document, beyond its validity. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { answerExamples, BODY_EXAMPLES } from '../../../src/service/http/openapi-examples/answers.ts'
import { codeSamples } from '../../../src/service/http/openapi-examples/code-samples.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'
import { batchFields, compressFields } from '../../../src/service/http/schemas/requests.ts'
import { errorAnswer } from '../../../src/service/http/schemas/tasks.ts'
import { call } from './client.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  contentMediaType?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  description?: string
  examples?: unknown[]
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  minimum?: number
  maximum?: number
}
interface Operation {
  operationId: string
  tags: string[]
  description: string
  parameters?: { name: string; description?: string; example?: unknown; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<
    string,
    {
      headers?: Record<string, { description: string; example: unknown; schema: Schema }>
      content?: Record<string, { schema?: Schema; examples?: Record<string, { value: unknown }> }>
      links?: Record<string, { operationId: string }>
    }
  >
}

let schemas: Record<string, Schema>
let operations: Operation[]
let tags: { name: string; description: string }[]
let webhooks: Record<string, { post: Operation }>
beforeAll(async () => {
  interface Document {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
    tags: typeof tags
    webhooks: typeof webhooks
  }
  const document = (await (await call(undefined, '/openapi.json')).json()) as Document
  ;({ tags, webhooks } = document)
  schemas = document.components.schemas
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
}, 60_000)

/** Yields a schema and all nested schemas, with the name that a generator derives if the schema has none. */
function* within(schema: Schema, name: string): Generator<[schema: Schema, name: string]> {
  yield [schema, name]
  const inner: [Schema, string][] = [
    ...Object.entries(schema.properties ?? {}).map(([key, one]): [Schema, string] => [one, `${name}_${key}`]),
    ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map((one, i): [Schema, string] => [one, `${name}_type_${i}`]),
    ...(schema.items ? [[schema.items, `${name}_item`] as [Schema, string]] : []),
    ...(typeof schema.additionalProperties === 'object' ? [[schema.additionalProperties, `${name}_additional`] as [Schema, string]] : []),
  ]
  for (const [one, innerName] of inner) yield* within(one, innerName)
}
const answers = () =>
  operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema, examples = {} }]) =>
        schema ? [{ name: `${operationId}_${status}`, type, schema, examples: Object.values(examples).map(({ value }) => value) }] : [],
      ),
    ),
  )
const components = () => Object.entries(schemas).flatMap(([name, schema]) => [...within(schema, name)])

const pascal = (name: string) => name.replace(/(^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())

describe('the document', () => {
  it('names every object schema exactly once', () => {
    const unnamed = components().filter(([schema, name]) => schema.properties && !(name in schemas))
    expect(unnamed.map(([, name]) => name)).toEqual([])
    for (const { name, type, schema } of answers())
      if (type === 'application/json') expect(schema.$ref, name).toMatch(/^#\/components\/schemas\//)
    const generated = [
      ...Object.keys(schemas),
      ...components().flatMap(([schema, name]) => (schema.enum && !(name in schemas) ? [name] : [])),
      ...operations.flatMap(({ operationId, parameters = [], requestBody }) => [
        ...parameters.flatMap(({ name, schema }) => (schema.enum ? [`${operationId}_${name}`] : [])),
        // Named schemas are among the components.
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          schema.$ref
            ? []
            : [`${operationId}_body`, ...[...within(schema, `${operationId}_body`)].flatMap(([one, name]) => (one.enum ? [name] : []))],
        ),
      ]),
    ].map(pascal)
    expect(generated.filter((name, i) => generated.indexOf(name) !== i)).toEqual([])
  })

  it('has a discriminator with all values for every union', () => {
    const unions = components().filter(([schema]) => schema.oneOf)
    expect(unions.map(([, name]) => name).sort()).toEqual(['Connection', 'ConnectionFields', 'Receipt', 'Task'])
    for (const [{ oneOf = [], discriminator, properties }, name] of unions) {
      const words: Record<string, string> = {}
      for (const { $ref = '' } of oneOf) {
        const field = schemas[$ref.split('/').at(-1) ?? '']?.properties?.[discriminator?.propertyName ?? '']
        for (const word of field?.enum ?? [field?.const]) words[String(word)] = $ref
      }
      expect(discriminator?.mapping, name).toEqual(words)
      // Without explicit words, openapi-generator for PHP creates one class for all alternatives, with the words of the last one.
      expect(properties, name).toEqual({
        [discriminator!.propertyName]: { type: 'string', description: expect.any(String), examples: [expect.any(String)] },
      })
    }
  })

  it('has a tag and a description for every operation', () => {
    const names = tags.map(({ name }) => name)
    expect(names).toEqual(['Compress', 'Tasks', 'Uploads', 'Links', 'Connections', 'Pictures', 'Syncs', 'Account', 'Service', 'Callbacks'])
    const callbacks = Object.values(webhooks).map(({ post }) => post)
    const all = [...operations, ...callbacks]
    for (const { operationId, tags: own, description } of all) {
      expect(names, operationId).toContain(own[0])
      expect(description, operationId).toMatch(/^\S.*[.?]$/s)
    }
    expect(new Set(all.map(({ tags: own }) => own[0])), 'no heading is empty').toEqual(new Set(names))
    // openapi-generator creates one class per tag and would overwrite the class of the operations with that of the webhooks.
    expect(new Set(callbacks.map(({ tags: own }) => own[0]))).toEqual(new Set(['Callbacks']))
    for (const { operationId, tags: own } of operations) expect(own, operationId).not.toContain('Callbacks')
  })

  it('describes what is sent to a callback_url', () => {
    expect(Object.keys(webhooks)).toEqual(['task.completed', 'task.failed', 'storage.nearly_full', 'storage.full'])
    const { requestBody } = webhooks['task.completed']!.post
    // oapi-codegen drops components that no path uses.
    const event = requestBody!.content['application/json']!.schema
    expect(event.properties).toMatchObject({ type: { const: 'task.completed' }, data: { $ref: '#/components/schemas/Task' } })
  })

  it('links the answer of an upload to its next operations', () => {
    const { responses } = operations.find(({ operationId }) => operationId === 'compress')!
    expect(Object.keys(responses['200']!.links!)).toEqual(['getTask', 'download', 'getReceipt', 'deleteTask'])
    const ids = operations.map(({ operationId }) => operationId)
    const links = operations.flatMap((operation) => Object.values(operation.responses['200']?.links ?? {}))
    for (const { operationId } of links) expect(ids).toContain(operationId)
  })

  it('describes files as binary', () => {
    const file = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }
    const described = { description: expect.any(String), examples: expect.any(Array) }
    const forms = operations.flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['multipart/form-data']?.schema
      return schema ? [[operationId, schema] as const] : []
    })
    expect(Object.fromEntries(forms.map(([id, schema]) => [id, schema.properties?.['file'] ?? schema.properties?.['files[]']]))).toEqual({
      compress: { ...file, ...described },
      batchCompress: { type: 'array', minItems: 1, items: file, ...described },
    })
    const download = answers().filter(({ name }) => name.startsWith('download_20'))
    expect(download.map(({ type }) => type)).toEqual(['application/octet-stream', '*/*', 'application/octet-stream', '*/*'])
    for (const { schema } of download) expect(schema).toEqual({ type: 'string', format: 'binary' })
  })

  it('closes request schemas but not answers, and describes times and numbers portably', () => {
    const sent = ['CompressUpload', 'BatchOfUploads']
    for (const [schema, name] of components()) {
      expect(schema.additionalProperties === false, name).toBe(sent.includes(name))
      expect([schema.minimum, schema.maximum], name).not.toContain(Number.MAX_SAFE_INTEGER)
      // `measured_at` is a location, not a time.
      if (/(?<!measured)_at$/.test(name)) expect([schema.format, schema.pattern], name).toEqual(['date-time', undefined])
      if (schema.type === 'boolean') expect(schema.const, name).toBeUndefined()
      if (/(_size|_bytes|storage_used|storage_quota)$/.test(name)) expect(schema.format, name).toBe('int64')
    }
  })
})

describe('the properties', () => {
  /** All properties of requests, answers and webhooks, with nested ones, by name. */
  const properties = () => {
    const sent = [...operations, ...Object.values(webhooks).map(({ post }) => post)].flatMap(({ operationId, requestBody }) =>
      Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => [...within(schema, `${operationId} ${type}`)]),
    )
    return [...components(), ...sent].flatMap(([schema, name]) =>
      Object.entries(schema.properties ?? {}).map(([key, property]) => [`${name}.${key}`, property] as const),
    )
  }

  it('have a description and an example', () => {
    const all = properties()
    expect(all.length).toBeGreaterThan(250)
    const silent = all.filter(([, { description, examples }]) => !description || !examples?.length)
    expect(silent.map(([name]) => name)).toEqual([])
  })

  it('have examples that their own schemas accept, without further fields', () => {
    const shown = answers().flatMap(({ name, schema, examples }) => [...examples].map((example) => [name, schema, example] as const))
    expect(shown.length).toBeGreaterThan(20)
    const own = properties().flatMap(([name, property]) => (property.examples ?? []).map((example) => [name, property, example] as const))
    const wrong = [...own, ...shown].flatMap(([name, schema, example]) => {
      const { error } = closed(schema).safeParse(example)
      return error ? [`${name}: ${z.prettifyError(error)}`] : []
    })
    expect(wrong).toEqual([])
  })

  /** Schema that refuses fields which it does not name. Details of errors are open. */
  const closed = (schema: Schema) => {
    const text = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/')
    const close = (_: string, value: Schema | string) =>
      typeof value === 'object' && value !== null && value.properties && value.type && !value.additionalProperties
        ? { ...value, additionalProperties: false }
        : value
    return z.fromJSONSchema(JSON.parse(text, close) as Parameters<typeof z.fromJSONSchema>[0])
  }

  it('include an enum of the output formats', () => {
    const ids = schemas['OutputFormat']?.enum
    expect(ids).toEqual(expect.arrayContaining(['jpg', 'webp', 'avif', 'mp4', 'zst', 'nii.gz']))
    const asked = properties().filter(([name]) => /(application\/json|form-data|Upload|Uploads|Preset)\.format$/.test(name))
    expect(asked.map(([name]) => name).sort()).toEqual([
      ...['BatchOfUploads.format', 'CompressUpload.format', 'Preset.format'],
      ...['batchCompress multipart/form-data.format', 'compress multipart/form-data.format'],
    ])
    for (const [name, { $ref }] of asked) expect($ref, name).toBe('#/components/schemas/OutputFormat')
  })

  it('have counterparts in parameters with a description and an example', () => {
    for (const { operationId, parameters = [] } of operations)
      for (const { name, description, example, schema } of parameters) {
        expect(description ?? schema.description, `${operationId} ${name}`).toMatch(/\S/)
        expect(example, `${operationId} ${name}`).toBeDefined()
      }
  })
})

describe('the answers of response=file', () => {
  it('are a file with its headers, or a task', () => {
    const { responses } = operations.find(({ operationId }) => operationId === 'compress')!
    const { content = {}, headers = {} } = responses['200']!
    expect(Object.keys(content)).toEqual(['application/json', 'application/octet-stream'])
    expect(content['application/octet-stream']?.schema).toEqual({ type: 'string', format: 'binary' })
    expect(Object.keys(headers).filter((name) => name.startsWith('Whittle-'))).toEqual([
      ...['Whittle-Task', 'Whittle-Outcome', 'Whittle-Original-Size', 'Whittle-Receipt'],
    ])
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(Object.keys(download200())))
    expect(responses['202']!.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Task' })
    expect(Object.keys(responses['202']!.headers ?? {})).toEqual(['Whittle-Task', 'Location'])
  })

  const download200 = () => operations.find(({ operationId }) => operationId === 'download')!.responses['200']!.headers ?? {}
})

describe('the examples', () => {
  const documented = ROUTES.flatMap(({ doc }) => (doc ? [doc] : []))

  it('show an answer of every operation that returns JSON, as its schema describes it', () => {
    const examples = answerExamples('https://whittle.example.com')
    let checked = 0
    for (const { id, answer } of documented) {
      const schema = answer instanceof z.ZodType ? answer : typeof answer === 'object' ? answer.jws : undefined
      if (!schema) continue
      const values = Object.entries(examples[id] ?? {})
      expect(values.length, id).toBeGreaterThan(0)
      for (const [name, value] of values) expect(schema.safeParse(value).error, `${id}: ${name}`).toBeUndefined()
      checked += values.length
    }
    expect(checked).toBeGreaterThan(15)
    expect(Object.keys(examples).filter((id) => !documented.some((doc) => doc.id === id))).toEqual([])
  })

  it('show every error status of every operation, in the form of all errors', () => {
    for (const { operationId, responses } of operations)
      for (const [status, { content }] of Object.entries(responses)) {
        if (!(Number(status) >= 400)) continue
        const examples = Object.entries(content?.['application/json']?.examples ?? {})
        expect(examples.length, `${operationId} ${status}`).toBeGreaterThan(0)
        for (const [type, { value }] of examples)
          expect(errorAnswer.parse(value), `${operationId} ${type}`).toMatchObject({
            error: { code: Number(status) },
            error_detail: { type },
          })
      }
  })

  it('send fields that the service accepts', () => {
    expect(compressFields.safeParse(BODY_EXAMPLES['compress']?.['multipart/form-data']).error).toBeUndefined()
    expect(batchFields.safeParse(BODY_EXAMPLES['batchCompress']?.['multipart/form-data']).error).toBeUndefined()
    for (const { id, json } of documented)
      if (json) expect(json.safeParse(BODY_EXAMPLES[id]?.['application/json']).error, id).toBeUndefined()
    for (const id of Object.keys(BODY_EXAMPLES))
      expect(
        documented.some((doc) => doc.id === id && (doc.form ?? doc.json)),
        id,
      ).toBe(true)
  })

  it('show the requests of a task in six languages', () => {
    const samples = codeSamples('https://whittle.example.com')
    for (const [id, own] of Object.entries(samples)) {
      expect(
        documented.some((doc) => doc.id === id),
        id,
      ).toBe(true)
      expect(
        own.map(({ label }) => label),
        id,
      ).toEqual(['curl', 'TypeScript', 'Python', 'Go', 'PHP', 'CLI'])
    }
    expect(samples['compress']?.[0]?.source).toContain('curl https://whittle.example.com/v1/compress \\\n')
  })
})
