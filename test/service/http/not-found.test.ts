/** An address that does not exist: a page with links for a person, an error for a program. */
import { expect, it } from 'vitest'
import { call } from './client.ts'

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'

it.each([
  ['en-GB', 'This page does not exist', 'lang="en"'],
  ['zh-CN', '此页面不存在', 'lang="zh-Hans"'],
])('shows a page to a browser that prefers %s', async (language, title, attribute) => {
  const answer = await call(undefined, '/nothing-here', { headers: { Accept: BROWSER, 'Accept-Language': language } })
  expect(answer.status).toBe(404)
  expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  const page = await answer.text()
  expect(page).toContain(title)
  expect(page).toContain(attribute)
  for (const href of ['/', '/docs', '/console']) expect(page).toContain(`class="btn${href === '/' ? ' btn--primary' : ''}" href="${href}"`)
})

it.each([
  ['/nothing-here', '*/*'],
  ['/nothing-here', 'application/json'],
  ['/v1/nothing-here', BROWSER],
])('answers a program that asks for %s and accepts %s with an error', async (path, accept) => {
  const answer = await call(undefined, path, { headers: { Accept: accept } })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ error: { code: 404 }, error_detail: { type: 'unknown_route' } })
})

it('shows no path of the address in the page', async () => {
  const answer = await call(undefined, '/%3Cscript%3Ealert(1)%3C/script%3E', { headers: { Accept: BROWSER } })
  expect([answer.status, await answer.text()]).toEqual([404, expect.not.stringContaining('alert')])
})
