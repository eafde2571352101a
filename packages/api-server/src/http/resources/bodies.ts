import type { Status } from "@rollcall/api"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import type { Steps } from "../../core/turns/Steps.ts"
import type { Call } from "../call/Call.ts"
import { type DecodedBody, decodeBody, decodingBody, type FieldValidation } from "../codec/index.ts"
import type { Route, Subroute } from "../request/Routes.ts"

/** The types of a running server's bodies, found once. */
const known = new Map<string, MessageType | undefined>()

const typeOf = (gvk: Subroute["kind"]): MessageType | undefined => {
  const key = `${gvk.group}/${gvk.version} ${gvk.kind}`
  if (!known.has(key)) known.set(key, wireTypeOfGvk(gvk))
  return known.get(key)
}

const EVICTIONS = [{ group: "policy", version: "v1beta1", kind: "Eviction" }]

/** Anything: a resource that says nothing about its fields. */
const untyped = (kind: string): MessageType => ({
  fullName: kind,
  name: kind,
  goPackage: "unstructured",
  fields: new Map(),
  atomic: false,
  preserveUnknown: true
})

/** The object in the body of a create or update. */
export const objectIn = function* (
  call: Call,
  body: Buffer,
  route: Route,
  subroute: Subroute | undefined,
  fieldValidation: FieldValidation | undefined
): Steps<Result.Result<DecodedBody, Status>> {
  const expected = subroute?.kind ?? route.resource
  const { group, kind, version } = expected
  const own = subroute === undefined || expected.kind === route.resource.kind
  const custom = own ? route.state?.definition.message : undefined
  const builtIn = custom === undefined ? typeOf({ group, kind, version }) : undefined
  const decoded = yield* decodingBody({
    contentType: call.header("content-type"),
    bytes: body,
    expected: {
      group,
      kind,
      version,
      type: custom ?? builtIn ?? untyped(kind),
      custom: builtIn === undefined
    },
    fieldValidation: fieldValidation ?? "Warn",
    ...(kind === "Eviction" ? { alsoAccepted: EVICTIONS } : {})
  })
  return Result.isFailure(decoded) ? decoded : Result.succeed({ ...decoded.success, object: ordered(decoded.success) })
}

/** What the object is comes first, as Go writes it. */
const ordered = ({ object }: DecodedBody): DecodedBody["object"] => {
  const { apiVersion, kind, metadata, ...rest } = object
  return metadata === undefined ? { kind, apiVersion, ...rest } : { kind, apiVersion, metadata, ...rest }
}

const DELETE_OPTIONS = { group: "", version: "v1", kind: "DeleteOptions" }

/** The options in the body of a delete. */
export const deleteOptionsIn = (call: Call, body: Buffer): Result.Result<DecodedBody, Status> => {
  const type = typeOf(DELETE_OPTIONS) ?? untyped(DELETE_OPTIONS.kind)
  return decodeBody({
    contentType: call.header("content-type"),
    bytes: body,
    expected: { ...DELETE_OPTIONS, type },
    fieldValidation: "Ignore",
    options: true
  })
}
