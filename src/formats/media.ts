/** The codecs of `whittle-media`. A room's line is its membership. */
import type { Codec } from '../codec/codec.ts'
import { avi } from './film/avi/avi.ts'
import type { FormatId } from './format.ts'
import { mov } from './mov/mov.ts'
import { mp3 } from './mp3/mp3.ts'
import { mp4 } from './mp4/mp4.ts'
import { wav } from './wav/wav.ts'

export const MEDIA_CODECS: { readonly [Id in FormatId]?: Codec } = { avi, mov, mp3, mp4, wav }
