/** MiniSearch with words for Chinese questions. The build puts it in the place of `minisearch` in VitePress's search box. */
import MiniSearch, { type Options } from 'minisearch'
import { withPairs } from '../search.ts'

const splitAsBefore = MiniSearch.getDefault('tokenize') as (text: string) => string[]

export default class<T> extends MiniSearch<T> {
  static override loadJSON<T>(json: string, options: Options<T>): MiniSearch<T> {
    return MiniSearch.loadJSON<T>(json, { ...options, tokenize: (text) => splitAsBefore(withPairs(text)) })
  }
}
