import { utc, wallClockAt } from "./cron/Zone.ts"

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (value: number): string => String(value).padStart(2, "0")

/** Formats a time in milliseconds as Go's RFC1123Z in UTC: `Thu, 15 Jan 2026 10:00:00 +0000`. */
export const formatRfc1123 = (time: number): string => {
  const { day, hour, minute, month, second, weekday, year } = wallClockAt(utc, time)
  const clock = `${two(hour)}:${two(minute)}:${two(second)}`
  return `${WEEKDAYS[weekday]}, ${two(day)} ${MONTHS[month - 1]} ${year} ${clock} +0000`
}
