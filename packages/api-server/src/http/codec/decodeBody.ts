import { badRequest, type Status } from "@rollcall/api"
import {
  type Decoded,
  decodeJson,
  decodeValue,
  type MessageType,
  parseDeep,
  wireTypeOfGvk,
  withoutLoneSurrogates
} from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { runAllSteps, type Steps } from "../../core/turns/Steps.ts"
import { bodyTypes, contentTypeOf, JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
import { openEnvelope, readRaw } from "./protobuf/envelope.ts"
import type { Kind } from "./refusals.ts"
import * as refusals from "./refusals.ts"
import { readYamlInSteps } from "./yamlText.ts"

/** Go's name of the struct into which kind and version are decoded. */
const findKind = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value).replace("boolean", "bool")

const misfit = (found: unknown, where: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(found)} into ${where}`

/**
 * Returns the kind in a body, completed by the kind that the path expects.
 * Upstream: apimachinery/pkg/runtime/serializer/json/{meta,json}.go (Interpret, gvkWithDefaults).
 */
const interpretKind = (body: unknown, expected: Kind): Result.Result<Kind, string> => {
  if (body === null || body === undefined) return Result.succeed(expected)
  if (typeof body !== "object" || Array.isArray(body)) return Result.fail(misfit(body, `Go value of type ${findKind}`))
  const { apiVersion = "", kind = "" } = body as { readonly apiVersion?: unknown; readonly kind?: unknown }
  for (const [name, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind]
  ]) {
    if (value !== null && typeof value !== "string") {
      return Result.fail(misfit(value, `Go struct field .${String(name)} of type string`))
    }
  }
  const text = typeof apiVersion === "string" && apiVersion !== "/" ? apiVersion : ""
  const parts = text.split("/")
  if (parts.length > 2) return Result.fail(`unexpected GroupVersion string: ${text}`)
  const [version = "", group = ""] = parts.reverse()
  const given = { group, version, kind: typeof kind === "string" ? kind : "" }
  return Result.succeed({
    ...(given.version === "" && (given.group === "" || given.group === expected.group) ? expected : given),
    kind: given.kind === "" ? expected.kind : given.kind
  })
}

export type FieldValidation = "Ignore" | "Warn" | "Strict"

/** The kind that the path expects in the body. */
export interface ExpectedBody {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: MessageType
  /** A custom resource: fields are pruned by its type, and its schema's validation reports wrong types. */
  readonly custom?: boolean
}

export interface BodyRequest {
  /** The Content-Type header; absent means JSON. */
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
  readonly expected: ExpectedBody
  readonly fieldValidation: FieldValidation
  /** The options of a DELETE instead of an object: errors do not name the expected kind. */
  readonly options?: boolean
  /** Other versions of the kind that are accepted (an Eviction of policy/v1beta1). */
  readonly alsoAccepted?: ReadonlyArray<refusals.Kind>
}

/** A decoded body. */
export interface DecodedBody {
  readonly object: Readonly<Record<string, unknown>>
  /** Strict decoding errors for Warning headers, when the client asked for warnings. */
  readonly warnings: ReadonlyArray<string>
}

type Answer = Result.Result<DecodedBody, Status>

/** Decodes UTF-8; invalid bytes become U+FFFD, as in Go. */
export const textOf = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString("utf8")

const asFields = (value: unknown): Readonly<Record<string, unknown>> => value as Readonly<Record<string, unknown>>

const sameKind = (a: refusals.Kind, b: refusals.Kind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group

/** Kinds that are stored once and served in two groups: they are decoded, and refused only for their version. */
const servedTwice: ReadonlySet<string> = new Set(["Event"])

interface Body {
  readonly request: BodyRequest
  readonly found: refusals.Kind
}

const plain = ({ found, request }: Body, why: string): Status =>
  request.options === true ? badRequest(why) : refusals.cannotBeHandled(found, request.expected, why)

/** Returns the type of the body; fails for unknown kinds. */
const typeFor = (body: Body): Result.Result<MessageType, Status> => {
  const { expected, alsoAccepted = [] } = body.request
  const { found } = body
  if (sameKind(found, expected)) return Result.succeed(expected.type)
  if (alsoAccepted.some((kind) => sameKind(kind, found))) return Result.succeed(expected.type)
  // Every group registers the options of its own verbs.
  if (body.request.options === true && found.kind === expected.kind) return Result.succeed(expected.type)
  const type = wireTypeOfGvk(found)
  if (type !== undefined) return Result.succeed(type)
  if (expected.custom === true && found.kind === expected.kind)
    return Result.fail(refusals.otherVersion(found, expected))
  return Result.fail(plain(body, refusals.notRegistered(found)))
}

/** The object was decoded by its own type; checks that it is of the expected kind. */
const converted = (body: Body, type: MessageType, object: DecodedBody): Answer => {
  const { expected } = body.request
  const { found } = body
  if (type === expected.type) return Result.succeed(object)
  return Result.fail(
    found.kind === expected.kind && servedTwice.has(found.kind)
      ? refusals.otherVersion(found, expected)
      : plain(body, refusals.unknownConversion(type.goPackage, found, expected))
  )
}

const named = (value: unknown, { group, kind, version }: refusals.Kind): Readonly<Record<string, unknown>> => {
  const object = asFields(value)
  const apiVersion = group === "" ? version : `${group}/${version}`
  if (object.kind === kind && object.apiVersion === apiVersion) return object
  const { apiVersion: _, kind: __, ...rest } = object
  return { kind, apiVersion, ...rest }
}

/** Decodes a body whose kind is known, and handles strict decoding errors. */
const finish = (
  body: Body,
  decode: (type: MessageType, structural: boolean) => Result.Result<Decoded, string>
): Answer => {
  const type = typeFor(body)
  if (Result.isFailure(type)) return Result.fail(type.failure)
  const { expected, fieldValidation } = body.request
  const decoded = decode(type.success, expected.custom === true && type.success === expected.type)
  if (Result.isFailure(decoded)) return Result.fail(plain(body, decoded.failure))
  const { strictErrors, value } = decoded.success
  if (strictErrors.length > 0 && fieldValidation === "Strict") {
    return Result.fail(plain(body, refusals.strictText(strictErrors)))
  }
  const warnings = fieldValidation === "Warn" ? strictErrors : []
  return converted(body, type.success, { object: named(value, body.found), warnings })
}

/** Returns the error of a body whose kind cannot be determined. */
const unrecognized = ({ bytes, expected, options }: BodyRequest, why: string): Answer =>
  Result.fail(options === true ? badRequest(why) : refusals.unrecognized(expected, why, bytes))

const decodeJsonBody = function* (request: BodyRequest): Steps<Answer> {
  const text = withoutLoneSurrogates(textOf(request.bytes))
  const parsed = parseDeep(text)
  yield
  if (Result.isFailure(parsed)) {
    return unrecognized(request, `couldn't get version/kind; json parse error: ${parsed.failure}`)
  }
  const found = interpretKind(parsed.success, request.expected)
  if (Result.isFailure(found)) return unrecognized(request, found.failure)
  return finish({ request, found: found.success }, (type, structural) => decodeJson(type, text, parsed, { structural }))
}

