/** Tests of file names that come from addresses and their answers. */
import { expect, it } from 'vitest'
import { sourceFileName } from '../../../src/service/tasks/source-name.ts'

const URL = 'https://files.shop.com/a/b/photo.jpg?download=1&name=no.txt#part'

it.each<[string, string | null, string]>([
  [URL, null, 'photo.jpg'],
  [URL, 'inline', 'photo.jpg'],
  [URL, 'attachment; filename=', 'photo.jpg'],
  [URL, 'attachment; filename="from header.txt"', 'from header.txt'],
  [URL, 'attachment; FILENAME=token.txt', 'token.txt'],
  [URL, 'attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
  [URL, `attachment; filename="plain.txt"; filename*=UTF-8''%C3%9Cbung%20%E2%82%AC.txt`, 'Übung €.txt'],
  [URL, `attachment; filename*=UTF-8''%FF.txt; filename="plain.txt"`, 'plain.txt'],
  [URL, `attachment; filename*=iso-8859-1''%DC.txt; filename="plain.txt"`, 'plain.txt'],
  [URL, 'attachment; filename="one.txt"; filename="two.txt"', 'one.txt'],
  [URL, 'attachment; filename="../../etc/evil.txt"', 'evil.txt'],
  [URL, 'attachment; filename=".."', 'upload'],
  ['https://files.shop.com/', null, 'upload'],
  ['https://files.shop.com/folder/', null, 'upload'],
  ['https://files.shop.com/Photo%20%C3%BC.txt', null, 'Photo ü.txt'],
  ['https://files.shop.com/%FF%2Fa.txt', null, '%FF%2Fa.txt'],
  ['https://files.shop.com/a%2F..%2Fb.txt', null, 'b.txt'],
])('the file of %s with Content-Disposition %s is named %s', (url, disposition, name) => {
  expect(sourceFileName(url, disposition)).toBe(name)
})

it('a header of a megabyte is read only at its start (long-disposition)', () => {
  for (const part of [';', '; a="', '; filename="\\'])
    expect(sourceFileName(URL, `attachment${part.repeat(1_000_000 / part.length)}; filename="late.txt"`)).not.toBe('late.txt')
})
