/** Quality floors of every lossy picture: mean SSIM and PSNR of luma. */
export const FLOOR_SSIM = 0.9
export const FLOOR_PSNR_DB = 30
/** Quality floor of lossy sound: signal-to-noise ratio in dB. A transparent MP3 of noisy music is only slightly better. */
export const FLOOR_SNR_DB = 6
