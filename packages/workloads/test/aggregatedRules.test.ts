import { assert, describe, it } from "@effect/vitest"
import type { ClusterRole, PolicyRule } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { aggregatedRules } from "../src/clusterroles/aggregatedRules.ts"
import { layerClusterRoleAggregation } from "../src/index.ts"

const rule = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] })

type Rules = ReadonlyArray<PolicyRule> | null

const role = (name: string, labels: Readonly<Record<string, string>>, rules: Rules): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels },
  rules
})

const aggregated = (rules: Rules): ClusterRole => ({
  ...role("all", { a: "1" }, rules),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { b: "1" } }, { matchLabels: { a: "1" } }] }
})

describe("aggregatedRules", () => {
  const parts = [
    role("z", { a: "1" }, [rule("pods"), rule("nodes")]),
    role("y", { a: "1" }, [rule("pods")]),
    role("x", { b: "1" }, [rule("secrets")]),
    role("other", {}, [rule("events")])
  ]

  it("gathers rules by selector and name, each once, and none of the role itself", () => {
    const all = aggregated([rule("leases")])
    assert.deepStrictEqual(aggregatedRules(all, [all, ...parts]), [rule("secrets"), rule("pods"), rule("nodes")])
  })

  it("finds nothing to write in a role that has its rules, or that is not aggregated", () => {
    const done = aggregated([rule("secrets"), { ...rule("pods"), resourceNames: [] }, rule("nodes")])
    assert.isUndefined(aggregatedRules(done, parts))
    assert.isUndefined(aggregatedRules(role("z", {}, []), parts))
    assert.isUndefined(aggregatedRules(aggregated(null), []))
  })

  it("are owned by the controller as long as there are any", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const managers = Effect.map(cluster.get("ClusterRole", { name: "all" }), ({ metadata }) =>
          (metadata.managedFields ?? []).map(({ manager }) => manager)
        )
        return Effect.gen(function* () {
          yield* cluster.create("ClusterRole", aggregated(null))
          yield* cluster.create("ClusterRole", role("x", { b: "1" }, [rule("secrets")]))
          yield* Effect.sleep("1 second")
          assert.include(yield* managers, "clusterrole-aggregation-controller")
          yield* cluster.delete("ClusterRole", { name: "x" })
          yield* Effect.sleep("1 second")
          assert.notInclude(yield* managers, "clusterrole-aggregation-controller")
        }).pipe(Effect.provide(layerClusterRoleAggregation.pipe(Layer.provide(Cluster.layerConnection(admin)))))
      },
      { server: { managedFields: true }, seed: "aggregation" }
    ))
})
