import * as DateTime from "effect/DateTime"
import { NANOS } from "./conversions.ts"
import type { CelFunction } from "./operators.ts"
import { CelError, Duration, Timestamp } from "./values.ts"

const DAY_MS = 86_400_000
/** Longer names are not those of zones. */
const MAX_ZONE_LENGTH = 64

/** Returns a part of a time; `nanos` is its fraction of a second. */
type Part = (time: DateTime.DateTime, nanos: bigint) => number

/** Returns a part by Effect's name for it, minus an offset: CEL counts some parts from zero. */
const utc =
  (name: keyof DateTime.DateTime.PartsWithWeekday, less = 0): Part =>
  (time) =>
    DateTime.getPartUtc(time, name) - less

const yearStart = (time: DateTime.DateTime): number =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.toUtc(time), "year"))

/** The parts of a time in a time zone: the time is shifted by the offset, and read as UTC. */
const parts: Readonly<Record<string, Part>> = {
  getDate: utc("day"),
  getDayOfMonth: utc("day", 1),
  getDayOfWeek: utc("weekDay"),
  getDayOfYear: (time) => Math.floor((DateTime.toEpochMillis(time) - yearStart(time)) / DAY_MS),
  getFullYear: utc("year"),
  getHours: utc("hour"),
  getMilliseconds: (_, nanos) => Number(nanos / 1_000_000n),
  getMinutes: utc("minute"),
  getMonth: utc("month", 1),
  getSeconds: utc("second")
}

/** The parts of a duration, each as a total in that unit. */
const durationParts: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => nanos / (3600n * NANOS),
  getMilliseconds: (nanos) => nanos / 1_000_000n,
  getMinutes: (nanos) => nanos / (60n * NANOS),
  getSeconds: (nanos) => nanos / NANOS
}

/** Names of zones that are UTC here. */
const utcNames: ReadonlySet<string> = new Set(["", "Local", "UTC"])

/** Returns the offset from UTC of a zone (`+01:00`, `01:00` or a name) at a time, in milliseconds. */
const offsetOf = (zone: string, at: number): number | CelError => {
  const colon = zone.indexOf(":")
  if (colon >= 0) return fixedOffset(zone, colon)
  if (utcNames.has(zone)) return 0
  return namedOffset(zone, at) ?? new CelError(`unknown time zone ${zone}`)
}

const fixedOffset = (zone: string, colon: number): number | CelError => {
  const parts = [zone.slice(0, colon), zone.slice(colon + 1)]
  const wrong = parts.find((part) => !/^[+-]?\d{1,9}$/.test(part))
  if (wrong !== undefined) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(wrong)}: invalid syntax`)
  const [hours = 0, minutes = 0] = parts.map(Number)
  return (hours * 60 + (zone.startsWith("-") ? -minutes : minutes)) * 60_000
}

/** Returns the offset of a zone by its name; undefined if there is none. */
const namedOffset = (zone: string, at: number): number | undefined => {
  if (zone.length > MAX_ZONE_LENGTH) return undefined
  try {
    const shown = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at)
    const name = shown.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") ?? ""
    const ahead = name === "" ? 0 : fixedOffset(name, name.indexOf(":"))
    return ahead instanceof CelError ? undefined : ahead
  } catch {
    return undefined
  }
}

const partOf =
  (name: string, part: Part): CelFunction =>
  ([value, zone], meter) => {
    if (value instanceof Duration) {
      const whole = zone === undefined ? durationParts[name] : undefined
      return whole?.(value.nanos)
    }
    if (!(value instanceof Timestamp)) return undefined
    const within = ((value.nanos % NANOS) + NANOS) % NANOS
    const at = Number((value.nanos - within) / 1_000_000n)
    if (zone === undefined) return BigInt(part(DateTime.makeUnsafe(at), within))
    if (typeof zone !== "string") return undefined
    // Looking up a zone by name takes some 50 µs.
    meter.spend(500)
    const ahead = offsetOf(zone, at)
    return ahead instanceof CelError ? ahead : BigInt(part(DateTime.makeUnsafe(at + ahead), within))
  }

/** The functions of timestamps and durations. Upstream: cel-go/common/types/{timestamp,duration}.go. */
export const timeFunctions: Readonly<Record<string, CelFunction>> = Object.fromEntries(
  Object.entries(parts).map(([name, part]) => [name, partOf(name, part)])
)
