/** Floors under every perceptual result. */
export const FLOOR_SSIM = 0.9
export const FLOOR_PSNR_DB = 30
/** Floor under perceptual sound: what a transparent MP3 leaves of noisy music's waveform is not far above it. */
export const FLOOR_SNR_DB = 6
