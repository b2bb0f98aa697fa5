/** Languages of Macintosh language codes 0 to 94 and 128 to 138 (QuickTime File Format, "Language Code Values"), as ISO 639-2. */
const MACINTOSH = `eng fra ger ita dut swe spa dan por nor heb jpn ara fin gre ice mlt tur hrv chi urd hin tha kor lit pol hun est lav
smi fao per rus chi dut gle alb rum cze slo slv yid srp mac bul ukr bel uzb kaz aze aze arm geo mol kir tgk tuk mon mon pus kur kas snd
tib nep san mar ben asm guj pan ori mal kan tam tel sin bur khm lao vie ind tgl may may amh tir orm som swa kin run nya mlg epo`.split(
  /\s+/,
)
const LATER = 'wel baq cat lat que grn aym tat uig dzo jav'.split(' ')
const FIRST_LATER = 128
/** Codes from here on hold three letters of five bits each (ISO/IEC 14496-12, 8.4.2). */
const FIRST_PACKED = 0x400
const UNSPECIFIED = 0x7fff

/** Returns the language of an `mdhd` box. `undefined`: none, or undetermined. */
export function languageOf(code: number): string | undefined {
  if (code < FIRST_PACKED) return MACINTOSH[code] ?? LATER[code - FIRST_LATER]
  if (code === UNSPECIFIED) return undefined
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(0x60 + ((code >> shift) & 31))).join('')
  return letters === 'und' ? undefined : letters
}
