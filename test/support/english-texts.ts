/** Sets the English texts of messages, which programs load with their codecs. */
import { EN } from '../../src/core/i18n/en.ts'
import { setEnglishTexts } from '../../src/core/i18n/message.ts'

setEnglishTexts(EN)
