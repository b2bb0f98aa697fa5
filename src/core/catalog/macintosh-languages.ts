/** Languages of Macintosh language codes 0 to 94 and 128 to 138 (QuickTime File Format, "Language Code Values"), as ISO 639-2. */
const CODES = `eng fra ger ita dut swe spa dan por nor heb jpn ara fin gre ice mlt tur hrv chi urd hin tha kor lit pol hun est lav
smi fao per rus chi dut gle alb rum cze slo slv yid srp mac bul ukr bel uzb kaz aze aze arm geo mol kir tgk tuk mon mon pus kur kas snd
tib nep san mar ben asm guj pan ori mal kan tam tel sin bur khm lao vie ind tgl may may amh tir orm som swa kin run nya mlg epo`.split(
  /\s+/,
)
const LATER = 'wel baq cat lat que grn aym tat uig dzo jav'.split(' ')
const FIRST_LATER = 128

/** Language of a Macintosh code. `undefined`: there is none. */
export const macintoshLanguage = (code: number): string | undefined => CODES[code] ?? LATER[code - FIRST_LATER]
