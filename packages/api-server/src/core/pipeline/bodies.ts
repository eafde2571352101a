import { badRequest, type KubeObject, type Status } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import * as Result from "effect/Result"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"

/** Whether the body has the kind, the apiVersion and the metadata of an object of this kind. */
const isComplete = (body: Fields, definition: KindDefinition): body is Fields & KubeObject =>
  body.kind === definition.resource.kind && body.apiVersion === definition.apiVersion && isFields(body.metadata)

/**
 * Returns the body of a request as an object of the kind. Its fields have been decoded before; this checks only the
 * fields that every object has. Kind and apiVersion may be missing: the request's path determines them. Those of a custom
 * resource are validated with the rest of it.
 */
export const bodyOf = (definition: KindDefinition, body: unknown): Result.Result<KubeObject, Status> => {
  const { apiVersion, resource } = definition
  if (!isFields(body)) {
    return Result.fail(badRequest(`the object provided is unrecognized (must be of type ${resource.kind})`))
  }
  if (isComplete(body, definition)) return Result.succeed(body)
  const kind = textOf(body.kind) ?? resource.kind
  const version = textOf(body.apiVersion) ?? apiVersion
  const isOther = kind !== resource.kind || version !== apiVersion
  if (isOther && !isCustom(definition)) return Result.fail(wrongKindStatus(definition, kind, version))
  const metadata = body.metadata ?? {}
  if (!isFields(metadata))
    return Result.fail(badRequest("the object provided is unrecognized: metadata is not an object"))
  return Result.succeed({ ...body, apiVersion: version, kind, metadata })
}

/** Returns the error if a body cannot be converted to the internal form of its kind. */
export const unconvertible = (definition: KindDefinition, object: KubeObject): Status | undefined => {
  const fault = definition.conversionFault?.(object)
  if (fault === undefined) return undefined
  const { kind, version } = definition.resource
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${fault}`)
}

/** Returns a text that is not empty. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Returns the error for a body of another kind or version. */
const wrongKindStatus = ({ resource }: KindDefinition, kind: string, version: string): Status => {
  const internal = resource.group === "" ? "core" : (resource.group.split(".")[0] ?? "")
  const short = version.slice(version.indexOf("/") + 1)
  return badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: converting (${short}.${kind}) to (${internal}.${resource.kind}): unknown conversion`
  )
}

/** Returns the error if the body has another namespace or name than the request's path, or no name. */
export const addressMismatch = (object: KubeObject, namespace: string, name: string): Status | undefined => {
  const { metadata } = object
  const mismatch = namespaceMismatch(object, namespace)
  if (mismatch !== undefined) return mismatch
  if (!metadata.name) {
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (metadata.name !== name) {
    return badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
  }
  return undefined
}

/** Returns the error if the body has another namespace than the request's path. */
export const namespaceMismatch = ({ metadata }: Pick<KubeObject, "metadata">, namespace: string): Status | undefined =>
  metadata.namespace !== undefined && metadata.namespace !== "" && namespace !== "" && metadata.namespace !== namespace
    ? badRequest("the namespace of the provided object does not match the namespace sent on the request")
    : undefined
