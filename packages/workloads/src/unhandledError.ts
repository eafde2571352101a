import type { LogLine } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The log line of an error that nothing handles. Upstream: apimachinery/pkg/util/runtime HandleError. */
export const unhandledError = (err: string): LogLine => ({
  severity: "error",
  message: "Unhandled Error",
  fields: { err, logger: "UnhandledError" }
})

/** The log line of an error with a message of its own. Upstream: HandleErrorWithContext. */
export const handledError = (message: string, err: string, fields: Readonly<Record<string, string>>): LogLine => ({
  severity: "error",
  message,
  fields: { err, logger: "UnhandledError", ...fields }
})

/** Logs a line at the level of errors. */
export const logLine = ({ fields, message }: LogLine): Effect.Effect<void> =>
  Effect.logError(message).pipe(Effect.annotateLogs(fields))
