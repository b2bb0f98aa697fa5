/** AAC sampling frequencies in Hz, by index (ISO/IEC 14496-3, table 1.18). */
export const AAC_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
