/**
 * Tuning constants of the film codecs: how a film is cut, encoded and verified. Constants of a standard (ISO/IEC 14496, Rec. ITU-T H.264,
 * H.265) are beside their parser or writer. Quality targets are in `catalog/levels.ts`.
 *
 * Sources: "Set by experiment": measured on the project's fixtures and on public films, without a
 * recorded bench. "Safety limit": a bound on cost that no fixture comes near.
 */

// Constants for queue messages and parts

/**
 * Most CPU seconds for a film that one message encodes. A message may use 300; pictures that need a second try take twice as long.
 * films.md.
 */
export const WHOLE_CPU_SECONDS = 90
/** Most source bytes for a film that one message encodes, because its parts are in memory. Source: docs/decisions/films.md. */
export const WHOLE_BYTES = 8 * 1024 * 1024
/** Target CPU seconds of one picture part. Ten seconds of 1080p take 20 to 45. Source: docs/decisions/films.md. */
export const PART_CPU_SECONDS = 40
/** Most seconds of sound that one message encodes. Safety limit. */
export const MAX_SOUND_SECONDS = 4000
/** CPU seconds per second of sound, which is decoded, encoded and decoded again. Set by experiment. */
export const SOUND_CPU_PER_SECOND = 0.04
/** Seconds of AVI sound per message. Set by experiment. */
export const SOUND_PART_SECONDS = 1200
/** Most source bytes of one picture part. Safety limit. */
export const MAX_PART_BYTES = 16 * 1024 * 1024
/**
 * Average displacement of frames, in positions, up to which insertion sort orders them. Beyond it, the built-in sort is used. Safety
 * limit.
 */
export const MOST_REORDERED_FRAMES = 64
/** Pixels to encode between two pauses for other jobs: about 0.1 s. Set by experiment. */
export const ENCODED_PIXELS_PER_YIELD = 1_000_000
/** Pixels of both films to decode between two pauses for other jobs: about 0.1 s. Set by experiment. */
export const COMPARED_PIXELS_PER_YIELD = 5_000_000
/** Samples of sound to encode between two pauses for other jobs: about 0.1 s. Set by experiment. */
export const SOUND_SAMPLES_PER_YIELD = 1 << 18

// Constants that decide when a track is worth encoding

/** Bits per pixel of H.264 below which pictures are copied, by quality level. Set by experiment. */
export const LEAN_BITS_PER_PIXEL = { low: 0.016, medium: 0.025, high: 0.045, ultra: 0.016 } as const
/** Factor on `LEAN_BITS_PER_PIXEL` for more efficient codecs. Set by experiment. */
export const LEAN_BITS_FACTORS: { readonly [decoder: string]: number | undefined } = { hevc: 0.6, vp9: 0.6, av1: 0.45 }
/** Least share of the file that encoding compressed sound again must save. Set by experiment. */
export const LEAST_SOUND_GAIN = 0.01
/** Largest size of a new track, as a share of the old track's bytes. Set by experiment. */
export const MAX_TRACK_SHARE = 0.97
/**
 * Early stop: once parts with `share` of the pictures' bytes have grown by more than factor `growth`, the remaining pictures are copied.
 * films.md.
 */
export const EARLY_STOP = { share: 0.2, growth: 1.1 }
/**
 * Largest size of a result whose pictures are copied, as a share of the upload. Above it, the upload is returned unchanged. Set by
 * experiment.
 */
export const MAX_RESULT_SHARE = 0.999
/** Seconds of each track's chunks when tracks are interleaved. Set by experiment. */
export const CHUNK_SECONDS = 0.75

// Constants for the rate factor of x264

/**
 * Lowest SSIM of the worst second and of the worst 1 % of frames: the floor (0.90) plus a margin for measuring again. Set by experiment.
 */
export const WORST_SSIM = 0.905
/**
 * Lowest PSNR of the worst second and of the worst 1 % of frames, in dB: the floor (30) plus a margin for measuring again. Set by
 * experiment.
 */
