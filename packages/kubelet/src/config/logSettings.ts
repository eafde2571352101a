import { compareQuantity, parseQuantity, scaledValue } from "@rollcall/api"
import * as Result from "effect/Result"

/** Says what is wrong with a `containerLogMaxSize`. Upstream: pkg/kubelet/logs/container_log_manager.go, parseMaxSize. */
export const maxLogSizeProblem = (size: string): string | undefined => {
  const amount = parseQuantity(size)
  if (Result.isFailure(amount)) return amount.failure.message
  return compareQuantity(scaledValue(size, 0), amount.success) === 0 ? undefined : "invalid max log size"
}

/** Returns the size from which the log of a container is rotated: infinite if it never is. */
export const maxLogBytes = (size: string): number => {
  const bytes = scaledValue(size, 0)
  return bytes < 0 ? Number.POSITIVE_INFINITY : bytes
}
