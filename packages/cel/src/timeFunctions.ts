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

/** The parts of a duration, each as a total in that unit; only milliseconds exclude whole seconds. */
const durationParts: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => nanos / (3600n * NANOS),
  getMilliseconds: (nanos) => (nanos % NANOS) / 1_000_000n,
  getMinutes: (nanos) => nanos / (60n * NANOS),
  getSeconds: (nanos) => nanos / NANOS
}

/**
 * Returns the offset from UTC of a zone (`+01:00`, `01:00` or a name) at a time, in milliseconds; undefined if unknown.
 */
const offset = (zone: string, at: number): number | undefined => {
  const [, sign = "", hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours !== undefined) return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  if (zone.length > MAX_ZONE_LENGTH) return undefined
  try {
    const shown = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at)
    const name = shown.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") ?? ""
    return name === "" ? 0 : offset(name, at)
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
    const ahead = offset(zone, at)
    return ahead === undefined
      ? new CelError(`unknown time zone ${zone}`)
      : BigInt(part(DateTime.makeUnsafe(at + ahead), within))
  }

/** The functions of timestamps and durations. Upstream: cel-go/common/types/{timestamp,duration}.go. */
export const timeFunctions: Readonly<Record<string, CelFunction>> = Object.fromEntries(
  Object.entries(parts).map(([name, part]) => [name, partOf(name, part)])
)
