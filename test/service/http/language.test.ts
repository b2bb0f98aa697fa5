/** Tests of `Accept-Language`: Chinese messages for people, unchanged facts for programs. */
import { describe, expect, it } from 'vitest'
import { languageOf } from '../../../src/service/http/language.ts'
import { call, compress, type ErrorBody, member } from './client.ts'

const ask = async (language: string, path: string, accept = '*/*') => {
  const answer = await call(undefined, path, { headers: { 'Accept-Language': language, Accept: accept } })
  return { answer, body: (await answer.json()) as ErrorBody & { detail?: string } }
}

describe('Accept-Language', () => {
  it('selects the language by weight, then by position', () => {
    expect(['zh', 'zh-CN,zh;q=0.9,en;q=0.8', 'fr, zh-Hans;q=0.5', 'en;q=0.4, ZH-cn;q=0.5'].map(languageOf)).toEqual(
      Array(4).fill('zh-Hans'),
    )
    const english = [undefined, '', '*', 'fr', 'en, zh', 'zh;q=0', 'zh-TW', 'zh-Hant-HK, en;q=0.1', 'zhx', ';;q=,,']
    expect(english.map(languageOf)).toEqual(Array(english.length).fill('en'))
  })

  it('translates error messages to Chinese and keeps their facts', async () => {
    const [chinese, english] = [await ask('zh-CN,zh;q=0.9', '/v1/nothing'), await ask('en', '/v1/nothing')]
    expect(chinese.body.error.message).toBe('地址 /v1/nothing 不存在。')
    expect(english.body.error.message).toBe('The address /v1/nothing does not exist.')
    expect(chinese.body.error_detail).toEqual(english.body.error_detail)
    expect([chinese, english].map(({ answer }) => answer.headers.get('Content-Language'))).toEqual(['zh-Hans', 'en'])
    expect(chinese.answer.headers.get('Vary')).toContain('Accept-Language')
    expect((await ask('zh', '/v1/usage', 'application/problem+json')).body.detail).toContain('需要 API 密钥')
  })

  it('translates the error of a failed task, also in later requests', async () => {
    const who = await member()
    const answer = await compress(who, new Uint8Array(3000).fill(1), 'a.jpg', {}, { 'Accept-Language': 'zh' })
    const said = (await answer.json()) as ErrorBody
    expect(said.error.message).toBe(
      'Whittle 无法识别此文件的类型。发送 `format=zst` 可将其作为数据无损打包。`GET /v1/formats` 列出可直接压缩的类型。',
    )

    const batch = new FormData()
    for (const name of ['a.jpg', 'b.jpg']) batch.append('files[]', new Blob([new Uint8Array(3000).fill(1)]), name)
    const made = (await (await call(who, '/v1/batch/compress', { method: 'POST', body: batch })).json()) as {
      tasks: (ErrorBody & { task_id: string })[]
    }
    expect(made.tasks[0]!.error.message).toContain('Whittle does not recognise the type of this file')
    const later = await call(who, `/v1/tasks/${made.tasks[0]!.task_id}`, { headers: { 'Accept-Language': 'zh' } })
    expect(((await later.json()) as ErrorBody).error.message).toContain('Whittle 无法识别此文件的类型')
  })
})
