import type { KubeObject } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import { decodingFault } from "@rollcall/dynamic-admission"
import * as Result from "effect/Result"
import { groupVersionText, identityFault, withOriginalMetadata } from "./convertedObject.ts"

const GROUP = "apiextensions.k8s.io"
const KIND = "ConversionReview"

export type ReviewVersion = "v1" | "v1beta1"

/** Returns the first version of ConversionReview that a webhook accepts and the server knows. */
export const reviewVersionOf = (accepted: ReadonlyArray<string>): ReviewVersion | undefined =>
  accepted.find((version): version is ReviewVersion => version === "v1" || version === "v1beta1")

/** What one call of a conversion webhook is about. */
export interface Conversion {
  readonly version: ReviewVersion
  readonly uid: string
  readonly object: KubeObject
  readonly desiredAPIVersion: string
}

/** Returns the ConversionReview for a webhook, with the response that Go writes when there is none. */
export const reviewOf = ({ desiredAPIVersion, object, uid, version }: Conversion): object => ({
  kind: KIND,
  apiVersion: `${GROUP}/${version}`,
  request: { uid, desiredAPIVersion, objects: [object] },
  response: { uid: "", convertedObjects: null, result: { metadata: {} } }
})

/** Why an object was not converted: as metrics count it, and as the client reads it. */
export interface ConversionFault {
  readonly type:
    | "conversion_webhook_call_failure"
    | "conversion_webhook_invalid_converted_object_failure"
    | "conversion_webhook_malformed_response_failure"
    | "conversion_webhook_partial_response_failure"
  readonly message: string
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const kindText = ({ apiVersion, kind }: Fields): string => {
  const version = textOf(apiVersion)
  return `${version.includes("/") ? version : `/${version}`}, Kind=${textOf(kind)}`
}

/** Returns the beginning of messages about the conversion of an object. */
export const failurePrefix = (object: KubeObject): string =>
  `conversion webhook for ${kindText({ apiVersion: object.apiVersion, kind: object.kind })}`

/** Returns what is wrong with the answer as a whole. Upstream: getConvertedObjectsFromResponse. */
const responseFault = (answer: Fields, { uid, version }: Conversion): string | undefined => {
  const expected = `${GROUP}/${version}, Kind=${KIND}`
  if (version === "v1" && kindText(answer) !== expected) {
    return `expected webhook response of ${expected}, got ${kindText(answer)}`
  }
  const { response } = answer
  if (!isFields(response)) return "no response provided"
  if (version === "v1" && textOf(response.uid) !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response.uid))}`
  }
  const { message, status } = isFields(response.result) ? response.result : ({} as Fields)
  if (status === "Success") return undefined
  return textOf(message) || `response.result.status was '${textOf(status)}', not 'Success'`
}

/** Returns why a converted object is no object of Kubernetes; it is the whole message. Upstream: getRawExtensionObject. */
const objectFault = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return "unexpected end of JSON input"
  if (!isFields(value)) {
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
  }
  const isParsable = textOf(value.apiVersion).split("/").length <= 2
  return textOf(value.kind) === "" || !isParsable ? `Object 'Kind' is missing in '${JSON.stringify(value)}'` : undefined
}

/** Returns what is wrong with the only converted object. */
const convertedFault = (made: Fields, { desiredAPIVersion, object }: Conversion): string | undefined => {
  const invalid = "returned invalid object at index 0"
  if (groupVersionText(made) !== desiredAPIVersion) {
    return `${invalid}: invalid groupVersion (expected ${desiredAPIVersion}, received ${groupVersionText(made)})`
  }
  if (made.kind !== object.kind) {
    return `${invalid}: invalid kind (expected ${object.kind}, received ${textOf(made.kind)})`
  }
  const fault = identityFault({ ...object }, made)
  return fault === undefined ? undefined : `returned invalid object: ${fault}`
}

/**
 * Returns the converted object of an answer, or why there is none. Upstream:
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, Convert.
 */
export const readConverted = (answer: Fields, conversion: Conversion): Result.Result<KubeObject, ConversionFault> => {
  const prefix = failurePrefix(conversion.object)
  const fail = (type: ConversionFault["type"], message: string) => Result.fail({ type, message })
  const undecodable = decodingFault(answer, { group: GROUP, version: conversion.version, kind: KIND })
  if (undecodable !== undefined) {
    return fail("conversion_webhook_call_failure", `${prefix} failed: ${undecodable}`)
  }
  const malformed = responseFault(answer, conversion)
  if (malformed !== undefined) {
    return fail("conversion_webhook_malformed_response_failure", `${prefix} failed: ${malformed}`)
  }
  const { convertedObjects } = answer.response as Fields
  const objects: ReadonlyArray<unknown> = Array.isArray(convertedObjects) ? convertedObjects : []
  if (objects.length !== 1) {
    const message = `${prefix} returned ${objects.length} objects, expected 1`
    return fail("conversion_webhook_partial_response_failure", message)
  }
  const [made] = objects
  const invalid = "conversion_webhook_invalid_converted_object_failure"
  const unreadable = objectFault(made)
  if (unreadable !== undefined || !isFields(made)) return fail(invalid, unreadable ?? "")
  const fault = convertedFault(made, conversion)
  if (fault !== undefined) return fail(invalid, `${prefix} ${fault}`)
  return Result.mapError(withOriginalMetadata(conversion.object, made), (why) => ({
    type: invalid,
    message: `${prefix} returned invalid metadata: ${why}`
  }))
}
