import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { layerDisruptions, layerNamespaceController, layerResourceQuotas } from "../src/index.ts"
import { errorLines } from "./refusing.ts"

const metadata = { name: "web", namespace: "default" }

// The lines are those of a genuine controller manager.
describe("a controller that may not write", () => {
  it("logs which quota it could not count", () => {
    const program = Effect.gen(function* () {
      const spec = { hard: { pods: "2" } }
      yield* (yield* Cluster).create("ResourceQuota", { apiVersion: "v1", kind: "ResourceQuota", metadata, spec })
      yield* Effect.sleep("1 millis")
    })
    assert.deepStrictEqual(errorLines(layerResourceQuotas(), ["update ResourceQuota/status"], program)[0], [
      "Error processing resource quota work item",
      { err: "update ResourceQuota/status", logger: "UnhandledError", queueKey: "default/web" }
    ])
  })

  it("logs which budget it could not sync", () => {
    const program = Effect.gen(function* () {
      const spec = { minAvailable: 1, selector: {} }
      const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec } as const
      yield* (yield* Cluster).create("PodDisruptionBudget", budget)
      yield* Effect.sleep("1 millis")
    })
    assert.deepStrictEqual(errorLines(layerDisruptions, ["update PodDisruptionBudget/status"], program)[0], [
      "Error syncing PodDisruptionBudget, requeuing",
      { err: "update PodDisruptionBudget/status", logger: "UnhandledError", key: "default/web" }
    ])
  })

  it("logs which namespace it could not empty, of its pods and of all else", () => {
    const lineWhen = (refused: string) => {
      const program = Effect.gen(function* () {
        const api = yield* Cluster
        yield* api.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
        yield* api.delete("Namespace", { name: "team" })
        yield* Effect.sleep("5001 millis")
      })
      return errorLines(layerNamespaceController(), [refused], program)[0]
    }
    const fields = (err: string) => ({ err, logger: "UnhandledError", namespace: "team" })
    assert.deepStrictEqual(lineWhen("deletecollection Pod"), [
      "Deletion of namespace failed",
      fields("failed to delete pods for namespace: team, err: deletecollection Pod")
    ])
    assert.deepStrictEqual(lineWhen("deletecollection Secret"), [
      "Deletion of namespace failed",
      fields("deletecollection Secret")
    ])
  })
})
