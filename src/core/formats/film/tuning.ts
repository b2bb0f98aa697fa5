/**
 * Numbers that decide how a film is cut, encoded and verified. Numbers that a standard gives (ISO/IEC 14496, Rec. ITU-T H.264 and
 * H.265) stand beside their parser or writer; what a level asks of pictures is in `catalog/levels.ts`.
 *
 * Sources: "design" is docs/decisions/films.md, which has the films and the figures. "Experiment": set on the project's fixtures and on
 * public films, without a bench on record. "Limit": no fixture comes near it; it bounds what a file can cost.
 */

// One message and its parts

/**
 * CPU seconds up to which one message does the whole film: a message has 300, and pictures that need a second try take twice as
 * long. Design, "What a film costs".
 */
export const WHOLE_CPU_SECONDS = 90
/** Bytes of a source up to which one message does the whole film: its parts lie in memory. Design, "What a film costs". */
export const WHOLE_BYTES = 8 * 1024 * 1024
/** CPU seconds of one part of pictures. Design, "What a film costs": ten seconds of 1080p take 20 to 45. */
export const PART_CPU_SECONDS = 40
/** Seconds of sound that one message encodes. Limit. */
export const MAX_SOUND_SECONDS = 4000
/** CPU seconds for one second of sound, which is decoded, encoded and decoded again. Experiment. */
export const SOUND_CPU_PER_SECOND = 0.04
/** Seconds of sound of an AVI in one message. Experiment. */
export const SOUND_PART_SECONDS = 1200
/** Source bytes of one part. Limit. */
export const MAX_PART_BYTES = 16 * 1024 * 1024
/** Places by which frames are moved on average; a table that moves them further is sorted in another way. Limit. */
export const MOST_REORDERED_FRAMES = 64
/** Pixels encoded between two pauses for other jobs, about 0.1 s. Experiment. */
export const ENCODED_PIXELS_A_BREATH = 1_000_000
/** Pixels decoded on both sides between two pauses for other jobs, about 0.1 s. Experiment. */
export const COMPARED_PIXELS_A_BREATH = 5_000_000
/** Samples of sound between two pauses for other jobs, about 0.1 s. Experiment. */
export const SOUND_SAMPLES_A_BREATH = 1 << 18

// What is worth encoding again

/** Bits a pixel of H.264, by level. A film with fewer is kept. Experiment. */
export const LEAN_BITS = { low: 0.016, medium: 0.025, high: 0.045, ultra: 0.016 } as const
/** Factor of `LEAN_BITS` for newer coders. Experiment. */
export const LEANER_DECODERS: { readonly [decoder: string]: number | undefined } = { hevc: 0.6, vp9: 0.6, av1: 0.45 }
/** Share of the file. Packets of sound are encoded again only if that saves more. Experiment. */
export const LEAST_SOUND_GAIN = 0.01
/** Share of the bytes of the old track. A new one must be smaller than this share. Experiment. */
export const WORTH_IT = 0.97
/** Once parts with this share of the pictures have grown by this factor, the rest is not encoded. Design, "What a film costs". */
export const TELLING = { share: 0.2, growth: 1.1 }
/** Share of the upload. Where the pictures are kept, a result above this share is no result. Experiment. */
export const TRIFLE = 0.999
/** Seconds of the runs in which tracks take turns. Experiment. */
export const CHUNK_SECONDS = 0.75

// Rate factors

