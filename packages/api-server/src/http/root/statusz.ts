import { formatTime } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import { sendStatus, sendText } from "../call/respond.ts"
import { acceptsOneOf, JSON_TYPE, noAcceptedType, YAML_TYPE } from "../request/mediaTypes.ts"
import type { VersionInfo } from "./version.ts"

const TEXT = "text/plain"
const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only."
const PATHS = ["/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"]

/** Separators between names and values: the page varies them, so that nothing parses it. */
const SEPARATORS = [":", "="]

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

const DAY_MS = 24 * HOUR_MS

const weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** Formats a time as Go's time.UnixDate, in UTC. The epoch was a Thursday. */
const unixDate = (ms: number): string => {
  const [year = "", month = "", day = "", time = ""] = formatTime(ms).split(/[-TZ]/)
  const weekday = weekdays[Math.floor(ms / DAY_MS) % weekdays.length]
  return `${weekday} ${months[Number(month) - 1]} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}

const uptime = (ms: number): string => {
  const hours = Math.floor(ms / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS)
  return `${hours} hr ${twoDigits(minutes)} min ${twoDigits(seconds)} sec`
}

/** Serves `/statusz`: what runs, and since when. Upstream: component-base/zpages/statusz. */
export const serveStatusz = (call: Call, version: VersionInfo, startedMs: number, nowMs: number) => {
  if (!acceptsOneOf(call.header("accept"), [TEXT]))
    return sendStatus(call, noAcceptedType([JSON_TYPE, YAML_TYPE, TEXT]))
  const separator = SEPARATORS[Math.floor(nowMs / SECOND_MS) % SEPARATORS.length] ?? ":"
  const rows = [
    ["Started", unixDate(startedMs)],
    ["Up", uptime(nowMs - startedMs)],
    ["Go version", version.goVersion],
    ["Binary version", version.gitVersion.replace(/^v|\+.*$/g, "")],
    ["Emulation version", `${version.emulationMajor}.${version.emulationMinor}`],
    ["Paths", PATHS.join(" ")]
  ]
  const lines = rows.map(([name, value]) => `${name}${separator} ${value}`)
  sendText(call, 200, `\napiserver statusz\n${WARNING}\n\n${lines.join("\n")}\n`)
}
