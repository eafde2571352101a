import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

/** The managers of an object, each with the fields that it owns below `metadata` and beside it. */
const ownersOf = ({ ask }: RunningServer, path: string) =>
  Effect.map(ask("GET", path), ({ json }) =>
    json.metadata.managedFields.map(
      (entry: Record<string, Record<string, object>>) =>
        `${entry.manager} ${entry.operation} ${entry.subresource ?? ""}: ${Object.keys(entry.fieldsV1 ?? {})}`
    )
  )

describe("objects that the server makes itself", () => {
  it.live("belong to it, as if it had sent them", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ fair: {} })
      assert.deepStrictEqual(yield* ownersOf(server, "/api/v1/namespaces/default"), [
        "kube-apiserver Update : f:metadata"
      ])
      assert.deepStrictEqual(yield* ownersOf(server, `${ROLES}/system:node`), [
        "kube-apiserver Update : f:metadata,f:rules"
      ])
      assert.deepStrictEqual(
        yield* ownersOf(server, "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical"),
        ["kube-apiserver Update : f:description,f:preemptionPolicy,f:value"]
      )
      assert.deepStrictEqual(yield* ownersOf(server, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt"), [
        "api-priority-and-fairness-config-consumer-v1 Apply status: f:status",
        "api-priority-and-fairness-config-producer-v1 Update : f:metadata,f:spec"
      ])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("conflict with who applies other values", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const body = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "system:node" },
        rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }]
      }
      const headers = { "content-type": "application/apply-patch+yaml" }
      const answer = yield* ask("PATCH", `${ROLES}/system:node?fieldManager=me`, { headers, body })
      assert.strictEqual(answer.code, 409)
      assert.include(answer.json.message, 'conflict with "kube-apiserver" using rbac.authorization.k8s.io/v1: .rules')
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
