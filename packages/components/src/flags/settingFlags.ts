import { type Flag, readBool, readDuration, readFloat, readInt } from "@rollcall/flags"
import { type Setting, type SettingsTable, writtenValue } from "@rollcall/input"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A flag's text as a file would write its value, by what help calls the value; read as Go reads it. */
const written: Readonly<Record<string, (text: string) => Result.Result<unknown, string>>> = {
  bool: readBool,
  int: readInt,
  float: readFloat,
  duration: (text) => Result.map(readDuration(text), () => text)
}

const settingFlag = (one: Setting<unknown>): Flag<unknown> => {
  const { bare, expected, placeholder, schema } = one.type
  const decode = Schema.decodeUnknownResult(schema)
  const ofText = written[placeholder ?? "bool"] ?? Result.succeed
  return {
    initial: undefined,
    help: one.path === undefined ? "as upstream" : `${one.path} of the configuration file`,
    expected,
    read: (text) => Result.flatMap(ofText(text), (value) => Result.mapError(decode(value), () => "value out of range")),
    format: (value) => [String(writtenValue(one, value))],
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(bare === undefined ? {} : { bare })
  }
}

/** The flags of a component's settings: the same that a scenario's `flags` take. One that is not given is undefined. */
export const settingFlags = (table: SettingsTable): Readonly<Record<string, Flag<unknown>>> =>
  Object.fromEntries(
    Object.values(table).flatMap((one) => (one.flag === undefined ? [] : [[one.flag, settingFlag(one)]]))
  )
