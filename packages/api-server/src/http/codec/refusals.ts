import { badRequest, type Status } from "@rollcall/api"

/** Upstream: apiserver/pkg/endpoints/handlers/{rest,create,patch}.go, negotiation/errors.go. */

/** The location at which the scheme was created; error messages contain it. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30"

export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const groupVersion = ({ group, version }: Kind): string => (group === "" ? version : `${group}/${version}`)

export const notRegistered = (found: Kind): string =>
  `no kind "${found.kind}" is registered for version "${groupVersion(found)}" in scheme "${SCHEME}"`

const internalPackage = (group: string): string => (group === "" ? "core" : (group.split(".")[0] ?? ""))

export const unknownConversion = (goPackage: string, found: Kind, expected: Kind): string =>
  `converting (${goPackage}.${found.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`

/** 400: the body is an object that this path does not accept. */
export const cannotBeHandled = (found: Kind, expected: Kind, why: string): Status =>
  badRequest(`${found.kind} in version "${found.version}" cannot be handled as a ${expected.kind}: ${why}`)

const mostShown = 30
const tooLong = " ..."

/** Returns the start of a body as refusals show it: text if it looks like JSON, otherwise hexadecimal. */
const summary = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return "<empty>"
  const start = Buffer.from(bytes.subarray(0, mostShown))
  return `${start.toString(bytes[0] === 123 ? "utf8" : "hex")}${bytes.length > mostShown ? tooLong : ""}`
}

/** 400: the kind of the body is unknown. */
export const unrecognized = (expected: Kind, why: string, bytes: Uint8Array): Status =>
  badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summary(bytes)})`)

/** 400: an object of a version that is served at another path. */
export const otherVersion = (found: Kind, expected: Kind): Status =>
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

/** Joins strict decoding errors. */
export const strictText = (errors: ReadonlyArray<string>): string => `strict decoding error: ${errors.join(", ")}`
