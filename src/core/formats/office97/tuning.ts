/**
 * Numbers that decide how binary Office documents (DOC, XLS, PPT) are compressed.
 *
 * Each constant gives its source. "Limits memory": it must fit in one job beside the codecs. "Limits the cost of hostile files": no real
 * file comes near it.
 */

/** Bytes of the stream that names the pictures. A document with a larger one stays unchanged. Limits memory. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
/**
 * Copies of that stream that are in memory at the same time. Workbooks have their pictures in it, so both files are compared by stream
 * and by table of pictures.
 */
export const COPIES = { ppt: 4, xls: 5 }
/** Records of one stream. Limits the cost of hostile files. */
export const MAX_RECORDS = 2_000_000
/** Saved versions of one presentation. Limits the cost of hostile files. */
export const MAX_EDITS = 10_000
/** Records inside each other. Limits the cost of hostile files. */
export const MAX_DEPTH = 64
/** Pictures of one document. Limits memory. */
export const MAX_PICTURES = 20_000
/** Bytes of the largest metafile after decompression. Limits memory. */
export const MAX_METAFILE_BYTES = 24 * 1024 * 1024
/** Smallest part of a picture that a crop leaves. Of a smaller part, the displayed size of the whole is not known well. */
export const MIN_SHOWN_SHARE = 0.05
