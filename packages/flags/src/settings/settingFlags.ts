import { type Setting, type SettingsTable, writtenValue } from "@rollcall/input"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Flag } from "../Flag.ts"
import { readBool, readDuration, readFloat, readInt } from "../goNumbers.ts"

/**
 * Reads the text of a flag like Go, by the placeholder of its type. The result is the value as a configuration file has
 * it.
 */
const textReaders: Readonly<Record<string, (text: string) => Result.Result<unknown, string>>> = {
  bool: readBool,
  int: readInt,
  float: readFloat,
  duration: (text) => Result.map(readDuration(text), () => text)
}

const settingFlag = (setting: Setting<unknown>): Flag<unknown> => {
  const { bare, expected, placeholder, schema } = setting.type
  const decode = Schema.decodeUnknownResult(schema)
  const readText = textReaders[placeholder ?? "bool"] ?? Result.succeed
  return {
    initial: undefined,
    help: setting.path === undefined ? "as upstream" : `${setting.path} of the configuration file`,
    expected,
    read: (text) =>
      Result.flatMap(readText(text), (value) => Result.mapError(decode(value), () => "value out of range")),
    format: (value) => [String(writtenValue(setting, value))],
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(bare === undefined ? {} : { bare })
  }
}

/** The flags of a component's settings, by name. The value of a flag that is not given is undefined. */
export const settingFlags = (table: SettingsTable): Readonly<Record<string, Flag<unknown>>> =>
  Object.fromEntries(
    Object.values(table).flatMap((setting) =>
      setting.flag === undefined ? [] : [[setting.flag, settingFlag(setting)]]
    )
  )
