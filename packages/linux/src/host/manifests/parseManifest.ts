import { decodeObject, defaultPod, type Pod } from "@rollcall/api"
import { fieldErrorsText, validatePod } from "@rollcall/api/validation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseAllDocuments } from "yaml"
import { apiReference } from "./apiReference.ts"

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** JSON is YAML. Only the first of several documents counts. */
const parseDocument = (text: string): Result.Result<unknown, string> => {
  const [document] = parseAllDocuments(text, { version: "1.1", uniqueKeys: false })
  if (document === undefined || !("errors" in document)) return Result.succeed(undefined)
  const [error] = document.errors
  return error === undefined ? Result.succeed(document.toJS()) : Result.fail(`yaml: ${error.message}`)
}

const fieldsOf = (value: unknown): { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** A valid static pod, or why it is not valid. */
const podOf = (value: unknown): Result.Result<Pod, string> => {
  const { apiVersion, kind } = fieldsOf(value)
  if (typeof kind !== "string" || kind === "") return Result.fail("Object 'Kind' is missing")
  if (apiVersion !== "v1" || kind !== "Pod") {
    return Result.fail(`kind "${kind}" in version "${String(apiVersion ?? "")}" is not a pod`)
  }
  const decoded = Effect.runSync(Effect.result(decodeObject("Pod", value)))
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message)
  const pod = decoded.success
  // Validates the pod with the namespace and the defaults that it gets on the node.
  const defaulted = defaultPod({
    ...pod,
    metadata: { ...pod.metadata, namespace: pod.metadata.namespace || "default" }
  })
  const errors = validatePod(defaulted)
  if (errors.length > 0) return Result.fail(`invalid pod: ${fieldErrorsText(errors)}`)
  const reference = apiReference(pod)
  return reference === undefined ? Result.succeed(pod) : Result.fail(`static pods may not reference ${reference}`)
}

/** Parses a manifest of one pod, in YAML or JSON. Upstream: pkg/kubelet/config/common.go tryDecodeSinglePod. */
export const parseManifest = (text: string): Result.Result<Pod, string> => {
  try {
    return Result.flatMap(parseDocument(text), podOf)
  } catch (error) {
    return Result.fail(textOf(error))
  }
}

const isList = (value: unknown): boolean => {
  const { apiVersion, kind } = fieldsOf(value)
  return apiVersion === "v1" && (kind === "PodList" || kind === "List")
}

/**
 * Parses a manifest of one pod, or of a list; one invalid pod makes the whole list invalid.
 * Upstream: tryDecodePodList.
 */
export const parseManifests = (text: string): Result.Result<ReadonlyArray<Pod>, string> => {
  try {
    return Result.flatMap(parseDocument(text), (value) => {
      if (!isList(value)) return Result.map(podOf(value), (pod) => [pod])
      const { items } = fieldsOf(value)
      // API servers leave apiVersion and kind out of the items of a list.
      const pods = (Array.isArray(items) ? items : []).map((item) =>
        podOf({ apiVersion: "v1", kind: "Pod", ...fieldsOf(item) })
      )
      return Result.all(pods)
    })
  } catch (error) {
    return Result.fail(textOf(error))
  }
}
