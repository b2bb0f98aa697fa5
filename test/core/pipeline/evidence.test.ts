import { describe, expect, it } from 'vitest'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { Codec, Outcome } from '../../../src/core/model/codec.ts'
import { pressFile } from '../../support/press-file.ts'

const drawingOf = (spaces: number) => new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg"${' '.repeat(spaces)}/>`)
const upload = drawingOf(90)

describe('evidence', () => {
  it('is passed from compress to verify, and is not part of the outcome', async () => {
    const evidence = { drawn: 'something' }
    const seen: unknown[] = []
    const codec: Codec = {
      format: svg.format,
      async compress(_source, sink) {
        await sink.write(drawingOf(0))
        return { kind: 'compressed', steps: [message('exact')], evidence }
      },
      async verify(_original, _result, outcome, _options, shown) {
        seen.push(outcome, shown)
        return { equal: true }
      },
    }
    const { outcome } = await pressFile(codec, upload, 'a.svg')
    const expected: Outcome = { kind: 'compressed', steps: [message('exact')] }
    expect(outcome).toMatchObject(expected)
    expect(outcome).not.toHaveProperty('evidence')
    expect(seen).toStrictEqual([expected, evidence])
  })

  it('a drawing without matching evidence is rendered again', async () => {
    const circles = Array.from({ length: 40 }, (_, i) => `<circle cx="${i * 2.123456}" cy="${i * 1.987654}" r="4.123456"/>`).join('\n  ')
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">\n  <!-- ${'note '.repeat(50)} -->\n  ${circles}\n</svg>`
    const verdicts: boolean[] = []
    const wrong = (text: string) => text.replace(/<circle[^>]*cx="7[^>]*>/g, '<circle r="40"/>')
    let evidence: unknown
    const damaging: Codec = {
      format: svg.format,
      async compress(source, sink, options) {
        let made = ''
        const kept = { ...sink, written: 0, write: async (chunk: Uint8Array) => void (made += new TextDecoder().decode(chunk)) }
        const { evidence: found, ...outcome } = await svg.compress(source, kept, options)
        evidence = found
        await sink.write(new TextEncoder().encode(wrong(made)))
        return { ...outcome, evidence: found }
      },
      async verify(original, result, outcome, options, shown) {
        for (const one of [shown, undefined, {}]) verdicts.push((await svg.verify(original, result, outcome, options, one)).equal)
        return { equal: false, difference: 'as planned' }
      },
    }
    await pressFile(damaging, new TextEncoder().encode(drawing), 'a.svg')
    expect(evidence).toBeDefined()
    expect(verdicts).toEqual([false, false, false])
  })
})
