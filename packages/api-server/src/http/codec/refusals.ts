import { badRequest, goQuote, type Status } from "@rollcall/api"
import { groupVersion } from "@rollcall/api/scheme"
import type { GroupVersionKind } from "@rollcall/api/wire"

// The answers to bodies that cannot be decoded, and their messages.
// Upstream: apiserver/pkg/endpoints/handlers/{rest,create,patch}.go, negotiation/errors.go.

/** 400: the body is an object that this path does not accept. */
export const cannotBeHandled = (found: GroupVersionKind, expected: GroupVersionKind, why: string): Status =>
  badRequest(`${found.kind} in version ${goQuote(found.version)} cannot be handled as a ${expected.kind}: ${why}`)

/** How many bytes of a body a refusal shows. */
const SUMMARY_BYTES = 30

/** Returns the start of a body as refusals show it: text if it looks like JSON, otherwise hexadecimal. */
const summary = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return "<empty>"
  const start = Buffer.from(bytes.subarray(0, SUMMARY_BYTES))
  const looksLikeJson = bytes[0] === "{".charCodeAt(0)
  return `${start.toString(looksLikeJson ? "utf8" : "hex")}${bytes.length > SUMMARY_BYTES ? " ..." : ""}`
}

/** 400: the kind of the body is unknown. */
export const unrecognized = (expected: GroupVersionKind, why: string, bytes: Uint8Array): Status =>
  badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summary(bytes)})`)

/** 400: an object of a version that is served at another path. */
export const otherVersion = (found: GroupVersionKind, expected: GroupVersionKind): Status =>
  badRequest(
    `the API version in the data (${groupVersion(found)}) does not match the expected API version (${groupVersion(expected)})`
  )

/** 415: an unsupported Content-Type. */
export const unsupportedMediaType = (accepted: ReadonlyArray<string>): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  reason: "UnsupportedMediaType",
  code: 415
})

/** The message for strict decoding errors. */
export const strictText = (errors: ReadonlyArray<string>): string => `strict decoding error: ${errors.join(", ")}`
