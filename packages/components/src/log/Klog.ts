import * as Cause from "effect/Cause"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"

export const logFormats = ["text", "json"] as const
export type LogFormat = (typeof logFormats)[number]

const twoDigits = (value: number): string => String(value).padStart(2, "0")
const SEVERITY: Readonly<Record<string, string>> = { Fatal: "F", Error: "E", Warn: "W", Warning: "W" }

const valueText = (value: unknown): string =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value)

/**
 * One line as Kubernetes' components write it: `I1121 14:03:07.123456 "message" key="value"`. Upstream: k8s.io/klog/v2.
 */
export const klogLine = (
  date: Date,
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>>
): string => {
  const time = `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}:${twoDigits(date.getUTCSeconds())}`
  const micros = String(date.getUTCMilliseconds() * 1000).padStart(6, "0")
  const day = `${twoDigits(date.getUTCMonth() + 1)}${twoDigits(date.getUTCDate())}`
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${valueText(value)}`)
  return `${SEVERITY[level] ?? "I"}${day} ${time}.${micros} ${JSON.stringify(message)}${pairs.join("")}`
}

/** One line as Kubernetes' components write it in JSON. Upstream: component-base/logs/json. */
export const jsonLine = (
  date: Date,
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>>
): string => JSON.stringify({ ts: date.getTime(), level: level.toLowerCase(), msg: message, ...fields })

const textOf = (message: unknown): string =>
  Array.isArray(message)
    ? message.map(textOf).join(" ")
    : typeof message === "string"
      ? message
      : JSON.stringify(message)

/** Writes the log of a component line by line. */
export const layerLog = (format: LogFormat, write: (line: string) => void): Layer.Layer<never> => {
  const line = format === "json" ? jsonLine : klogLine
  const logger = Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const fields: Record<string, unknown> = { ...fiber.getRef(References.CurrentLogAnnotations) }
    if (cause.reasons.length > 0) fields.err = Cause.pretty(cause)
    // The caller continues: a closed pipe, or a value that cannot be formatted, only loses the line.
    try {
      write(line(date, logLevel, textOf(message), fields))
    } catch {
      return
    }
  })
  return Logger.layer([logger])
}
