import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ApiError, type ClusterShape, isForbidden } from "@rollcall/cluster"
import { loadScenarios } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { createObjects, playEvents } from "../src/up/scenario.ts"
import { makeWorld } from "./world.ts"

const pod = { spec: { nodeName: "a-0", containers: [{ name: "c", image: "x" }] } }
const scenario = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "small" },
  spec: {
    duration: "3m",
    cluster: {
      nodes: [{ name: "a", count: 2, zone: "zone-a" }],
      objects: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, ...pod }]
    },
    events: [
      { at: "1m", fault: "partition", nodes: { names: ["a-0"] } },
      { at: "90s", do: "cordon", nodes: { names: ["a-1"] } }
    ]
  }
}

const loaded = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-components-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const file = join(folder, "small.yaml")
  writeFileSync(file, JSON.stringify(scenario))
  const [plan] = yield* loadScenarios([file])
  return plan ?? assert.fail("no scenario")
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", reason: "Forbidden", code: 403 }
const forbidden = new ApiError({ status })

describe("the objects of a scenario", () => {
  it.effect("wait at most ten seconds for the service accounts of their pods", () =>
    Effect.gen(function* () {
      const plan = yield* loaded
      const world = makeWorld([])
      const startedMs = world.now()
      const until = (ms: number): ClusterShape => ({
        ...world.admin,
        create: (...args) =>
          Effect.suspend(() => (world.now() - startedMs < ms ? Effect.fail(forbidden) : world.admin.create(...args)))
      })
      const refused = world.run(Effect.flip(createObjects(until(60_000), plan)))
      assert.isTrue(isForbidden(refused))
      assert.strictEqual(world.now() - startedMs, 10_000)
      world.run(createObjects(until(15_000), plan))
      assert.strictEqual(world.run(world.admin.list("Pod")).items.length, 1)
      world.close()
    })
  )

  it.effect("are not changed if they exist", () =>
    Effect.gen(function* () {
      const plan = yield* loaded
      const world = makeWorld([])
      const uid = () => world.run(world.admin.get("Pod", { namespace: "default", name: "p" })).metadata.uid
      world.run(createObjects(world.admin, plan))
      const before = uid()
      world.run(createObjects(world.admin, plan))
      assert.strictEqual(uid(), before)
      world.close()
    })
  )
})

describe("the events of a scenario", () => {
  it.effect("happen at their times after the start of the fleet, as in a rehearsal", () =>
    Effect.gen(function* () {
      const plan = yield* loaded
      const world = makeWorld([{ name: "a", count: 2, zone: "zone-a" }])
      const fleet = world.start()
      world.pass(20)
      world.run(playEvents(plan, world.admin, fleet))
      const faults = () =>
        world
          .run(world.admin.list("ConfigMap", { namespace: "kube-system" }))
          .items.find(({ metadata }) => metadata.name === "rollcall-faults")
      const cordoned = () => world.run(world.admin.get("Node", { name: "a-1" })).spec?.unschedulable === true
      world.pass(39.9)
      assert.isUndefined(faults())
      world.pass(0.2)
      assert.deepStrictEqual(Object.keys(faults()?.data ?? {}), ["event-0"])
      world.pass(29.5)
      assert.isFalse(cordoned())
      world.pass(0.5)
      assert.isTrue(cordoned())
      world.close()
    })
  )
})
