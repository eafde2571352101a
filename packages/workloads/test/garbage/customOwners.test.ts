import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { type ApiRequest, Cluster, type ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { layerNamespaceController } from "../../src/namespace/NamespaceController.ts"
import { dial, dialKind, dials } from "./dials.ts"
import { configMap, runWithCollector, waitForCollector } from "./runWithCollector.ts"

const ask = (request: ApiRequest) =>
  Effect.flatMap(Cluster, ({ connection }) =>
    Effect.callback<KubeObject, ClusterError>((resume) => {
      connection.send(request, (answer) =>
        resume(Result.isSuccess(answer) ? Effect.succeed(answer.success as KubeObject) : Effect.fail(answer.failure))
      )
    })
  )

const owners = (kind: string, apiVersion: string, ...objects: ReadonlyArray<KubeObject>) =>
  objects.map(({ metadata: { name = "", uid = "" } }) => ({ apiVersion, kind, name, uid }))

const createDial = (name: string, metadata: object = {}, namespace = "default") =>
  ask({
    verb: "create",
    kind: dialKind,
    namespace,
    object: { ...dial(name), metadata: { name, namespace, ...metadata } }
  })

const names = Effect.map(ask({ verb: "list", kind: dialKind }), (list) =>
  (list as KubeObject & { items: Array<KubeObject> }).items.map(({ metadata }) => metadata.name)
)

const define = Effect.flatMap(Cluster, (api) =>
  Effect.andThen(api.create("CustomResourceDefinition", dials()), waitForCollector)
)

describe("custom resources among owners", () => {
  it("go with a built-in owner, and take built-in dependents with them, whatever version names them", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* define
        const root = yield* api.create("ConfigMap", configMap("root"))
        const owned = yield* createDial("owned", { ownerReferences: owners("ConfigMap", "v1", root) })
        yield* createDial("free")
        const older = "rollcall.example.com/v1beta1"
        yield* api.create("ConfigMap", configMap("leaf", { ownerReferences: owners("Dial", older, owned) }))
        yield* waitForCollector
        yield* api.delete("ConfigMap", { name: "root", namespace: "default" })
        yield* Effect.sleep("30 seconds")
        const maps = yield* api.list("ConfigMap")
        return { dials: yield* names, maps: maps.items.map(({ metadata }) => metadata.name) }
      })
    )
    assert.deepStrictEqual(left, { dials: ["free"], maps: [] })
  })

  it("lose only deleted owners", () => {
    const references = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* define
        const one = yield* api.create("ConfigMap", configMap("one"))
        const other = yield* api.create("ConfigMap", configMap("other"))
        yield* createDial("owned", { ownerReferences: owners("ConfigMap", "v1", one, other) })
        yield* waitForCollector
        yield* api.delete("ConfigMap", { name: "one", namespace: "default" })
        yield* Effect.sleep("30 seconds")
        const owned = yield* ask({ verb: "get", kind: dialKind, name: "owned", namespace: "default" })
        return owned.metadata.ownerReferences?.map(({ name }) => name)
      })
    )
    assert.deepStrictEqual(references, ["other"])
  })

  it("go with their namespace", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* define
        yield* api.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
        yield* createDial("a", {}, "team")
        yield* createDial("b")
        yield* api.delete("Namespace", { name: "team" })
        yield* Effect.sleep("1 minute")
        const spaces = yield* api.list("Namespace")
        return { dials: yield* names, gone: spaces.items.every(({ metadata }) => metadata.name !== "team") }
      }).pipe(Effect.provide(layerNamespaceController()))
    )
    assert.deepStrictEqual(left, { dials: ["b"], gone: true })
  })
})
