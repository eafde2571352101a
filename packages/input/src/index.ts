/** Reads what users write in files, flags and settings, and describes errors in it. */

export { checkLeniently, checkStrictly, type Lenient, problemsOf, type UnknownField } from "./decode.ts"
export { isDurationText } from "./duration.ts"
export { Count, Duration, Fields, SelectorText, Share, SignedDuration, TextMap, Texts } from "./fields.ts"
export { ListenFailed, type ListenFlagNames, listenFailed } from "./listenFailed.ts"
export {
  didYouMean,
  InvalidInput,
  invalid,
  invalidCommandLine,
  isInvalidInput,
  nearest,
  type Problem,
  problemAt,
  type Wrong
} from "./Problem.ts"
export { isQuantity, Quantity } from "./quantity.ts"
export { releaseOfName } from "./release.ts"
export { readSelector } from "./selectors.ts"
export { type Place, readConfig, settingsOfFlags, withoutFlags } from "./settings/readSettings.ts"
export {
  type Given,
  type InEffect,
  pickSettings,
  type Setting,
  type SettingNames,
  type SettingsTable,
  setting,
  settingsInEffect,
  type Values
} from "./settings/Setting.ts"
export {
  booleanValue,
  durationValue,
  integerValue,
  numberValue,
  textValue,
  type ValueType
} from "./settings/ValueType.ts"
export { flagValuesOf, writeConfig, writtenValue } from "./settings/writeSettings.ts"
export { show } from "./show.ts"
export {
  missing,
  unknownAmong,
  unknownField,
  unknownName,
  wrongChoice,
  wrongValue
} from "./wrong.ts"
