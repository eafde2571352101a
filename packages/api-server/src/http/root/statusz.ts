import type { VersionInfo } from "@rollcall/api"
import { formatTime } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import { isPretty, sendBody, sendStatus, sendText } from "../call/respond.ts"
import { encodeBody } from "../codec/encodeBody.ts"
import { noAcceptedType, YAML_TYPE } from "../request/mediaTypes.ts"
import { flagzObject, statuszObject, type ZPageKind, zpageForm, zpageType, zpageTypes, zpageWarning } from "./zpages.ts"

const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only."
const PATHS = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"]

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

/** The program, as both pages name it. */
const NAME = "apiserver"

/** Sends a page as text, or as an object, whichever the client accepts. */
const sendPage = (call: Call, kind: ZPageKind, text: () => string, object: (version: string) => object) => {
  const form = zpageForm(call.header("accept"), kind)
  const resource = kind.toLowerCase()
  call.monitored = {
    subresource: "",
    component: NAME,
    resource,
    ...(form?.version ? { group: GROUP, version: form.version } : {})
  }
  if (form === undefined) return sendStatus(call, noAcceptedType(zpageTypes))
  if (form.encoding === "text") return sendText(call, 200, `\n${NAME} ${resource}\n${WARNING}\n${text()}`)
  const warning = zpageWarning(kind, form)
  if (warning !== undefined) call.response.setHeader("Warning", `299 - ${JSON.stringify(warning)}`)
  const value = object(form.version)
  const json = () => (isPretty(call) ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`)
  const body = form.encoding === "json" ? json() : (encodeBody(YAML_TYPE, value) ?? "")
  sendBody(call, 200, zpageType(kind, form), typeof body === "string" ? body : Buffer.from(body), false)
}

const GROUP = "config.k8s.io"

/** Serves `/statusz`: what runs, and since when. Upstream: apiserver/pkg/server/statusz. */
export const serveStatusz = (call: Call, version: VersionInfo, startedMs: number, nowMs: number) => {
  const facts = {
    startedMs,
    nowMs,
    goVersion: version.goVersion,
    binaryVersion: `${version.major}.${version.minor}`,
    emulationVersion: `${version.emulationMajor}.${version.emulationMinor}`,
    paths: PATHS
  }
  const text = () => {
    const separator = SEPARATORS[Math.floor(nowMs / SECOND_MS) % SEPARATORS.length] ?? ":"
    const rows = [
      ["Started", unixDate(startedMs)],
      ["Up", uptime(nowMs - startedMs)],
      ["Go version", facts.goVersion],
      ["Binary version", facts.binaryVersion],
      ["Emulation version", facts.emulationVersion],
      ["Paths", PATHS.join(" ")]
    ]
    return `\n${rows.map(([name, value]) => `${name}${separator} ${value}\n`).join("")}`
  }
  sendPage(call, "Statusz", text, (apiVersion) => statuszObject(NAME, apiVersion, facts))
}

/** Serves `/flagz`: the flags of the program, by name. Upstream: apiserver/pkg/server/flagz. */
export const serveFlagz = (call: Call, flags: Readonly<Record<string, string>>) => {
  const text = () =>
    Object.entries(flags)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("")
  sendPage(call, "Flagz", text, (apiVersion) => flagzObject(NAME, apiVersion, flags))
}
