import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition, HorizontalPodAutoscaler, KubeObject } from "@rollcall/api"
import { customResources } from "@rollcall/api-server/custom"
import { runWithApiServer } from "@rollcall/api-server/testing"
import {
  ApiError,
  type ApiRequest,
  Cluster,
  type ClusterError,
  type Connection,
  cancellable,
  fromConnection
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Draft } from "../../src/autoscaling/Draft.ts"
import { isUnknownKind, noMatch, targetKind } from "../../src/autoscaling/TargetScales.ts"
import { layerAutoscalers } from "../../src/index.ts"

const widgets: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.ex.io" },
  spec: {
    group: "ex.io",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } }
      }
    ]
  }
}

const autoscalerOf = (kind: string): HorizontalPodAutoscaler => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: kind.toLowerCase(), namespace: "default" },
  spec: { scaleTargetRef: { apiVersion: "ex.io/v1", kind, name: "w" }, minReplicas: 3, maxReplicas: 5 }
})

const refusal = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, code: 403, reason: "Forbidden", message: "no" }
})

/** Refuses to list definitions, which the account of the controller may not do. */
const withoutDefinitions = (connection: Connection): Connection => ({
  ...connection,
  send: cancellable((request, reply) => {
    if (request.kind === "CustomResourceDefinition") reply(Result.fail(refusal))
    else connection.send(request, reply)
  })
})

const ask = (connection: Connection, request: ApiRequest) =>
  Effect.callback<KubeObject, ClusterError>((resume) => {
    connection.send(request, (answer) =>
      resume(Result.isSuccess(answer) ? Effect.succeed(answer.success as KubeObject) : Effect.fail(answer.failure))
    )
  })

describe("autoscalers of custom resources", () => {
  it("scale them without listing definitions", () =>
    runWithApiServer(
      (admin) =>
        Effect.gen(function* () {
          const cluster = fromConnection(admin)
          const address = { kind: "Widget.ex.io/v1", namespace: "default" } as const
          yield* cluster.create("CustomResourceDefinition", widgets)
          yield* Effect.sleep("1 second")
          const widget = { apiVersion: "ex.io/v1", kind: "Widget", metadata: { name: "w" }, spec: { n: 1 } }
          yield* ask(admin, { verb: "create", ...address, object: widget })
          yield* cluster.create("HorizontalPodAutoscaler", autoscalerOf("Widget"))
          yield* cluster.create("HorizontalPodAutoscaler", autoscalerOf("Nothing"))
          yield* Effect.sleep("40 seconds")
          const scaled = yield* ask(admin, { verb: "get", ...address, name: "w" })
          assert.deepStrictEqual((scaled as { readonly spec?: unknown }).spec, { n: 3 })
          const { status } = yield* cluster.get("HorizontalPodAutoscaler", { namespace: "default", name: "nothing" })
          assert.deepInclude(status?.conditions?.[0], { status: "False", reason: "FailedGetScale" })
        }).pipe(Effect.provide(Layer.provide(layerAutoscalers(), Cluster.layerConnection(withoutDefinitions(admin))))),
      { server: { customResources }, seed: "custom targets" }
    ))

  it("whose target is missing keep their metrics unset, as null that was read as an empty list", () => {
    const draft = new Draft({ ...autoscalerOf("Widget"), status: { desiredReplicas: 0, currentMetrics: [] } }, 0)
    assert.strictEqual(draft.withConditions.currentMetrics, null)
  })

  it("name the kind as requests do, and say as Kubernetes does that there is none", () => {
    const widget = { apiVersion: "ex.io/v1", kind: "Widget", name: "w" }
    assert.strictEqual(targetKind(widget), "Widget.ex.io/v1")
    assert.strictEqual(targetKind({ apiVersion: "apps/v1", kind: "Deployment", name: "w" }), "Deployment")
    assert.isUndefined(targetKind({ apiVersion: "v1", kind: "Widget", name: "w" }))
    assert.strictEqual(noMatch(widget), 'no matches for kind "Widget" in group "ex.io"')
    assert.isTrue(isUnknownKind('no matches for kind "Widget" in version "ex.io/v1"'))
  })
})
