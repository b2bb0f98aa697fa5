/** The TypeScript client: signed addresses of pictures on the fly. The other clients test the same address. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { imageUrl } from '../../../packages/clients/typescript/src/images.ts'

const KEY = { key: 'img_vZlKnlY1GFU0cnEaLZUr', secret: 'ims_secret' }

it('signs the decoded source, and encodes it in the address', async () => {
  expect(await imageUrl('https://whittle.example.com/', KEY, 'photos/Café & Bar/50 % #1?.png', 'w_320,f_auto')).toBe(
    'https://whittle.example.com/img/_EzFnj9al6Y78aB45rim5cxDrC19fbidOIYzR7OyVpo/w_320,f_auto/img_vZlKnlY1GFU0cnEaLZUr/photos/Caf%C3%A9%20%26%20Bar/50%20%25%20%231%3F.png',
  )
})

it('signs as the guide does without a client', async () => {
  const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/users/pictures.md'), 'utf8')
  const [code = ''] = /(?<=import .*'node:crypto'\n)[\s\S]*?(?=```)/.exec(guide) ?? []
  const src: unknown = new Function('createHmac', 'key', 'secret', `${code}; return src`)(createHmac, KEY.key, KEY.secret)
  const signed = await imageUrl('https://whittle.example.com', KEY, 'photos/2026/harbour.jpg', 'w_640,f_auto')
  expect(decodeURIComponent(String(src))).toBe(signed)
})
