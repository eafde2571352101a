import * as Result from "effect/Result"
import { durationFault, parseDuration } from "../Duration.ts"
import { type Bounds, type Field, parseField } from "./field.ts"
import { utc, type Zone, zoneFault, zoneOf } from "./Zone.ts"

/** When a CronJob starts: at times of the calendar, or each time a span has passed. */
export type CronSchedule =
  | {
      readonly every: "calendar"
      readonly zone: Zone
      readonly minute: Field
      readonly hour: Field
      readonly dayOfMonth: Field
      readonly month: Field
      readonly dayOfWeek: Field
    }
  | {
      readonly every: "span"
      /** Whole seconds, in milliseconds, and at least one. */
      readonly ms: number
    }

const namesFrom = (first: number, names: string): Readonly<Record<string, number>> =>
  Object.fromEntries(names.split(" ").map((name, index) => [name, first + index]))

const MINUTE: Bounds = { min: 0, max: 59 }
const HOUR: Bounds = { min: 0, max: 23 }
const DAY_OF_MONTH: Bounds = { min: 1, max: 31 }
const MONTH: Bounds = { min: 1, max: 12, names: namesFrom(1, "jan feb mar apr may jun jul aug sep oct nov dec") }
const DAY_OF_WEEK: Bounds = { min: 0, max: 6, names: namesFrom(0, "sun mon tue wed thu fri sat") }

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
}

const EVERY = "@every "

type Parsed = Result.Result<CronSchedule, string>

const parseSpan = (descriptor: string): Parsed => {
  const text = descriptor.slice(EVERY.length)
  const ms = parseDuration(text)
  if (Number.isNaN(ms)) return Result.fail(`failed to parse duration ${descriptor}: ${durationFault(text)}`)
  return Result.succeed({ every: "span", ms: Math.max(1, Math.floor(ms / 1000)) * 1000 })
}

const parseFields = (text: string, zone: Zone): Parsed => {
  const fields = text.split(/[\s\u0085]+/).filter((field) => field !== "")
  if (fields.length !== 5) {
    return Result.fail(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`)
  }
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = fields
  return Result.map(
    Result.all({
      minute: parseField(minute, MINUTE),
      hour: parseField(hour, HOUR),
      dayOfMonth: parseField(dayOfMonth, DAY_OF_MONTH),
      month: parseField(month, MONTH),
      dayOfWeek: parseField(dayOfWeek, DAY_OF_WEEK)
    }),
    (parsed) => ({ every: "calendar", zone, ...parsed }) as const
  )
}

const parseIn = (text: string, zone: Zone): Parsed => {
  if (!text.startsWith("@")) return parseFields(text, zone)
  const fields = DESCRIPTORS[text]
  if (fields !== undefined) return parseFields(fields, zone)
  return text.startsWith(EVERY) ? parseSpan(text) : Result.fail(`unrecognized descriptor: ${text}`)
}

/**
 * Parses the schedule of a CronJob: five fields, or a descriptor such as `@daily` or `@every 1h30m`, after an optional
 * `TZ=` or `CRON_TZ=`. Without a zone the schedule is one of UTC. Fails with upstream's text.
 * Upstream: pkg/util/parsers, github.com/robfig/cron/v3 parser.go.
 */
export const parseCronSchedule = (text: string): Parsed => {
  if (text === "") return Result.fail("empty spec string")
  if (!/^(CRON_)?TZ=/.test(text)) return parseIn(text, utc)
  const end = text.indexOf(" ")
  // The parser of Go panics here, and the error is the panic's.
  if (end < 0) return Result.fail("invalid schedule format: runtime error: slice bounds out of range [:-1]")
  const name = text.slice(text.indexOf("=") + 1, end)
  const zone = zoneOf(name)
  return zone === undefined
    ? Result.fail(`provided bad location ${name}: ${zoneFault(name)}`)
    : parseIn(text.slice(end).trim(), zone)
}