export const WORST_PSNR_DB = 30.3
/** Lowest rate factor of x264 that is tried. Set by experiment. */
export const MIN_CRF = 14
/** Decrease of the rate factor after a part missed its level. Set by experiment. */
export const CRF_STEP = 4
/** Decrease of the rate factor after a part missed its level by at most this many steps. Set by experiment. */
export const SMALL_CRF_STEP = 2
/** Least gain in SSIM and in dB from lowering the rate factor by 1. Set by experiment. */
export const CRF_STEP_GAIN = { ssim: 0.003, psnrDb: 0.35 }
/**
 * Increase of the rate factor for static scenes, which balances their higher `ipratio`: 6 · log2(3 / 2). Source: docs/decisions/films.md.
 */
export const STATIC_SCENE_CRF = 3.5
/** Most pixels of all lookahead frames of x264: 40 MB. Set by experiment. */
export const LOOKAHEAD_PIXELS = 1024 * 576 * 20
/** Most pixels of a frame for which memory allows a third reference frame. Set by experiment. */
export const THREE_REFERENCES_PIXELS = 1024 * 576
/** Increase from x264's rate factor to x265's at the same PSNR. Set by experiment. */
export const X265_CRF = 1
/** Most trial encodings of a part's sample. Set by experiment. */
export const MOST_TRIALS = 4
/** The search stops once the rate factor is known to this precision: about 5 % of the bytes. Set by experiment. */
export const CRF_PRECISION = 0.75
/** Largest decrease of the rate factor at once, because quality is not linear in it. Set by experiment. */
export const MOST_CRF_STEP = 6
/** Share of a part's frames in the sample on which the rate factor is searched. Set by experiment. */
export const SAMPLE_SHARE = 1 / 6
/** Fewest frames of a sample. In a shorter one, the first frame of a group, which is finer, would dominate. Set by experiment. */
export const LEAST_SAMPLE_FRAMES = 24

// Constants for static and smooth scenes

/** Seconds between the two pictures that are compared to detect a static scene. Set by experiment. */
export const STATIC_GAP_SECONDS = 0.8
/** Largest difference of a square's mean in a static scene, in levels of 255. Set by experiment. */
export const SAME_LEVELS = 2
/** Least share of unchanged squares in a static scene. Set by experiment. */
export const STATIC_SQUARES_SHARE = 0.85
/** Most pictures of a part that are measured for smooth gradients. Set by experiment. */
export const MOST_SAMPLED_PICTURES = 4
/**
 * Least share of smooth squares in a picture for the encoder options for gradients. Screen recordings and grain have 0.01 to 0.33.
 * Set by experiment.
 */
export const SMOOTH_SHARE = 0.35
/** Least share of smooth squares in all measured pictures together for the stronger encoder options for gradients. Set by experiment. */
export const MOSTLY_SMOOTH_SHARE = 0.6
/** Largest noise variance of a smooth square, in levels². More grain hides banding. Set by experiment. */
export const MOST_SLOPE_VARIANCE = 9

// Constants for the verification of films

/** Most pixels of both films that are compared: 30 CPU seconds. Source: docs/decisions/films.md. */
export const COMPARED_PIXELS = 3e9
/**
 * Lowest PSNR of any stretch, in dB. A film above the floors stays above it, even if a stretch touches two bad seconds. Set by experiment.
 */
export const MIN_PSNR_DB = 28
/** Most pixels of a long film that are decoded as a check, from the beginning of every part on. Set by experiment. */
export const DECODED_PIXELS = 1.2e9
/** Most stretches of pictures that are decoded as a check. Set by experiment. */
export const MAX_PICTURE_STRETCHES = 400
/** Most stretches of sound that are compared, each two seconds long. Sound up to one minute is compared in full. Set by experiment. */
export const MAX_SOUND_STRETCHES = 30
/** Allowed deficit of a whole sound track against the receipt, in dB. Set by experiment. */
export const SNR_TOLERANCE_DB = 1
/** Mean square below which a stretch counts as silence: −60 dB. Set by experiment. */
export const SILENCE_LEVEL = 1e-6
/** Frequency in Hz above which encoders add noise. Below it, more noise than sound means a different sound. Set by experiment. */
export const LOW_HERTZ = 4000
/** Most noise below `LOW_HERTZ`, as a factor of the sound's energy. Set by experiment. */
export const MOST_LOW_NOISE = 1.5
/** Seconds by which new sound may be longer: the encoder delay and the padding of its last packet. Set by experiment. */
export const MAX_SOUND_DRIFT = 0.5
/** Frames per second whose SSIM is measured. Measuring a frame takes as long as decoding it. Set by experiment. */
export const SSIM_FRAMES_PER_SECOND = 6
