/** Tests encrypted files that open without a password. qpdf encrypted the fixtures. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Dict, latin1, Ref, Str, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { pdf } from '../../../../src/core/formats/pdf/pdf.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { serialise } from '../../../../src/core/formats/pdf/serialise.ts'
import { noReference } from '../../../../src/core/formats/pdf/writer.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { press, pressAlone } from './run.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`../../../fixtures/pdf/${name}.pdf`, import.meta.url)))
const open = (bytes: Uint8Array) => Reader.open(memorySource(bytes, 'x.pdf'), '')

async function at(reader: Reader, ...path: (string | number)[]) {
  let object = await reader.resolve(reader.trailer.get('Root'))
  for (const step of path) {
    const inner = object instanceof Stream ? object.dict : object
    const next = inner instanceof Dict ? inner.get(String(step)) : Array.isArray(inner) ? inner[Number(step)] : undefined
    object = await reader.resolve(next instanceof Ref ? next : (next ?? null))
  }
  return object
}

async function contents(reader: Reader) {
  const text = async (...path: (string | number)[]) => {
    const stream = await at(reader, ...path)
    return stream instanceof Stream ? latin1(await reader.decoded(stream, 1 << 20)) : ''
  }
  const page = ['Pages', 'Kids', 0] as const
  const info = await reader.dict(reader.trailer.get('Info'))
  const remark = await at(reader, ...page, 'Annots', 0, 'Contents')
  return {
    title: info?.get('Title'),
    author: info?.get('Author'),
    remark: remark instanceof Str ? latin1(remark.bytes) : undefined,
    page: await text(...page, 'Contents'),
    note: await text('Names', 'EmbeddedFiles', 'Names', 1, 'EF', 'F'),
    metadata: await text('Metadata'),
  }
}

describe('an encrypted PDF that opens without a password', () => {
  it.each(['rc4-40', 'rc4-128', 'aes-128', 'aes-256-r5', 'aes-256'])('becomes smaller and keeps its encryption (%s)', async (name) => {
    const bytes = fixture(name)
    const before = await open(bytes)
    for (const quality of ['high', 'low'] as const) {
      const pressed = await press(bytes, quality)
      expect(withFidelity(pressed.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(pressed.bytes.length).toBeLessThan(bytes.length * 0.8)
      const after = await open(pressed.bytes)
      expect(after.encryption && serialise(after.encryption.dictionary, noReference)).toBe(
        before.encryption && serialise(before.encryption.dictionary, noReference),
      )
      const found = await contents(after)
      expect(found).toEqual(await contents(before))
      expect(found).toMatchObject({
        remark: 'Remember: (all) of it',
        author: new Str(new Uint8Array(0)),
        page: expect.stringContaining('Open without a password'),
        note: expect.stringContaining('every word counts'),
        metadata: expect.stringContaining('W5M0MpCehiHzreSzNTczkc9d'),
      })
      // Without a key, everything is encrypted. Only a file that declares it has readable metadata.
      const closed = await Reader.open(memorySource(pressed.bytes, 'x.pdf'))
      expect(closed.trailer.has('Encrypt')).toBe(true)
      const number = (await after.dict(after.trailer.get('Root')))?.get('Metadata')
      const metadata = await closed.resolve(number)
      const readable = metadata instanceof Stream ? await closed.decoded(metadata, 1 << 20).then(latin1, () => '') : ''
      expect(readable.includes('W5M0MpCehiHzreSzNTczkc9d')).toBe(name === 'aes-128')
      expect(latin1(pressed.bytes)).not.toContain('locked document')
    }
  })

  it('is returned unchanged if it needs a password', async () => {
    expect((await press(fixture('user-password'))).outcome).toEqual({ kind: 'unchanged', reason: 'encrypted' })
  })

  it('fails verification if its permissions changed', async () => {
    const bytes = fixture('rc4-128')
    const { outcome, bytes: result } = await press(bytes)
    const options = {
      quality: 'medium',
      output: 'pdf',
      memoryBudget: 1 << 26,
      signal: new AbortController().signal,
      progress: () => undefined,
    }
    const verify = (other: Uint8Array) =>
      pdf.verify(memorySource(bytes, 'x.pdf'), memorySource(other, 'x.pdf'), outcome, { ...options, inner: {} } as never)
    expect(await verify(result)).toMatchObject({ equal: true })
    // The owner hash is part of the key, so after this change the file does not open.
    const forged = Buffer.from(result)
    const owner = forged.indexOf('/O(') + 4
    forged[owner] = forged[owner]! ^ 1
    expect(await verify(new Uint8Array(forged)).catch(() => ({ equal: false }))).toMatchObject({ equal: false })
  })

  it('does not crash the codec when it is damaged', async () => {
    for (const name of ['rc4-128', 'aes-128', 'aes-256']) {
      const bytes = fixture(name)
      for (let i = 0; i < 60; i++) {
        const broken = bytes.slice(0, i % 3 === 0 ? Math.floor((bytes.length * i) / 60) : bytes.length)
        for (let k = 0; k < 4; k++) broken[(i * 7919 + k * 104_729) % Math.max(1, broken.length)]! ^= 1 << (i % 8)
        const { outcome, defect } = (await pressAlone(broken)) as { outcome: { kind: string }; defect?: string }
        expect(['compressed', 'unchanged']).toContain(outcome.kind)
        expect(defect).toBeUndefined()
      }
    }
  })
})