const decodeYamlBody = function* (request: BodyRequest): Steps<Answer> {
  const yaml = yield* readYamlInSteps(textOf(request.bytes))
  yield
  if (Result.isFailure(yaml)) return unrecognized(request, yaml.failure)
  const { strictErrors, value } = yaml.success
  const found = interpretKind(value, request.expected)
  if (Result.isFailure(found)) return unrecognized(request, found.failure)
  return finish({ request, found: found.success }, (type, structural) =>
    Result.map(decodeValue(type, value, { structural }), (decoded) => ({
      value: decoded.value,
      strictErrors: [...strictErrors, ...decoded.strictErrors]
    }))
  )
}

const decodeProtobufBody = function* (request: BodyRequest): Steps<Answer> {
  const envelope = openEnvelope(request.bytes)
  if (Result.isFailure(envelope)) return unrecognized(request, envelope.failure)
  const { raw, ...typeMeta } = envelope.success
  const found = interpretKind(typeMeta, request.expected)
  if (Result.isFailure(found)) return unrecognized(request, found.failure)
  return finish({ request, found: found.success }, (type) =>
    Result.map(readRaw(type, raw), (value) => ({ value, strictErrors: [] }))
  )
}

/**
 * Decodes the body of a create, update or delete as Go would; fails with the Status of a real server. Never throws,
 * whatever the bytes. Upstream: apiserver/pkg/endpoints/handlers/{create,update,delete}.go.
 */
export const decodeBodyInSteps = function* (request: BodyRequest): Steps<Answer> {
  const accepted = request.expected.custom === true ? bodyTypes.slice(0, 2) : bodyTypes
  const mediaType = contentTypeOf(request.contentType)
  if (!accepted.includes(mediaType)) return Result.fail(refusals.unsupportedMediaType(accepted))
  switch (mediaType) {
    case YAML_TYPE:
      return yield* decodeYamlBody(request)
    case PROTOBUF_TYPE:
      return yield* decodeProtobufBody(request)
    case JSON_TYPE:
      return yield* decodeJsonBody(request)
    default:
      return Result.fail(refusals.unsupportedMediaType(accepted))
  }
}

/** Does the work of `decodeBodyInSteps` in one piece, without pauses. */
export const decodeBody = (request: BodyRequest): Answer => runAllSteps(decodeBodyInSteps(request))
