/** Sound of a file that becomes another format, and the metadata that goes with it. */
import type { Chapter, Cover, Tag } from '../containers/sound-tags.ts'
import type { Options } from '../model/codec.ts'

export interface DecodedSound {
  readonly hertz: number
  readonly channels: number
  /** Number of samples of each channel that players play. */
  readonly frames: number
  readonly tags: readonly Tag[]
  readonly covers: readonly Cover[]
  /** In the order of their times. */
  readonly chapters: readonly Chapter[]
  /**
   * Yields `frames` planar samples, −1…1, with channels in the order of WAVE. Each block belongs to the caller. Can be called several
   * times.
   * @throws CodecError (malformed) if the sound is damaged
   */
  samples(options: Options): AsyncGenerator<Float32Array[]>
}

/** Bytes of tags and covers, without the overhead of containers. */
export const tagBytes = ({ tags, covers }: Pick<DecodedSound, 'tags' | 'covers'>): number =>
  tags.reduce((sum, [name, value]) => sum + name.length + 4 * value.length, 0) + covers.reduce((sum, { data }) => sum + data.length, 0)
