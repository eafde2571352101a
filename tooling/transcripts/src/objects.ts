import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isObject, type Json, type JsonObject } from "./Case.ts"
import type { Answer, Ask, NoAnswer } from "./Requests.ts"
import { collectionOf, resourceOfObject, resourceOfReference, resources } from "./resources.ts"

/** The preparation of a case failed. */
export class NotPrepared extends Schema.TaggedError<NotPrepared>()("NotPrepared", {
  message: Schema.String
}) {}

const MERGE = { "Content-Type": "application/merge-patch+json" }
/** The DeleteOptions of an immediate deletion. */
const DELETE_AT_ONCE: JsonObject = { gracePeriodSeconds: 0, propagationPolicy: "Background" }
/** The most attempts to delete an object, 100 ms apart. */
const ATTEMPTS = 20

const jsonOf = ({ body }: Answer): JsonObject => {
  const parsed: unknown = JSON.parse(body.toString("utf8"))
  return isObject(parsed) ? parsed : {}
}
const metadataOf = (object: Json): JsonObject =>
  isObject(object) && isObject(object.metadata ?? null) ? (object.metadata as JsonObject) : {}
const hasFinalizers = (object: Json): boolean => metadataOf(object).finalizers !== undefined

/** Sends a request of the preparation. Fails unless it succeeds. */
const sendSetup = Effect.fnUntraced(function* (ask: Ask, method: string, path: string, body: Json, headers = {}) {
  const { body: text, status } = yield* ask({ method, path, body, headers })
  if (status < 300) return
  return yield* new NotPrepared({
    message: `setup: ${method} ${path}: ${status} ${text.toString("utf8").slice(0, 600)}`
  })
})

/** Creates an object, and then patches its status if it has one. */
export const createObject = Effect.fnUntraced(function* (ask: Ask, object: JsonObject, namespace: string) {
  const { status, "x-cluster-scoped": isClusterScoped, ...body } = object
  const metadata = metadataOf(object)
  const resource = resourceOfObject(String(object.apiVersion), String(object.kind), isClusterScoped === true)
  const collection = collectionOf(resource, typeof metadata.namespace === "string" ? metadata.namespace : namespace)
  yield* sendSetup(ask, "POST", collection, body)
  if (status === undefined) return
  yield* sendSetup(ask, "PATCH", `${collection}/${String(metadata.name)}/status`, { status }, MERGE)
})

const removeFinalizers = (ask: Ask, path: string) =>
  ask({ method: "PATCH", path, body: { metadata: { finalizers: null } }, headers: MERGE })

/** Deletes the contents of a namespace and finalizes it, like the namespace controller. */
export const removeNamespace = Effect.fnUntraced(function* (ask: Ask, namespace: string) {
  for (const resource of resources) {
    if (resource.isClusterScoped) continue
    const path = collectionOf(resource, namespace)
    yield* ask({ method: "DELETE", path, body: DELETE_AT_ONCE })
    const left = yield* ask({ method: "GET", path })
    if (left.status !== 200) continue
    const { items } = jsonOf(left)
    for (const item of Array.isArray(items) ? items : []) {
      if (hasFinalizers(item)) yield* removeFinalizers(ask, `${path}/${String(metadataOf(item).name)}`)
    }
  }
  const path = `/api/v1/namespaces/${namespace}`
  yield* ask({ method: "DELETE", path, body: { propagationPolicy: "Background" } })
  const left = yield* ask({ method: "GET", path })
  if (left.status !== 200) return
  yield* ask({ method: "PUT", path: `${path}/finalize`, body: { ...jsonOf(left), spec: { finalizers: [] } } })
})

/** Deletes an object by its reference (kind/name or kind/namespace/name), despite finalizers. Does nothing if the object does not exist. */
export const removeReference = (ask: Ask, reference: string): Effect.Effect<void, NoAnswer> =>
  Effect.gen(function* () {
    const [kind = "", ...rest] = reference.split("/")
    const name = rest.at(-1) ?? ""
    if (kind === "namespace") return yield* removeNamespace(ask, name)
    const found = resourceOfReference(kind)
    // Without a namespace, `plural.group` refers to an object of the cluster.
    const resource = rest.length === 1 && kind.includes(".") ? { ...found, isClusterScoped: true } : found
    const path = `${collectionOf(resource, rest.length > 1 ? (rest[0] ?? "") : "default")}/${name}`
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if ((yield* ask({ method: "DELETE", path, body: DELETE_AT_ONCE })).status === 404) return
      const left = yield* ask({ method: "GET", path })
      if (left.status === 404) return
      // The finalizer of a definition is the server's: the server removes it when the objects are deleted.
      if (left.status === 200 && kind !== "customresourcedefinition" && hasFinalizers(jsonOf(left))) {
        yield* removeFinalizers(ask, path)
      }
      yield* Effect.sleep("100 millis")
    }
  })