/** SSIM of the worst second and of the worst 1 % of frames: the floor (0.90) and a margin for measuring again. Experiment. */
export const WORST_SSIM = 0.905
/** PSNR, as `WORST_SSIM`: the floor (30 dB) and a margin. Experiment. */
export const WORST_PSNR_DB = 30.3
/** Lowest rate factor of x264. Experiment. */
export const MIN_CRF = 14
/** Steps of the rate factor after a part missed its level. Experiment. */
export const CRF_STEP = 4
/** Steps of the rate factor after a near miss. Experiment. */
export const SMALL_CRF_STEP = 2
/** SSIM and dB that one step of the rate factor brings at least. Design, "Beside the press". */
export const CRF_STEP_WORTH = { ssim: 0.003, psnrDb: 0.35 }
/** Steps of the rate factor that a greater `ipratio` would cost on still pictures: 6 · log2(3 / 2). Design, "Settings". */
export const STILL_CRF = 3.5
/** Pixels of all frames that x264 looks ahead: 40 MB. Design, "Settings". */
export const AHEAD_PIXELS = 1024 * 576 * 20
/** Pixels of a frame up to which memory has room for a third reference. Design, "Settings". */
export const ROOMY_PIXELS = 1024 * 576
/** Steps from the factor of x264 to that of x265 at the same PSNR. Experiment. */
export const X265_CRF = 1
/** Encodings of a part's sample. Design, "Beside the press". */
export const MOST_TRIALS = 4
/** Steps of the rate factor below which no better one is sought: about 5 % of the bytes. Experiment. */
export const NEAR_CRF = 0.75
/** Steps of the rate factor at once: figures are not straight lines. Experiment. */
export const MOST_CRF_STEP = 6
/** Share of a part's frames on which its factor is found. Design, "Beside the press". */
export const SAMPLE_SHARE = 1 / 6
/** Frames of a sample: fewer would be mostly the first frame of a group, which is finer. Experiment. */
export const LEAST_SAMPLE_FRAMES = 24

// Still and smooth scenes

/** Seconds between the two pictures that are compared. Experiment. */
export const APART_SECONDS = 0.8
/** Levels by which the mean of a square may differ in a still picture. Experiment. */
export const SAME_LEVELS = 2
/** Share of squares that must be still. Design, "Settings" (85 %). */
export const STILL_SHARE = 0.85
/** Pictures of a part that are measured. Experiment. */
export const MOST_SAMPLED_PICTURES = 4
/**
 * Share of squares that are smooth from which a part is coded with more care. Design, "Settings" (screens and grain: 0.01 to
 * 0.33).
 */
export const SMOOTH_SHARE = 0.35
/** Share of squares of all that was measured from which there is little else to spend bits on. Design, "Settings" (0.6). */
export const MOSTLY_SHARE = 0.6
/** Variance of a square's samples about its slope, in levels²: more grain hides steps. Experiment. */
export const MOST_SLOPE_VARIANCE = 9

// Verification

/** Pixels of both films that are decoded and compared: 30 CPU seconds. Experiment. */
export const COMPARED_PIXELS = 3e9
/** dB below which no stretch of a film that keeps the floors is, even if it shows parts of two bad seconds. Experiment. */
export const MIN_PSNR_DB = 28
/** Pixels of a long film that are decoded to see that they can be: the beginning of every part. Experiment. */
export const DECODED_PIXELS = 1.2e9
/** Stretches of pictures that are compared. Experiment. */
export const MAX_PICTURE_STRETCHES = 400
/** Stretches of sound that are compared; up to a minute all of it is. Design, "thirty stretches of two seconds". */
export const MAX_SOUND_STRETCHES = 30
/** dB by which a whole sound may be below the receipt. Experiment. */
export const SNR_TOLERANCE_DB = 1
/** Mean square below which a stretch says nothing: −60 dB. Experiment. */
export const SILENCE_LEVEL = 1e-6
/** Hertz. Encoders add noise above; below, more noise than sound means other sound. Experiment. */
export const LOW_HERTZ = 4000
/** Noise below `LOW_HERTZ`, as a factor of the sound. Experiment. */
export const MOST_LOW_NOISE = 1.5
/** Seconds that new sound may be longer: the encoder's run-up and the rest of its last packet. Experiment. */
export const MAX_SOUND_DRIFT = 0.5
/** Frames a second whose SSIM is measured; each takes as long as decoding it. Design, "six frames a second". */
export const SAMPLES_A_SECOND = 6
