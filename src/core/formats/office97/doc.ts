import { DOC } from '../../catalog/formats/office97.ts'
import type { Codec } from '../../model/codec.ts'
import { office97Codec } from './document.ts'

/**
 * Word documents before 2007. Their pictures stay: properties of texts name offsets in the streams with pictures ([MS-DOC] 2.6.1),
 * and not all such properties can be found.
 */
export const doc: Codec = office97Codec(DOC)
