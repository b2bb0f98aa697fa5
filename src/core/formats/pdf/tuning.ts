/**
 * Numbers that decide how a PDF is compressed, and how much of it is held. Numbers that the format gives (ISO 32000-2: tags, codes,
 * sizes of entries) stand beside their parser.
 *
 * Sources: "design" is docs/decisions/pdf.md, which has the documents and the figures. "Experiment": set on the project's fixtures and
 * on public PDFs, without a bench on record. "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Pictures: which change is worth it

/** Ratio of sides. A picture is not reduced by less: that blurs more than it saves. Experiment. */
export const SMALLEST_REDUCTION = 1.25
/** Share of the bytes without loss. A lossy result must be smaller than this share. Experiment. */
export const LOSSY_GAIN = 0.92
/** Share of the bytes of quick Deflate. Below it no thorough Deflate is tried, which gains less than the rest. Experiment. */
export const CLEARLY_SMALLER = 0.6
/** Share of the bytes of a fax stream. JBIG2 must be smaller than this share, because every reader reads a fax. Experiment. */
export const FAX_GAIN = 0.95
/** Stored bytes of a picture. Smaller ones are coded without loss only. Experiment. */
export const SMALLEST_LOSSY_BYTES = 1024
/** Pixels. A photograph with fewer has few tones, too, so it is not told from a drawing. Experiment. */
export const ENOUGH_PHOTO_PIXELS = 20_000
/** Pixels on the page. Renderers differ too much in smaller views to compare them. Experiment. */
export const LEAST_VIEW_PIXELS = 1024
/** Bytes. Larger pictures are not tried at gentler levels once a level has a result: that takes as long again. Experiment. */
export const LADDER_BYTES = { reduced: 16 * 1024, coarser: 64 * 1024 }
/** Factors of the resolution that are tried in turn before a picture keeps its size. Experiment. */
export const FINER_REDUCTIONS = [1, 1.6]
/** Large pictures in a row that missed their level when reduced, after which no other is reduced at that resolution. Experiment. */
export const MOST_REFUSALS = 2
/** Share of pixels that equal their neighbour. A picture with more is a drawing. Experiment. */
export const MOST_EQUAL_NEIGHBOURS = 0.35
/** Colours that are counted in a picture. Experiment. */
export const MOST_COLOURS_COUNTED = 2000
/** Factor of the best trial so far. A quick trial that is larger is not finished. Experiment. */
export const CLOSE_TRIAL = 1.1
/** Opacity, of 255. What lies below less is invisible and keeps its samples. Experiment. */
export const HARDLY_SHOWN = 13
/** Opacity, of 255, from which colours are seen well. Experiment. */
export const WELL_SHOWN = 128
/** Levels by which hidden and shown colours of a block must differ for a rim to be seen. Design, "Images". */
export const RIM_LEVELS = 24
/** dB by which the PSNR of colours may be below that of luma. Experiment. */
export const COLOUR_BEHIND_DB = 4
/**
 * Pixels of the largest picture whose chroma is held whole below `high`; a job takes twice the memory with all of it. Design,
 * "Images" (4 megapixels).
 */
export const MOST_WHOLE_CHROMA_PIXELS = 4e6

// Pictures: the search for a quality

/** Lowest JPEG quality that is tried (mozjpeg's scale). Experiment. */
export const LOWEST_QUALITY = 8
/** Highest JPEG quality that is tried (mozjpeg's scale). Experiment. */
export const HIGHEST_QUALITY = 95
/** Pixels of the sample on which the search measures. Experiment. */
export const SAMPLED_PIXELS = 1_000_000
/** The sample has at least one block of pixels in this many. Experiment. */
export const MAX_SAMPLED_EVERY = 16
/** Encodings of one search. Experiment. */
export const MAX_SEARCH_PROBES = 7
/** dB above the target that end the search. Experiment. */
export const CLOSE_ENOUGH_TO_TARGET_DB = 0.12
/** dB that one step of quality is taken for while nothing is known; cautious both ways. Experiment. */
export const SLOPE_DB = { down: 0.13, up: 0.22 }
/** Corrections after the whole picture was measured. Experiment. */
export const MAX_CORRECTIONS = 4
/** Share of an estimated size that the real one is at least, after progressive coding and the last step. Experiment. */
export const MOST_GAINED = 0.75
/** Encodings of one reduced picture; each codes the whole picture. Experiment on scans, whose pages are alike. */
export const MAX_DOWNSAMPLE_PROBES = 4
/** Factor by which the sample of a reduced picture is larger than `SAMPLED_PIXELS`. Experiment on scans. */
export const FINER_SAMPLE = 3
/** JPEG quality from which the first search of a document starts. Experiment. */
export const FIRST_QUALITY_GUESS = 40
/** dB above the target that end the search: tighter for the first picture of a document. Experiment. */
export const CLOSE_ENOUGH_REDUCED_DB = { first: 0.3, later: 0.7 }
/** Points of the score (SSIMULACRA 2.1) that change as much as one dB of PSNR. Experiment. */
export const POINTS_PER_DB = 3
/** CPU seconds of the palette search for one megapixel. Design, "Images": 5 s; a screenshot of 0.7 megapixels took 3.9 s. */
export const SECONDS_PER_MEGAPIXEL = 5.5
/** Pixels of one picture, and of all pictures of a document, that are searched. Design, "Images". */
export const MOST_PALETTE_PIXELS = { ofPicture: 2e6, ofDocument: 3e6 }
/**
 * Pixels of one picture, and of all pictures of a document, that are scored: 0.1 to 0.3 s a megapixel and probe. Design,
 * "Images".
 */
