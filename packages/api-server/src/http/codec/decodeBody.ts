import { badRequest, escapeHtml, type Status } from "@rollcall/api"
import {
  interpretKind,
  isOtherScale,
  NULL_VERSION,
  notRegistered,
  optionsKindType,
  registeredType,
  sameKind,
  unknownConversion
} from "@rollcall/api/scheme"
import { withSortedKeys } from "@rollcall/api/values"
import {
  type Decoded,
  decodeJson,
  decodeValue,
  type GroupVersionKind,
  type MessageType,
  parseToGoDepth,
  withoutLoneSurrogates
} from "@rollcall/api/wire"
import { openEnvelope, readRaw } from "@rollcall/protobuf"
import { runAllSteps, type Steps } from "@rollcall/time"
import { readYamlInSteps } from "@rollcall/yaml"
import * as Result from "effect/Result"
import { strictWarnings } from "../../core/objects/strictWarnings.ts"
import { typeOfOtherKind } from "../../core/objects/typesOfOthers.ts"
import { bodyTypes, contentTypeOf, JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from "../request/mediaTypes.ts"
import * as refusals from "./refusals.ts"

export type FieldValidation = "Ignore" | "Warn" | "Strict"

/** The kind that the path expects in the body. */
export interface ExpectedBody {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: MessageType
  /** Whether it is a custom resource: unknown fields are pruned here; its schema reports wrong types later. */
  readonly custom?: boolean
}

export interface BodyRequest {
  /** The Content-Type header; absent means JSON. */
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
  readonly expected: ExpectedBody
  readonly fieldValidation: FieldValidation
  /** Whether the body contains the options of a DELETE instead of an object: errors do not name the expected kind. */
  readonly options?: boolean
  /** Other versions of the kind that are accepted (an Eviction of policy/v1beta1). */
  readonly alsoAccepted?: ReadonlyArray<GroupVersionKind>
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

/**
 * Kinds that are stored once and served in two groups ("" and events.k8s.io): a body of the other group converts, so
 * that it is refused only because its version is not that of the path.
 */
const kindsInTwoGroups: ReadonlySet<string> = new Set(["Event"])

interface Body {
  readonly request: BodyRequest
  readonly found: GroupVersionKind
}

/** Returns the 400 for a body whose kind is known but that cannot be decoded. */
const undecodable = ({ found, request }: Body, why: string, into: GroupVersionKind = request.expected): Status =>
  request.options === true ? badRequest(why) : refusals.cannotBeHandled(found, into, why)

/** Returns the type by which the body is decoded: that of its own kind. Fails for unknown kinds. */
const messageTypeOf = (body: Body): Result.Result<MessageType, Status> => {
  const { expected, alsoAccepted = [] } = body.request
  const { found } = body
  if (sameKind(found, expected)) return Result.succeed(expected.type)
  if (found.version === "" && expected.custom !== true) {
    return Result.fail(undecodable(body, `Object 'apiVersion' is missing in '${textOf(body.request.bytes)}'`))
  }
  if (alsoAccepted.some((kind) => sameKind(kind, found))) return Result.succeed(expected.type)
  if (expected.kind === "Scale" && isOtherScale(found)) return Result.fail(refusals.otherVersion(found, expected))
  // Every group registers the options of its own verbs.
  if (body.request.options === true && found.kind === expected.kind) return Result.succeed(expected.type)
  // A custom resource of another kind, which validation refuses, has no schema.
  if (expected.custom === true) return Result.succeed(typeOfOtherKind(expected.type))
  const isOptions = body.request.options === true
  const type = isOptions ? optionsKindType(found) : registeredType(found)
  if (type !== undefined) return Result.succeed(type)
  return Result.fail(undecodable(body, notRegistered(found, expected, isOptions)))
}

/**
 * Checks that an object, which was decoded by its own type, is of the expected type: Go converts it at this point, and
 * fails with these messages.
 */
const requireExpectedType = (body: Body, type: MessageType, object: DecodedBody): Answer => {
  const { expected } = body.request
  const { found } = body
  if (type === expected.type) return Result.succeed(object)
  if (expected.custom === true) {
    const isVersion = found.group === expected.group && found.version === expected.version
    return isVersion ? Result.succeed(object) : Result.fail(refusals.otherVersion(found, expected))
  }
  return Result.fail(
    found.kind === expected.kind && kindsInTwoGroups.has(found.kind)
      ? refusals.otherVersion(found, expected)
      : undecodable(body, unknownConversion(type.goPackage, found, expected))
  )
}

/** Returns the object with the given kind and apiVersion. */
const withKind = (value: unknown, { group, kind, version }: GroupVersionKind): Readonly<Record<string, unknown>> => {
  const object = asFields(value)
  const apiVersion = group === "" ? version : `${group}/${version}`
  if (object.kind === kind && object.apiVersion === apiVersion) return object
  const { apiVersion: _, kind: __, ...rest } = object
  return { kind, apiVersion, ...rest }
}

const NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'"

/** Decodes a body whose kind is known, and handles strict decoding errors as `fieldValidation` says. */
const decodeKnownKind = (
  body: Body,
  parsed: unknown,
  decode: (type: MessageType, structural: boolean) => Result.Result<Pick<Decoded, "value" | "strictErrors">, string>
): Answer => {
  const { expected, fieldValidation } = body.request
  if (expected.custom === true && asFields(parsed ?? {}).apiVersion === null)
    return Result.fail(undecodable(body, NULL_VERSION))
  const type = messageTypeOf(body)
  if (Result.isFailure(type)) return Result.fail(type.failure)
  const decoded = decode(type.success, expected.custom === true)
  if (Result.isFailure(decoded)) return Result.fail(undecodable(body, decoded.failure))
  const { strictErrors, value } = decoded.success
  const warnings = fieldValidation === "Warn" ? strictWarnings(strictErrors) : []
  const object = { object: withKind(value, body.found), warnings }
  const answer = requireExpectedType(body, type.success, object)
  if (strictErrors.length === 0 || fieldValidation !== "Strict") return answer
  if (Result.isFailure(answer) && expected.custom !== true) return answer
  // A custom resource is of the kind that it names, whose version Go needs to tell the errors.
  if (body.found.version === "") return Result.fail(badRequest(NO_VERSION))
  const into = expected.custom === true ? body.found : expected
  return Result.fail(undecodable(body, refusals.strictText(strictErrors), into))
}

/** Returns the 400 for a body whose kind cannot be determined. */
const unrecognized = ({ bytes, expected, options }: BodyRequest, why: string): Answer =>
  Result.fail(options === true ? badRequest(why) : refusals.unrecognized(expected, why, bytes))

/** Whether Go reads a custom resource with a decoder that is not strict, which takes the kind of the path for a missing one. */
const isLenient = ({ expected, fieldValidation }: BodyRequest): boolean =>
  expected.custom === true && fieldValidation === "Ignore"

/** Returns the 400 for a body without a kind. */
const kindless = (request: BodyRequest, why: string): Answer => {
  const isKnown = isLenient(request) && why.startsWith("Object 'Kind' is missing")
  return isKnown ? Result.fail(undecodable({ request, found: request.expected }, why)) : unrecognized(request, why)
}

/** Returns the kind of a body. A custom resource, which Go decodes without a type, takes no part of it from the path. */
const kindOf = (request: BodyRequest, value: unknown): Result.Result<GroupVersionKind, string> => {
  const { bytes, contentType, expected } = request
  const found = interpretKind(value, expected)
  if (expected.custom !== true || Result.isFailure(found) || typeof value !== "object") return found
  const { apiVersion, kind } = asFields(value ?? {})
  if (!kind) {
    // The decoder that is not strict meets what YAML became.
    const isConverted = isLenient(request) && contentTypeOf(contentType) !== JSON_TYPE
    const text = isConverted ? escapeHtml(JSON.stringify(withSortedKeys(value))) : textOf(bytes)
    return Result.fail(`Object 'Kind' is missing in '${text}'`)
  }
  return Result.succeed(apiVersion ? found.success : { ...found.success, group: "", version: "" })
}

const decodeJsonBody = function* (request: BodyRequest): Steps<Answer> {
  const text = withoutLoneSurrogates(textOf(request.bytes))
  const parsed = parseToGoDepth(text)
  yield
  if (Result.isFailure(parsed)) {
    return unrecognized(request, `couldn't get version/kind; json parse error: ${parsed.failure}`)
  }
  const found = kindOf(request, parsed.success)
  if (Result.isFailure(found)) return kindless(request, found.failure)
  return decodeKnownKind({ request, found: found.success }, parsed.success, (type, structural) =>
    decodeJson(type, text, parsed, { structural })
  )
}

const decodeYamlBody = function* (request: BodyRequest): Steps<Answer> {
  const yaml = yield* readYamlInSteps(textOf(request.bytes), request.bytes)
  yield
  if (Result.isFailure(yaml)) return unrecognized(request, yaml.failure)
  const { strictErrors, value } = yaml.success
  const found = kindOf(request, value)
  if (Result.isFailure(found)) return kindless(request, found.failure)
  return decodeKnownKind({ request, found: found.success }, value, (type, structural) => {
    const inOrder = decodeValue(type, value, { structural })
    // Go converts YAML to JSON with sorted keys: of several errors the first in that order counts.
    const isSound = Result.isSuccess(inOrder) && inOrder.success.strictErrors.length === 0
    const decoded = isSound ? inOrder : decodeValue(type, withSortedKeys(value), { structural })
    return Result.map(decoded, (each) => ({ value: each.value, strictErrors: [...strictErrors, ...each.strictErrors] }))
  })
}

const decodeProtobufBody = function* (request: BodyRequest): Steps<Answer> {
  const envelope = openEnvelope(request.bytes)
  if (Result.isFailure(envelope)) return unrecognized(request, envelope.failure)
  // Custom resources have no protobuf form.
  if (request.expected.custom === true) return Result.fail(UNSUPPORTED)
  const { raw, ...typeMeta } = envelope.success
  const found = interpretKind(typeMeta, request.expected)
  if (Result.isFailure(found)) return unrecognized(request, found.failure)
  return decodeKnownKind({ request, found: found.success }, undefined, (type) =>
    Result.map(readRaw(type, raw), (value) => ({ value, strictErrors: [] }))
  )
}

/**
 * Decodes the body of a create, update or delete as Go would; fails with the Status of a real server. Never throws,
 * whatever the bytes. Upstream: apiserver/pkg/endpoints/handlers/{create,update,delete}.go.
 */
export const decodeBodyInSteps = function* (request: BodyRequest): Steps<Answer> {
  switch (contentTypeOf(request.contentType)) {
    case YAML_TYPE:
      return yield* decodeYamlBody(request)
    case PROTOBUF_TYPE:
      return yield* decodeProtobufBody(request)
    case JSON_TYPE:
      return yield* decodeJsonBody(request)
    default:
      return Result.fail(UNSUPPORTED)
  }
}

const UNSUPPORTED = refusals.unsupportedMediaType(bodyTypes)

/** Returns the 415 for a body of an unknown type, which precedes all other refusals of a create or update. */
export const bodyTypeRefusal = (contentType: string | undefined): Status | undefined =>
  bodyTypes.includes(contentTypeOf(contentType)) ? undefined : UNSUPPORTED

/** Does the work of `decodeBodyInSteps` in one piece, without pauses. */
export const decodeBody = (request: BodyRequest): Answer => runAllSteps(decodeBodyInSteps(request))
