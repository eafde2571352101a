import { apiVersionOf, isKindName } from "@rollcall/api"
import { type ClusterError, isGone } from "./ClusterError.ts"
import type { ComponentLog, LogLine, LogSeverity } from "./ComponentLog.ts"
import type { AnyKind } from "./Connection.ts"
import { isTooLargeRevision } from "./internal/listAll.ts"

/** The stage at which a reflector failed: listing, opening a watch, or reading an open one. */
export type WatchStage = "list" | "watch" | "stream"

/** The Go type of a kind, as logs name it: `*v1.Node`; for a custom kind its kind, group and version. */
export const goTypeOf = (kind: AnyKind): string =>
  isKindName(kind) ? `*${apiVersionOf(kind).split("/").at(-1)}.${kind}` : kind

const line = (severity: LogSeverity, message: string, kind: AnyKind, err: string): LogLine => ({
  severity,
  message,
  fields: { err, type: goTypeOf(kind) }
})

/**
 * Returns what client-go logs of a failed list or watch. A watch that cannot be opened because no server responds, or
 * because the server is busy, is retried without a log line; a list is not. Upstream:
 * client-go/tools/cache/reflector.go, watch and DefaultWatchErrorHandler.
 */
export const watchFailureLine = (stage: WatchStage, kind: AnyKind, error: ClusterError): LogLine => {
  const { message } = error
  if (stage === "list") {
    // The reflector lists again at once, without the revision.
    if (isGone(error) || isTooLargeRevision(error)) return line("debug", "Watch closed", kind, message)
    return line("error", "Failed to watch", kind, `failed to list ${goTypeOf(kind)}: ${message}`)
  }
  if (error._tag === "ConnectionError") {
    return stage === "watch"
      ? line("debug", "Watch failed - backing off", kind, message)
      : line("debug", "Watch closed with unexpected EOF", kind, message)
  }
  if (error.code === 429) return line("debug", "Watch returned 429 - backing off", kind, message)
  if (isGone(error)) return line("debug", "Watch closed", kind, message)
  return stage === "watch"
    ? line("error", "Failed to watch", kind, message)
    : line("info", "Warning: watch ended with error", kind, message)
}

/** Returns a function that logs each failed list or watch of a kind. */
export const watchFailureLog =
  (log: ComponentLog, kind: AnyKind) =>
  (error: ClusterError, stage: WatchStage): void => {
    const { fields, message, severity } = watchFailureLine(stage, kind, error)
    log(severity, message, fields)
  }
