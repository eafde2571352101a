import { assert, describe, it } from "@effect/vitest"
import type { Namespace, Pod } from "@rollcall/api"
import { Cluster, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { layerNamespaceController } from "../../src/namespace/NamespaceController.ts"
import { configMap, runWithCollector } from "./runWithCollector.ts"

const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "team" },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] }
}

const fillNamespace = Effect.gen(function* () {
  const api = yield* Cluster
  yield* api.create("Namespace", namespace)
  yield* api.create("ConfigMap", configMap("settings", { namespace: "team" }))
  yield* api.create("ConfigMap", configMap("elsewhere"))
  yield* api.create("Pod", pod)
})

const exists = (kind: "ConfigMap" | "Namespace" | "Pod", name: string, space?: string) =>
  Effect.flatMap(Cluster, (api) =>
    api.get(kind, { name, namespace: space }).pipe(
      Effect.as(true),
      Effect.catchIf(isNotFound, () => Effect.succeed(false))
    )
  )

const withController = <A, E>(program: Effect.Effect<A, E, Cluster>) =>
  runWithCollector(Effect.provide(program, layerNamespaceController()))

describe("the namespace controller", () => {
  it("deletes pods first, then everything else, then the namespace", () => {
    const seen = withController(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* fillNamespace
        yield* api.delete("Namespace", { name: "team" })
        yield* Effect.sleep("10 seconds")
        const stopping = yield* api.get("Pod", { name: "p", namespace: "team" })
        const heldBack = yield* exists("ConfigMap", "settings", "team")
        // What a kubelet does once the containers have stopped.
        yield* api.delete("Pod", { name: "p", namespace: "team" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("30 seconds")
        return {
          grace: stopping.metadata.deletionGracePeriodSeconds,
          heldBack,
          namespace: yield* exists("Namespace", "team"),
          settings: yield* exists("ConfigMap", "settings", "team"),
          elsewhere: yield* exists("ConfigMap", "elsewhere", "default")
        }
      })
    )
    assert.deepStrictEqual(seen, { grace: 30, heldBack: true, namespace: false, settings: false, elsewhere: true })
  })

  it("waits for finalizers of the contents, and leaves other holds on the namespace alone", () => {
    const seen = withController(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* api.create("Namespace", { ...namespace, spec: { finalizers: ["x.io/other"] } })
        yield* api.create("ConfigMap", configMap("held", { namespace: "team", finalizers: ["x.io/hold"] }))
        yield* api.delete("Namespace", { name: "team" })
        yield* Effect.sleep("1 minute")
        const before = (yield* api.get("Namespace", { name: "team" })).spec?.finalizers
        yield* api.patch("ConfigMap", { name: "held", namespace: "team" }, "merge", { metadata: { finalizers: null } })
        yield* Effect.sleep("1 minute")
        return { before, after: (yield* api.get("Namespace", { name: "team" })).spec?.finalizers }
      })
    )
    assert.deepStrictEqual(seen, { before: ["x.io/other", "kubernetes"], after: ["x.io/other"] })
  })

  it("does nothing to namespaces that live, and only the finalize subresource frees one", () => {
    const seen = withController(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* fillNamespace
        const stored = yield* api.get("Namespace", { name: "team" })
        const updated = yield* api.update("Namespace", { ...stored, spec: { finalizers: [] } })
        const refused = yield* Effect.flip(
          api.patch("Namespace", { name: "team" }, "merge", {}, { subresource: "finalize" })
        )
        yield* Effect.sleep("1 minute")
        return {
          finalizers: updated.spec?.finalizers,
          settings: yield* exists("ConfigMap", "settings", "team"),
          code: refused._tag === "ApiError" ? refused.code : 0
        }
      })
    )
    assert.deepStrictEqual(seen, { finalizers: ["kubernetes"], settings: true, code: 405 })
  })

  it("says in conditions what holds the namespace, and keeps the time of a state that lasts", () => {
    const seen = withController(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* api.create("Namespace", namespace)
        for (const name of ["a", "b"]) {
          yield* api.create("ConfigMap", configMap(name, { namespace: "team", finalizers: ["x.io/hold"] }))
        }
        yield* api.delete("Namespace", { name: "team" })
        yield* Effect.sleep("1 minute")
        const before = (yield* api.get("Namespace", { name: "team" })).status?.conditions ?? []
        yield* api.patch("ConfigMap", { name: "a", namespace: "team" }, "merge", { metadata: { finalizers: null } })
        yield* Effect.sleep("1 minute")
        const after = (yield* api.get("Namespace", { name: "team" })).status?.conditions ?? []
        return { before, after }
      })
    )
    const told = seen.before.map(({ message, reason, status, type }) => [type, status, reason, message])
    assert.deepStrictEqual(told, [
      ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"],
      [
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed"
      ],
      [
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization"
      ],
      [
        "NamespaceContentRemaining",
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: configmaps. has 2 resource instances"
      ],
      [
        "NamespaceFinalizersRemaining",
        "True",
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: x.io/hold in 2 resource instances"
      ]
    ])
    assert.strictEqual(seen.after[3]?.message, "Some resources are remaining: configmaps. has 1 resource instances")
    assert.strictEqual(seen.after[3]?.lastTransitionTime, seen.before[3]?.lastTransitionTime)
  })
})
