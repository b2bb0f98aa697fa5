import { type MessageOrCode, message, toMessage } from '../../../../i18n/message.ts'
import { type CodecError, unsupported } from '../../../../model/error.ts'

/** What names a track in messages. */
export interface TrackName {
  readonly number: number
  /** Identifier of the codec, for example `V_MPEG4/ISO/AVC`. */
  readonly codec: string
}

/** Error for a track that MP4 cannot hold. */
export const notInMp4 = ({ number, codec }: TrackName, why: MessageOrCode): CodecError =>
  unsupported(message('mkv_track_not_in_mp4', { track: number, codec, why: toMessage(why) }))
