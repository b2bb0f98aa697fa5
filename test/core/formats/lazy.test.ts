/** The tables of codecs that are loaded when they are first used. */
import { expect, it } from 'vitest'
import { LAZY_MEDIA_CODECS } from '../../../src/core/formats/lazy-media.ts'
import { LAZY_PRESS_CODECS } from '../../../src/core/formats/lazy-press.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { libraryOf } from '../../../src/core/library.ts'
import { type LazyCodecs, loadedCodecs } from '../../../src/core/model/lazy-codec.ts'
import { readAll } from '../../../src/core/model/source.ts'
import { GENERATORS } from '../../support/generators.ts'

it.each([
  ['press', LAZY_PRESS_CODECS, PRESS_CODECS],
  ['media', LAZY_MEDIA_CODECS, MEDIA_CODECS],
] as const)('the codecs of %s are those of the service', async (_name, lazy: LazyCodecs, codecs) => {
  expect(Object.keys(lazy).sort()).toEqual(Object.keys(codecs).sort())
  for (const [id, codec] of Object.entries(codecs)) {
    const name = id as keyof LazyCodecs
    expect(lazy[name]?.format).toBe(codec.format)
    expect((await loadedCodecs(lazy, name))[name]).toBe(codec)
  }
})

it('a lazy codec gives the same result, also for pictures inside a document', async () => {
  for (const id of ['jpg', 'eml', 'kmz'] as const) {
    const bytes = new Uint8Array(await GENERATORS[id][0].make())
    const made = await libraryOf(LAZY_PRESS_CODECS).compress(bytes)
    const expected = await libraryOf(PRESS_CODECS).compress(bytes)
    expect(made.receipt).toEqual(expected.receipt)
    expect(Buffer.compare(await readAll(made.result), await readAll(expected.result))).toBe(0)
    const { findings } = await libraryOf(LAZY_PRESS_CODECS).verify(bytes, made.result, made.receipt)
    expect(findings.filter(({ verdict }) => verdict === 'false')).toEqual([])
  }
})
