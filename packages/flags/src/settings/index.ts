/** The flags of components' settings (`SettingsTable` of @rollcall/input), on a command line or listed in a file. */

export { type FlagList, readFlagList } from "./readFlagList.ts"
export { readSettingFlags } from "./readSettingFlags.ts"
export { settingFlags } from "./settingFlags.ts"
