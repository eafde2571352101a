import { formatDuration } from "@rollcall/api"
import { accept, expected, type Setting, type SettingValues } from "@rollcall/input"
import type { Flag } from "./Flag.ts"

type Value = number | boolean | string | undefined

const PLACEHOLDERS = {
  duration: "duration",
  number: "float",
  integer: "int",
  boolean: undefined,
  text: "string"
} as const

const textOfType = (type: Setting["type"], text: string): unknown => {
  if (type === "number" || type === "integer") return text.trim() === "" ? Number.NaN : Number(text)
  return type === "boolean" ? (text === "true" ? true : text === "false" ? false : text) : text
}

const settingFlag = ({ path, type }: Setting): Flag<Value> => ({
  initial: undefined,
  read: (text) => accept(type, textOfType(type, text)),
  expected: expected[type],
  help: path === undefined ? "as upstream" : `${path} of the configuration file`,
  placeholder: PLACEHOLDERS[type],
  ...(type === "duration"
    ? { format: (value: Value) => (typeof value === "number" ? formatDuration(value) : "") }
    : {}),
  ...(type === "boolean" ? { bare: "true" } : {})
})

/** The flags of a component's settings: the same that a scenario's `flags` take. */
export const settingFlags = (settings: ReadonlyArray<Setting>): Readonly<Record<string, Flag<Value>>> =>
  Object.fromEntries(
    settings.flatMap((setting) => (setting.flag === undefined ? [] : [[setting.flag, settingFlag(setting)]]))
  )

/** What flags say of settings, by the settings' keys; flags that were not given say nothing. */
export const settingsGiven = (
  settings: ReadonlyArray<Setting>,
  values: Readonly<Record<string, unknown>>
): SettingValues => {
  const found: Record<string, number | boolean | string> = {}
  for (const { flag: name, key } of settings) {
    const value = name === undefined ? undefined : values[name]
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") found[key] = value
  }
  return found
}
