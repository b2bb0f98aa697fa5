import { latin1Of } from '../../bytes/latin1.ts'
import type { FileView } from '../file-view.ts'
import { type Group, MAX_VALUE_CHARACTERS } from './group.ts'

/** Yields the groups of an ASCII DXF file: a line with the code, and a line with the value. Lines that are no code are left out. */
export async function* asciiGroups(view: FileView): AsyncGenerator<Group> {
  let rest = ''
  let code: number | undefined
  for await (const chunk of view.chunks(0, view.size)) {
    const lines = (rest + latin1Of(chunk)).split('\n')
    rest = lines.pop()!.slice(0, MAX_VALUE_CHARACTERS)
    for (const line of lines) {
      if (code === undefined) code = codeIn(line)
      else {
        yield { code, value: valueIn(line) }
        code = undefined
      }
    }
  }
  if (code !== undefined && rest !== '') yield { code, value: valueIn(rest) }
}

const valueIn = (line: string): string => line.slice(0, MAX_VALUE_CHARACTERS).trim()

/** `undefined`: the line is no group code. */
function codeIn(line: string): number | undefined {
  const text = line.trim()
  return /^-?\d{1,5}$/.test(text) ? Number(text) : undefined
}
