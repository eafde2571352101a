import { formatTime, type Release, sortedEntries } from "@rollcall/api"
import { type Flag, type Flags, type FlagValues, formatValue } from "@rollcall/flags"
import { flagValuesOf, type SettingsTable, type Values, writeConfig } from "@rollcall/input"
import type { Program } from "../flags/Program.ts"
import type { Page, Pages } from "./HealthServer.ts"

const TEXT = "text/plain; charset=utf-8"

/** The heading of text pages. Upstream: staging/src/k8s.io/component-base/zpages. */
const heading = (component: string, page: string): string =>
  `\n${component} ${page}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n\n`

/** Days of the week from Thursday, that of the Unix epoch. */
const WEEKDAYS = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"] as const
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const
const DAY_MS = 86_400_000

/** Formats a time like Go's time.UnixDate: `Fri Sep  6 06:19:51 UTC 2024`. */
const unixDate = (ms: number): string => {
  const [date = "", time = ""] = formatTime(ms).replace("Z", "").split("T")
  const [year, month = "1", day = "1"] = date.split("-")
  const weekday = WEEKDAYS[Math.floor(ms / DAY_MS) % WEEKDAYS.length]
  return `${weekday} ${MONTHS[Number(month) - 1]} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const uptime = (ms: number): string => {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 3600)} hr ${twoDigits(Math.floor(seconds / 60) % 60)} min ${twoDigits(seconds % 60)} sec`
}

/** Returns `/statusz` of a component that has run since `startedMs`. */
export const statusz = (component: string, { name, version }: Release, startedMs: number, nowMs: number): string =>
  `${heading(component, "statusz")}Started: ${unixDate(startedMs)}\nUp: ${uptime(nowMs - startedMs)}\nBinary version: ${version}\nEmulation version: ${name}\n`

const valueText = (flag: Flag<unknown>, value: unknown): string => {
  if (value === undefined) return ""
  return Array.isArray(value) ? `[${value.join(",")}]` : formatValue(flag, value).join(",")
}

/** Returns the flags of a program and their values as texts, in order. */
export const flagTexts = (flags: Flags, values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(sortedEntries(flags).map(([name, flag]) => [name, valueText(flag, values[name])]))

/** Returns `/flagz` of a component. */
export const flagz = (component: string, flags: Flags, values: Readonly<Record<string, unknown>>): string =>
  heading(component, "flagz") +
  Object.entries(flagTexts(flags, values))
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

/** Internal field names of upstream that differ from the file's field names in more than the first capital. */
const fieldNames: Readonly<Record<string, string>> = { cidrAllocatorType: "CIDRAllocatorType", qps: "QPS" }

const fieldName = (text: string): string => fieldNames[text] ?? text.charAt(0).toUpperCase() + text.slice(1)

export interface PagesOptions<T extends Flags, Table extends SettingsTable> {
  readonly program: Program<T>
  readonly values: FlagValues<T>
  readonly release: Release
  readonly now: () => number
  /** The name of its configuration, such as `kubecontrollermanager.config.k8s.io`. */
  readonly configName: string
  readonly settings: Table
  /** The settings in effect. */
  readonly inEffect: Values<Table>
}

/**
 * The pages `/configz`, `/statusz` and `/flagz` of a component. `/configz` shows the configuration in effect, by the
 * fields of upstream's internal type, as far as they have an effect here. Upstream:
 * staging/src/k8s.io/component-base/configz.
 */
export const componentPages = <T extends Flags, Table extends SettingsTable>(
  options: PagesOptions<T, Table>
): Pages => {
  const { configName, inEffect, now, release, settings } = options
  const { flags, name } = options.program
  const values = { ...options.values, ...flagValuesOf(settings, inEffect) }
  const startedMs = now()
  const text = (body: string): Page => ({ type: TEXT, body })
  return {
    "/statusz": () => text(statusz(name, release, startedMs, now())),
    "/flagz": () => text(flagz(name, flags, values)),
    "/configz": () => ({
      type: "application/json",
      body: `${JSON.stringify({ [configName]: writeConfig(settings, inEffect, fieldName) })}\n`
    })
  }
}
