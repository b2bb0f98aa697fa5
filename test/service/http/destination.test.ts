/** Tests of `destination_url` and `destination_headers`: which addresses and headers are allowed. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import type { ApiError } from '../../../src/service/tasks/api-error.ts'
import { destinationOf, parseDestinationHeaders } from '../../../src/service/tasks/destination.ts'

const HOSTED = {} as Env
const LOCAL = { ENVIRONMENT: 'local' } as Env
const ADDRESS = 'https://bucket.shop.com/a.jpg?X-Amz-Signature=abc'

const refusal = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return { type: (error as ApiError).type, param: (error as ApiError).facts['param'] }
  }
}

it('takes an address with its query, and headers under lower-case names', () => {
  expect(destinationOf(HOSTED, ADDRESS, '{"X-MS-Blob-Type":"BlockBlob","x-amz-meta-a":"b c"}')).toEqual({
    url: ADDRESS,
    headers: { 'x-ms-blob-type': 'BlockBlob', 'x-amz-meta-a': 'b c' },
  })
  expect(destinationOf(HOSTED, undefined, undefined)).toBeUndefined()
  expect(destinationOf(LOCAL, 'http://127.0.0.1:8000/put', undefined)).toEqual({ url: 'http://127.0.0.1:8000/put', headers: {} })
})

it.each([
  'http://bucket.shop.com/a',
  'http://127.0.0.1/',
  'https://10.0.0.1/',
  'https://a.internal/',
  'https://u:p@a.shop.com/',
  'no',
])('refuses the address %s', (url) => {
  expect(refusal(() => destinationOf(HOSTED, url, undefined))).toEqual({ type: 'unsafe_url', param: 'destination_url' })
})

it('refuses headers without an address', () => {
  expect(refusal(() => destinationOf(HOSTED, undefined, '{}'))).toEqual({ type: 'invalid_parameter', param: 'destination_headers' })
})

it.each([
  ...['', 'null', '[]', '"x"', '{"x-amz-a":1}', '{"x-amz-a":{}}', '{"x-amz-a":""}', '{"x-amz-a":" a"}', '{"x-amz-a":"a\\r\\nhost: b"}'],
  ...['{"host":"a"}', '{"authorization":"a"}', '{"content-length":"1"}', '{"x-ms-version":"1"}', '{"x-amz-":"1"}', '{"x-amz-a b":"1"}'],
  ...['{"x-amz-a":"1","X-Amz-A":"2"}', '{"x-amz-a":"é"}', JSON.stringify({ 'x-amz-a': 'x'.repeat(2049) })],
  JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-amz-${i}`, '1']))),
])('refuses the headers %s', (text) => {
  expect(refusal(() => parseDestinationHeaders(text))).toEqual({ type: 'invalid_parameter', param: 'destination_headers' })
})

it('accepts only headers that a request can carry, and repeats no value of others', () => {
  const names = fc.oneof(fc.constantFrom('content-type', 'X-Goog-Acl', 'x-amz-acl', 'cookie', 'te', 'x-ms-date', '__proto__'), fc.string())
  fc.assert(
    fc.property(fc.dictionary(names, fc.string()), (headers) => {
      try {
        for (const [name, value] of Object.entries(parseDestinationHeaders(JSON.stringify(headers)))) {
          expect(name).toMatch(/^(content-type|cache-control|x-ms-blob-type|x-(amz|goog)-[a-z0-9-]+)$/)
          expect(new Headers([[name, value]]).get(name)).toBe(value)
        }
      } catch (error) {
        expect((error as ApiError).type).toBe('invalid_parameter')
      }
    }),
  )
})
