/** Sample rates that encoders support. */
import { AAC_RATES } from '../containers/isobmff/aac-rates.ts'

/** Sample rates of MPEG-1, MPEG-2 and MPEG-2.5 Layer III, in Hz. */
const MP3_RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]

/** MP3 sample rate for a source rate: the next higher one, or the highest. 44.1 kHz for multiples of 11025. */
export const mp3Rate = (hertz: number): number => MP3_RATES.find((rate) => rate >= hertz) ?? (hertz % 11025 === 0 ? 44100 : 48000)

/** AAC sample rate for a source rate: the same one, or that of MP3. */
export const aacRate = (hertz: number): number => (hertz >= 8000 && AAC_RATES.includes(hertz) ? hertz : mp3Rate(hertz))
