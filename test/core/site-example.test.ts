/** The example of the front page is what the library makes of its picture. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { libraryOf } from '../../src/core/library.ts'
import { readAll } from '../../src/core/model/source.ts'

const EXAMPLE = join(import.meta.dirname, '../../site/example')
const bytesOf = (name: string) => new Uint8Array(readFileSync(join(EXAMPLE, name)))

it('has the receipt and the result that the front page shows', async () => {
  const { result, receipt } = await libraryOf(PRESS_CODECS).compress(bytesOf('roofs.jpg'), { name: 'roofs.jpg' })
  expect(receipt).toEqual(JSON.parse(readFileSync(join(EXAMPLE, 'receipt.json'), 'utf8')))
  expect(await readAll(result)).toEqual(bytesOf('roofs.medium.jpg'))
})
