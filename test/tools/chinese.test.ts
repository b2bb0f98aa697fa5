/** Whoever prefers Chinese hears no English: every sentence of an error, as the sources write it, is in the list. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chinese } from '../../console/src/chinese.ts'
import { inChinese } from '../../src/service/http/language.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Comments, and texts in any quotes. */
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g
const SENTENCE = /^['A-Z{][^|]* [^|]*\.$/
/** What describes the API, and what is sent to programs. */
const NO_ERRORS = /(describe\(|summary: |description: |message: )$/

function sentencesIn(source: string): string[] {
  const found: string[] = []
  for (const token of source.matchAll(TOKEN)) {
    const text = token[1] ?? token[2] ?? token[3]
    if (text === undefined || NO_ERRORS.test(source.slice(0, token.index).trimEnd().concat(' ').slice(-20))) continue
    const filled = text.replace(/\$\{[^}]*\}/g, '{}').replaceAll("\\'", "'")
    if (SENTENCE.test(filled) || /(malformed|\bno)\($/.test(source.slice(0, token.index))) found.push(filled.replaceAll('{}', 'this'))
  }
  return found
}

describe('an error in Chinese', () => {
  const files = globSync('src/service/{http,tasks}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !/(chinese|error-texts|openapi)\.ts$/.test(file),
  )
  const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const sentences = sources.filter((source) => /ApiError|checkCallbackUrl/.test(source)).flatMap(sentencesIn)

  it('is there for every sentence of the sources', () => {
    expect(sentences.length).toBeGreaterThan(90)
    expect(sentences.filter((sentence) => !/\p{Script=Han}/u.test(inChinese(sentence)))).toEqual([])
  })

  it('keeps what a sentence carries, and translates the phrases of ours', () => {
    expect(inChinese("There is no task 'key'; it may have been deleted or have expired.")).toBe('没有任务“key”，它可能已被删除或已过期。')
    expect(inChinese('The callback_url cannot be used: its host is an IP address.')).toBe('callback_url 不可用：主机是 IP 地址。')
    expect(inChinese("The field 'key' must be at most 40 characters (got 'aaa').")).toBe('字段“key”最多 40 个字符（收到“aaa”）。')
    expect(inChinese('Whatever nobody wrote.')).toBe('Whatever nobody wrote.')
  })

  it('stays English where a caller makes it long', () => {
    const hostile = `'${"' is not valid: ".repeat(5000)}`
    expect(inChinese(hostile)).toBe(hostile)
  })
})

describe('the console in Chinese', () => {
  it('has every text that it shows', () => {
    const missing = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8')
      const texts = [...source.matchAll(/\b(?:t\(|title: |error: )\s*'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => text!.replaceAll("\\'", "'"))
      return texts.filter((text) => text !== '' && !Object.hasOwn(chinese, text)).map((text) => `${file}: ${text}`)
    })
    expect(missing).toEqual([])
  })
})
