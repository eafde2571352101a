import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { ComponentLog } from "../src/index.ts"

const textOf = (message: unknown): string => (Array.isArray(message) ? message.map(textOf).join(" ") : String(message))

/** Makes a log layer that records its lines, such as `Error Failed to watch err=… type=…`. */
export const makeRecordingLog = (minimum: "Debug" | "Info" = "Info") => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const fields = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    lines.push([logLevel, textOf(message), ...fields.map(([key, value]) => `${key}=${value}`)].join(" "))
  })
  const layer = Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, minimum))
  return { lines, layer }
}

/** Makes a ComponentLog, the log of plain code, that records its lines. */
export const makeRecordingComponentLog = () => {
  const lines: Array<string> = []
  const log: ComponentLog = (severity, message, fields = {}) => {
    lines.push([severity, message, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(" "))
  }
  return { lines, log }
}
