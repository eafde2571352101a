import { type Given, type InvalidInput, type Place, type SettingsTable, settingsOfFlags } from "@rollcall/input"
import * as Result from "effect/Result"
import { readFlagList } from "./readFlagList.ts"
import { settingFlags } from "./settingFlags.ts"

/** Reads the settings of a component from flags that stand in a file as a list. Adds a warning for each flag without effect. */
export const readSettingFlags = <Table extends SettingsTable>(
  component: string,
  table: Table,
  place: Place,
  words: ReadonlyArray<string>,
  warnings: Array<string>
): Result.Result<Given<Table>, InvalidInput> =>
  Result.map(readFlagList(component, settingFlags(table), place, words), (read) => {
    warnings.push(...read.warnings)
    return settingsOfFlags(table, read.values)
  })
