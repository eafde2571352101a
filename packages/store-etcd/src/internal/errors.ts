import { Code, ConnectError } from "@connectrpc/connect"

/** What an error of a call means for it. */
export type Failure =
  /** The request reached no server: another may be asked. */
  | { readonly type: "unsent"; readonly message: string }
  /** It may have been carried out or not. */
  | { readonly type: "unknown"; readonly message: string }
  /** etcd refused it: asking again does not help. */
  | { readonly type: "refused"; readonly message: string }
  /** The revision is compacted. */
  | { readonly type: "compacted"; readonly message: string }

/** Codes of answers that another attempt would get again. */
const REFUSALS: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.ResourceExhausted,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.Unauthenticated
])

/**
 * Tells what an error means. etcd's own messages begin with `etcdserver:`; its codes are those of
 * api/v3rpc/rpctypes/error.go.
 */
export const failureOf = (cause: unknown): Failure => {
  const error = ConnectError.from(cause)
  const message = error.rawMessage
  if (error.code === Code.OutOfRange && message.includes("compacted")) return { type: "compacted", message }
  return { type: REFUSALS.has(error.code) ? "refused" : "unknown", message }
}

const describe = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describe).join(", ")
  return error instanceof Error ? error.message : String(error)
}

/** Tells why no connection was made. */
export const unsent = (error: unknown): Failure => ({
  type: "unsent",
  message: error instanceof ConnectError ? describe(error.cause ?? error.rawMessage) : describe(error)
})

/** Tells why a member that is connected does not answer: it commits and reads with a majority only. */
export const late = (url: string, timeoutMs: number): Failure => ({
  type: "unknown",
  message: `no answer of ${url} within ${Math.round(timeoutMs / 100) / 10}s: do most members of etcd run?`
})

/** Tells people that etcd did not answer in time, and whether the write may have happened. */
export const unanswered = (
  endpoints: ReadonlyArray<string>,
  timeoutMs: number,
  { message, type }: Failure,
  isWrite: boolean
): string => {
  const fate = isWrite && type === "unknown" ? "; whether it is written is not known" : ""
  return `etcd did not answer within ${timeoutMs / 1000}s (${endpoints.join(", ")}): ${message}${fate}`
}

/** Tells people that the answer to a write was lost, and that the key was changed then or meanwhile. */
export const lostAnswer = (key: string): string =>
  `the answer of etcd to a write of ${key} was lost, and the key has changed; whether it is written is not known`
