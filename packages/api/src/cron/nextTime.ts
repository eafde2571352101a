import type { CronSchedule } from "./CronSchedule.ts"
import { timeOfWallClock, type WallClock, wallClockAt } from "./Zone.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The time that stands for "never": year 1, Go's zero time, in milliseconds since the epoch. */
export const NEVER = -62_135_596_800_000

type Calendar = Extract<CronSchedule, { readonly every: "calendar" }>

const matchesDay = ({ dayOfMonth, dayOfWeek }: Calendar, { day, weekday }: WallClock): boolean => {
  const isDay = dayOfMonth.values.has(day)
  const isWeekday = dayOfWeek.values.has(weekday)
  return dayOfMonth.isStar || dayOfWeek.isStar ? isDay && isWeekday : isDay || isWeekday
}

/**
 * Searches from a second on, one unit after the other from the month down. A unit that wraps around begins the search
 * again from the month.
 */
class Search {
  private readonly schedule: Calendar
  private time: number
  /** Whether a unit was advanced: the smaller ones then begin at zero. */
  private isAdvanced = false

  constructor(schedule: Calendar, after: number) {
    this.schedule = schedule
    this.time = (Math.floor(after / SECOND) + 1) * SECOND
  }

  private get clock(): WallClock {
    return wallClockAt(this.schedule.zone, this.time)
  }

  private at(year: number, month: number, day: number, hour = 0): number {
    return timeOfWallClock(this.schedule.zone, year, month, day, hour)
  }

  /** Advances to the next month that matches; false if the year wrapped around. */
  private findMonth(): boolean {
    for (let clock = this.clock; !this.schedule.month.values.has(clock.month); clock = this.clock) {
      if (!this.isAdvanced) this.time = this.at(clock.year, clock.month, 1)
      this.isAdvanced = true
      const { day, hour, minute, month, second, year } = this.clock
      this.time = timeOfWallClock(this.schedule.zone, year, month + 1, day, hour, minute, second)
      if (this.clock.month === 1) return false
    }
    return true
  }

  private findDay(): boolean {
    for (let clock = this.clock; !matchesDay(this.schedule, clock); clock = this.clock) {
      if (!this.isAdvanced) this.time = this.at(clock.year, clock.month, clock.day)
      this.isAdvanced = true
      const before = this.time
      const { day, hour, minute, month, second, year } = this.clock
      this.time = timeOfWallClock(this.schedule.zone, year, month, day + 1, hour, minute, second)
      // A zone that moved over the date line has left out a day. Upstream's search does not end there.
      if (this.time <= before) this.time = this.at(year, month, day + 2)
      // Where a day begins at one o'clock, or a step ends at eleven, because the clock changed at midnight.
      const shown = this.clock.hour
      if (shown !== 0) this.time += (shown > 12 ? 24 - shown : -shown) * HOUR
      if (this.clock.day === 1) return false
    }
    return true
  }

  private findHour(): boolean {
    for (let clock = this.clock; !this.schedule.hour.values.has(clock.hour); clock = this.clock) {
      if (!this.isAdvanced) this.time = this.at(clock.year, clock.month, clock.day, clock.hour)
      this.isAdvanced = true
      this.time += HOUR
      if (this.clock.hour === 0) return false
    }
    return true
  }

  private findMinute(): boolean {
    for (let clock = this.clock; !this.schedule.minute.values.has(clock.minute); clock = this.clock) {
      if (!this.isAdvanced) this.time = Math.floor(this.time / MINUTE) * MINUTE
      this.isAdvanced = true
      this.time += MINUTE
      if (this.clock.minute === 0) return false
    }
    return true
  }

  private findSecond(): boolean {
    const { second } = this.clock
    if (second === 0) return true
    this.isAdvanced = true
    this.time += (60 - second) * SECOND
    return false
  }

  find(): number {
    // A field such as `,` matches nothing.
    const { hour, minute, month } = this.schedule
    if ([minute, hour, month].some(({ values }) => values.size === 0)) return NEVER
    const lastYear = this.clock.year + 5
    while (this.clock.year <= lastYear) {
      if (this.findMonth() && this.findDay() && this.findHour() && this.findMinute() && this.findSecond()) {
        return this.time
      }
    }
    return NEVER
  }
}

/**
 * Returns the first start after a time, both in milliseconds since the epoch, or `NEVER` if there is none within five
 * years. Upstream: github.com/robfig/cron/v3 spec.go and constantdelay.go.
 */
export const nextTime = (schedule: CronSchedule, after: number): number =>
  schedule.every === "span" ? Math.floor(after / SECOND) * SECOND + schedule.ms : new Search(schedule, after).find()
