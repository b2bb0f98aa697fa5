import { ATTACHED_FILE } from '../../../../containers/ebml/matroska.ts'
import { FILE_NAME } from '../../../../containers/ebml/track-elements.ts'
import { message } from '../../../../i18n/message.ts'
import { unsupported } from '../../../../model/error.ts'
import type { Cover } from '../../sample-table.ts'
import { type Content, childrenOf, rootOf } from '../content.ts'
import { pictureIn } from '../pictures.ts'
import { childFields, textIn } from './fields.ts'

/** Names of attached pictures that are covers (RFC 9559, section 21.2). */
const COVER = /^(?:small_)?cover(?:_land)?\./i

/** Returns attached covers. @throws CodecError (unsupported_feature) that names an attached file which MP4 cannot hold */
export function coversIn(contents: readonly Content[]): Cover[] {
  return contents.flatMap((content) =>
    [...childrenOf(content, 0, rootOf(content).end)]
      .filter(({ id }) => id === ATTACHED_FILE)
      .map((file) => {
        const name = textIn(content, childFields(content, file).get(FILE_NAME)) ?? ''
        const data = pictureIn(content, file)
        if (!data || !COVER.test(name)) throw unsupported(message('mkv_attachment_not_in_mp4', { name }))
        return { kind: data.extension, bytes: content.bytes.slice(data.bodyAt, data.end) }
      }),
  )
}
