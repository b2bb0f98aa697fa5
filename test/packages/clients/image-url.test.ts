/** The TypeScript client: signed addresses of pictures on the fly. The other clients test the same address. */
import { expect, it } from 'vitest'
import { imageUrl } from '../../../packages/clients/typescript/src/images.ts'

it('signs the decoded source, and encodes it in the address', async () => {
  const key = { key: 'img_vZlKnlY1GFU0cnEaLZUr', secret: 'ims_secret' }
  expect(await imageUrl('https://whittle.example.com/', key, 'photos/Häuser & Höfe/50 % #1?.png', 'w_320,f_auto')).toBe(
    'https://whittle.example.com/img/RrA9-t8nX1d2amREF4ACNgxf2rdwNiaLvpT8wUiHw0g/w_320,f_auto/img_vZlKnlY1GFU0cnEaLZUr/photos/H%C3%A4user%20%26%20H%C3%B6fe/50%20%25%20%231%3F.png',
  )
})
