import { type CivilDate, civilOf, daysFromCivil } from "../civil.ts"

/** The parts of a time as a clock in a zone shows it. */
export interface WallClock extends CivilDate {
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 is Sunday. */
  readonly weekday: number
}

/** A time zone. Times are milliseconds since the epoch. */
export interface Zone {
  readonly name: string
  /** What is added to UTC to get the zone's clock, in milliseconds. */
  readonly offsetAt: (time: number) => number
}

export const utc: Zone = { name: "UTC", offsetAt: () => 0 }

const DAY = 86_400_000

/** Returns the milliseconds of a date in UTC; parts may overflow, as in Go's time.Date. */
const utcTime = (year: number, month: number, day: number, hour: number, minute: number, second: number): number =>
  daysFromCivil(year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * 1000

const offsetsOf = (name: string): ((time: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
    const year = parts.get("era") === "BC" ? 1 - part("year") : part("year")
    const shown = utcTime(year, part("month"), part("day"), part("hour"), part("minute"), part("second"))
    return shown - Math.floor(time / 1000) * 1000
  }
}

const zones = new Map<string, Zone | undefined>()

/** How many zones are remembered: the IANA database has about 600 names, and a user may try any other text. */
const REMEMBERED = 1000

/** The names are those of files, so case counts; `Intl` accepts any case and, since lately, offsets. */
const makeZone = (name: string): Zone | undefined => {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions()
    const isMisspelled = timeZone !== name && timeZone.toLowerCase() === name.toLowerCase()
    return isMisspelled ? undefined : { name, offsetAt: offsetsOf(name) }
  } catch {
    return undefined
  }
}

/** Returns the zone with the IANA name; undefined if there is none. The empty name is UTC. Upstream: Go's time.LoadLocation. */
export const zoneOf = (name: string): Zone | undefined => {
  if (name === "" || name === "UTC" || name === "Local") return utc
  if (!zones.has(name)) {
    if (zones.size >= REMEMBERED) zones.clear()
    zones.set(name, makeZone(name))
  }
  return zones.get(name)
}

/** Why `zoneOf` knows no such zone. Upstream: Go's time.LoadLocation. */
export const zoneFault = (name: string): string =>
  name.includes("..") || /^[/\\]/.test(name) ? "time: invalid location name" : `unknown time zone ${name}`

/** Returns what a clock in the zone shows. */
export const wallClockAt = (zone: Zone, time: number): WallClock => {
  const shown = time + zone.offsetAt(time)
  const days = Math.floor(shown / DAY)
  const second = Math.floor((shown - days * DAY) / 1000)
  return {
    ...civilOf(days),
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    // 1970-01-01 was a Thursday.
    weekday: (((days + 4) % 7) + 7) % 7
  }
}

/**
 * Returns the time at which a clock in the zone shows this. In the gap of a spring and in the repeat of an autumn it is
 * the time that Go's time.Date returns.
 */
export const timeOfWallClock = (
  zone: Zone,
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0
): number => {
  const time = utcTime(year, month, day, hour, minute, second)
  const offset = zone.offsetAt(time)
  return offset === 0 ? time : time - zone.offsetAt(time - offset)
}
