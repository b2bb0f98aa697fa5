import { describe, expect, it } from 'vitest'
import { EN } from '../../../src/core/i18n/en.ts'
import { message } from '../../../src/core/i18n/message.ts'
import { parameterNamesIn, type Texts } from '../../../src/core/i18n/text.ts'
import { ZH } from '../../../src/core/i18n/zh.ts'
import { API_EN } from '../../../src/service/i18n/en.ts'
import { apiMessage, isPlainCode, translate } from '../../../src/service/i18n/message.ts'
import { API_ZH } from '../../../src/service/i18n/zh.ts'
import { ApiError } from '../../../src/service/tasks/api-error.ts'

describe('a message of the API', () => {
  it('is English, or Chinese with what it carries', () => {
    const unknown = apiMessage('no_such_task', { id: 'key' })
    expect(translate('en', unknown)).toBe("There is no task 'key'. It may have been deleted or have expired.")
    expect(translate('zh-Hans', unknown)).toBe('没有任务“key”，它可能已被删除或已过期。')
    const unusable = apiMessage('field_unusable', { name: 'callback_url', why: apiMessage('host_is_ip_address') })
    expect(translate('en', unusable)).toBe("The field 'callback_url' cannot be used: its host is an IP address.")
    expect(translate('zh-Hans', unusable)).toBe('字段“callback_url”不可用：主机是 IP 地址。')
    const tooLong = apiMessage('field_wrong_got', { name: 'key', why: apiMessage('must_be_at_most_characters', { limit: 40 }), got: 'aaa' })
    expect(translate('zh-Hans', tooLong)).toBe('字段“key”最多 40 个字符（收到“aaa”）。')
  })

  it('about a file is Chinese as well, and stays as it was stored where an earlier version stored a sentence', () => {
    expect(translate('zh-Hans', message('chroma_halved'))).toBe('色度已下采样到 4:2:0')
    expect(translate('zh-Hans', 'The file is empty. Send a file with at least 1 byte.')).toBe(
      'The file is empty. Send a file with at least 1 byte.',
    )
  })

  it('is stored in the error and in the failed task', () => {
    const error = new ApiError('unknown_route', apiMessage('nothing_at', { path: '/x' }))
    expect(error.message).toBe('The address /x does not exist.')
    expect(error.asTaskError('req_1')).toMatchObject({ code: 404, message: { code: 'nothing_at', path: '/x' } })
  })

  it('can be used in schemas only if it has no parameters', () => {
    expect(['must_not_be_empty', 'nothing_at', 'constructor', 'Invalid input'].map(isPlainCode)).toEqual([true, false, false, false])
  })

  it('does not compile with a wrong code or without its parameters', () => {
    // @ts-expect-error a code of files, not of the API
    apiMessage('chroma_halved')
    // @ts-expect-error a parameter is missing
    apiMessage('nothing_at')
    // @ts-expect-error a code with parameters does not stand alone
    expect(new ApiError('unknown_route', 'nothing_at').message).toBe('The address  does not exist.')
  })
})

describe('the tables of the API', () => {
  it('share no code with those about files', () => {
    expect(Object.keys(API_EN).filter((code) => Object.hasOwn(EN, code))).toEqual([])
  })

  it('in Chinese have codes of the English ones, with the same parameters', () => {
    const english: Texts = API_EN
    for (const [code, text] of Object.entries(API_ZH as Texts)) {
      expect(Object.hasOwn(english, code), code).toBe(true)
      expect([...new Set(parameterNamesIn(text))].sort(), code).toEqual([...new Set(parameterNamesIn(english[code]!))].sort())
    }
  })

  it('have a Chinese text for every message', () => {
    const share = (part: Texts, whole: Texts) => Object.keys(part).length / Object.keys(whole).length
    expect(share(API_ZH, API_EN)).toBe(1)
    expect(share(ZH, EN)).toBe(1)
  })
})
