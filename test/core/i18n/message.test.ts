import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EN } from '../../../src/core/i18n/en.ts'
import { englishText, type Message, message, revivedMessage, toMessage } from '../../../src/core/i18n/message.ts'
import { parameterNamesIn, renderMessage, type Texts } from '../../../src/core/i18n/text.ts'
import { ZH } from '../../../src/core/i18n/zh.ts'
import { malformed, unsupported } from '../../../src/core/model/error.ts'

describe('a message', () => {
  it('is its code with its parameters, and becomes JSON', () => {
    const step = message('pictures_recompressed', { recompressed: 3, pictures: 4 })
    expect(JSON.parse(JSON.stringify(step))).toEqual({ code: 'pictures_recompressed', recompressed: 3, pictures: 4 })
    expect(englishText(step)).toBe('3 of 4 pictures recompressed')
    expect(toMessage('no_moov_box')).toEqual(message('no_moov_box'))
  })

  it('carries others, alone and in a list', () => {
    const inner = message('of_named', { name: 'word/media/1.png', what: message('crc_differs') })
    expect(englishText(message('in_1_file_inside', { what: inner }))).toBe(
      'in 1 embedded file: word/media/1.png: the CRC-32 checksum of a file does not match its data',
    )
    const what = [message('comment'), 'tEXt']
    expect(englishText(message('not_kept_no_place', { output: 'webp', what }))).toBe(
      'not kept, because webp cannot store it: comment, tEXt',
    )
  })

  it('is put into another language from the inside to the outside, with the separator of that language', () => {
    const chinese: Texts = { not_kept_no_place: '{output} 无法保留：{what}', comment: '注释', list_separator: '、' }
    const step = message('not_kept_no_place', { output: 'webp', what: [message('comment'), message('resolution')] })
    expect(renderMessage(step, chinese, EN)).toBe('webp 无法保留：注释、print resolution (DPI)')
  })

  it('shows what the file says as it is, and fills nothing in it', () => {
    expect(englishText(message('name_leaves_folder', { name: '{what} $& constructor' }))).toBe(
      'the file name {what} $& constructor points outside the archive folder',
    )
  })

  it('that an earlier version stored is its text, and one of a later version its own words', () => {
    expect(englishText(revivedMessage('as it was made'))).toBe('as it was made')
    expect(englishText({ code: 'some_new_step', share: 3 } as unknown as Message)).toBe('some new step')
    expect(englishText({ code: 'constructor' } as unknown as Message)).toBe('constructor')
    expect(englishText({ code: 'objects_removed' } as unknown as Message)).toBe(' objects removed that nothing in the result refers to')
  })

  it('is the detail of an error, whose own text is English', () => {
    const error = malformed('mp4', 12, message('tracks_found', { found: 900 }))
    expect([error.message, error.offset]).toEqual(['mp4 data, byte 12: the file has 900 tracks; at most 64 are supported', 12])
    expect(error.detail).toMatchObject({ code: 'malformed_at', what: { code: 'tracks_found', found: 900 } })
    expect(unsupported('wave_codec').message).toBe(
      'the WAVE file uses a codec that is not supported; allowed are PCM, float, G.711 and ADPCM',
    )
  })

  it('does not compile with a wrong code or without its parameters', () => {
    // @ts-expect-error no such code
    message('no_such_code_at_all')
    // @ts-expect-error a parameter is missing
    message('pictures_recompressed', { pictures: 4 })
    // @ts-expect-error parameters are missing
    message('pictures_recompressed')
    // @ts-expect-error a code with parameters does not stand alone
    toMessage('pictures_recompressed')
    // @ts-expect-error a literal is no message
    const literal: Message = { code: 'no_moov_box' }
    expect(literal.code).toBe('no_moov_box')
  })
})

describe('the tables', () => {
  it('have every code once', async () => {
    const files = globSync('*.ts', { cwd: join(import.meta.dirname, '../../../src/core/i18n/en') })
    const tables = await Promise.all(
      files.map(async (file) =>
        Object.values((await import(`../../../src/core/i18n/en/${file.slice(0, -'.ts'.length)}.ts`)) as { [name: string]: Texts }),
      ),
    )
    const codes = tables.flat().flatMap((table) => Object.keys(table))
    expect(files.length).toBeGreaterThan(5)
    expect(codes.length).toBe(new Set(codes).size)
    expect(codes.sort()).toEqual(Object.keys(EN).sort())
  })

  it('have no two codes for one text, and no parameter that is named like the code', () => {
    // Kinds of an inventory are words that other messages also use, such as "comments".
    const texts = Object.entries(EN).flatMap(([code, text]) => (code.startsWith('kind_') ? [] : [text]))
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
    expect(texts.filter((text) => parameterNamesIn(text).includes('code'))).toEqual([])
  })

  it('in Chinese have codes of the English ones, with the same parameters', () => {
    const english: Texts = EN
    for (const [code, text] of Object.entries(ZH as Texts)) {
      expect(Object.hasOwn(english, code), code).toBe(true)
      expect(parameterNamesIn(text).sort(), code).toEqual(parameterNamesIn(english[code]!).sort())
    }
  })
})
