import { type Setting, type SettingsTable, writtenValue } from "@rollcall/input"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Flag } from "../Flag.ts"
import { readBool, readDuration, readFloat, readInt } from "../goNumbers.ts"

/** How Go reads the text of a flag, by the placeholder of its type. The result is the value as a configuration file has it. */
const textReaders: Readonly<Record<string, (text: string) => Result.Result<unknown, string>>> = {
  bool: readBool,
  int: readInt,
  float: readFloat,
  duration: (text) => Result.map(readDuration(text), () => text)
}

const settingFlag = (one: Setting<unknown>): Flag<unknown> => {
  const { bare, expected, placeholder, schema } = one.type
  const decode = Schema.decodeUnknownResult(schema)
  const readText = textReaders[placeholder ?? "bool"] ?? Result.succeed
  return {
    initial: undefined,
    help: one.path === undefined ? "as upstream" : `${one.path} of the configuration file`,
    expected,
    read: (text) =>
      Result.flatMap(readText(text), (value) => Result.mapError(decode(value), () => "value out of range")),
    format: (value) => [String(writtenValue(one, value))],
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(bare === undefined ? {} : { bare })
  }
}

/** The flags of a component's settings, by name. The value of a flag that is not given is undefined. */
export const settingFlags = (table: SettingsTable): Readonly<Record<string, Flag<unknown>>> =>
  Object.fromEntries(
    Object.values(table).flatMap((one) => (one.flag === undefined ? [] : [[one.flag, settingFlag(one)]]))
  )