export const MOST_SCORED_PIXELS = { ofPicture: 12e6, ofDocument: 60e6 }
/** Sizes on pages at which one picture is compared. Design, "Images". */
export const MOST_GRIDS = 4
/** Pixels of a size on a page; larger ones are compared at a lower resolution. Design, "Images". */
export const MOST_GRID_PIXELS = 16_000_000
/** dB. Far below every level: verification finds mistakes, encoders keep the levels. Experiment. */
export const LEAST_VERIFIED_PSNR_DB = 24
/** Pixels a side to which verification reduces both pictures. Experiment. */
export const COMPARED_SIDE_PIXELS = 192

// Streams and structure

/** Decoded bytes up to which rows with and without predictor are both deflated at full effort. Experiment. */
export const TRIAL_BYTES = 128 * 1024
/** Decoded bytes up to which the slowest Deflate is tried. Experiment. */
export const THOROUGH_BYTES = 256 * 1024
/** Factor by which quick Deflate (`QUICK_LEVEL`) is larger than the best, at most. Experiment. */
export const QUICK_EXCESS = 1.35
/** Level of libdeflate for a quick trial. Experiment. */
export const QUICK_LEVEL = 4
/** Objects of one object stream. Experiment. */
export const OBJECTS_A_STREAM = 500
/** Decoded bytes of one object stream. Experiment. */
export const NEW_OBJECT_STREAM_BYTES = 128 * 1024
/** Characters. A longer value in a stream's dictionary becomes an object, which is compressed. Experiment. */
export const HOIST_CHARACTERS = 64
/** Share of the file. XMP below it stays uncompressed for tools that search files for it (14.3.2). Experiment. */
export const METADATA_SHARE = 0.01
/** Rounds of the search for equal streams: streams that refer to duplicates may become equal themselves. Experiment. */
export const DUPLICATE_ROUNDS = 4
/** Share of the bytes of the single programs. A merged font must be smaller than this share. Experiment. */
export const MERGED_FONT_SHARE = 0.97
/** Programs of one font that contradict each other and are kept apart. Experiment. */
export const MOST_UNIONS = 8

// What a file may cost

/** Bytes of memory for one object: tables, marks and numbers. Design, "Limits", and docs/contributors/memory.md. */
export const BYTES_AN_OBJECT = 28
/** Share of the memory budget that objects may take; pictures need the rest. Experiment. */
export const OBJECTS_SHARE = 1 / 2
/** Streams that are compared with each other: a table of more costs more than it finds. Limit. */
export const MAX_COMPARED_STREAMS = 200_000
/** Pictures and forms that one content stream draws. Limit. */
export const MAX_DRAWS = 20_000
/** Decoded bytes of all content streams; the lexer reads about 15 MB a second. Limit. */
export const MAX_ALL_CONTENT_BYTES = 400 * 1024 * 1024
/** Places of pictures that are remembered. Limit. */
export const MAX_PLACES = 100_000
/** Bytes. Larger files are read in their own order, in one pass. Design, "Reads". */
export const GATHERED_FROM_BYTES = 4 * 1024 * 1024
/** Bytes of the beginnings of objects that are held; ten thousand pages take 2 MB. Design, "Reads". */
export const MOST_GATHERED_BYTES = 6 * 1024 * 1024
/** Bytes of a result that is held until it is known to fit `target_size`; a larger one is made twice. Limit. */
export const HELD_RESULT_BYTES = 12 * 1024 * 1024
/** Unused objects that are read to be counted for the receipt. Limit. */
export const MOST_UNUSED_READ = 5000
