/** Pictures that stay as they are. */

import type { Picture, VideoStream } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { overBudget, unsupported } from '../../codec/error.ts'

/** A telephone's whole screen, 1080×2400. More does not fit beside a decoder into the memory of an isolate. */
export const MAX_PIXELS = 1088 * 2400

/** Pictures that 8-bit 4:2:0 H.264 would not do justice to. */
export function refuse(picture: Picture, stream: VideoStream): void {
  // H.273: 16 is PQ, 18 is HLG.
  if (picture.transfer === 16 || picture.transfer === 18) throw unsupported('HDR pictures are kept as they are')
  if (picture.depth > 8 && ['h264', 'hevc', 'vp9'].includes(stream.decoder)) throw unsupported('pictures of more than 8 bits are kept')
  if (picture.alpha) throw unsupported('pictures with transparency are kept')
  if (picture.width % 2 || picture.height % 2) throw unsupported('pictures of odd size are kept')
  if (picture.width !== stream.width || picture.height !== stream.height) throw unsupported('pictures of another size than the track says')
  if (picture.width * picture.height > MAX_PIXELS) throw overBudget(`pictures of ${picture.width}×${picture.height}`)
}
