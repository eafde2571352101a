import { type Setting, type SettingsTable, writtenValue } from "@rollcall/input"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Flag } from "./Flag.ts"

const settingFlag = (one: Setting<unknown>): Flag<unknown> => {
  const { bare, expected, ofText, placeholder, schema } = one.type
  const decode = Schema.decodeUnknownOption(schema)
  return {
    initial: undefined,
    read: (text) => Option.getOrUndefined(decode(ofText(text))),
    expected,
    help: one.path === undefined ? "as upstream" : `${one.path} of the configuration file`,
    placeholder,
    format: (value) => String(writtenValue(one, value)),
    ...(bare === undefined ? {} : { bare })
  }
}

/** The flags of a component's settings: the same that a scenario's `flags` take. One that is not given is undefined. */
export const settingFlags = (table: SettingsTable): Readonly<Record<string, Flag<unknown>>> =>
  Object.fromEntries(
    Object.values(table).flatMap((one) => (one.flag === undefined ? [] : [[one.flag, settingFlag(one)]]))
  )
