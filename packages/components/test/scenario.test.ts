import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { ApiError, Cluster, type ClusterShape, isForbidden } from "@rollcall/cluster"
import { loadScenarios } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { playUsage } from "../src/up/playUsage.ts"
import { createObjects, playEvents } from "../src/up/scenario.ts"
import { makeTestFleet } from "./testFleet.ts"

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
    usage: [
      {
        pods: { labels: { app: "web" } },
        shared: true,
        cpu: [
          { at: "0s", amount: "1" },
          { at: "1m", amount: "3" }
        ]
      }
    ],
    events: [
      { at: "1m", fault: "partition", nodes: { names: ["a-0"] } },
      { at: "90s", do: "cordon", nodes: { names: ["a-1"] } }
    ]
  }
}

const loadedScenario = Effect.gen(function* () {
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
const forbiddenError = new ApiError({ status })

describe("the objects of a scenario", () => {
  it.effect("wait at most ten seconds for the service accounts of their pods", () =>
    Effect.gen(function* () {
      const plan = yield* loadedScenario
      const testFleet = makeTestFleet([])
      const startedMs = testFleet.now()
      const until = (ms: number): ClusterShape => ({
        ...testFleet.admin,
        create: (...args) =>
          Effect.suspend(() =>
            testFleet.now() - startedMs < ms ? Effect.fail(forbiddenError) : testFleet.admin.create(...args)
          )
      })
      const refused = testFleet.run(Effect.flip(createObjects(until(60_000), plan)))
      assert.isTrue(isForbidden(refused))
      assert.strictEqual(testFleet.now() - startedMs, 10_000)
      testFleet.run(createObjects(until(15_000), plan))
      assert.strictEqual(testFleet.run(testFleet.admin.list("Pod")).items.length, 1)
      testFleet.close()
    })
  )

  it.effect("are not changed if they exist", () =>
    Effect.gen(function* () {
      const plan = yield* loadedScenario
      const testFleet = makeTestFleet([])
      const uid = () => testFleet.run(testFleet.admin.get("Pod", { namespace: "default", name: "p" })).metadata.uid
      testFleet.run(createObjects(testFleet.admin, plan))
      const before = uid()
      testFleet.run(createObjects(testFleet.admin, plan))
      assert.strictEqual(uid(), before)
      testFleet.close()
    })
  )
})

describe("the events of a scenario", () => {
  it.effect("happen at their times after the start of the fleet, as in a rehearsal", () =>
    Effect.gen(function* () {
      const plan = yield* loadedScenario
      const testFleet = makeTestFleet([{ name: "a", count: 2, zone: "zone-a" }])
      const fleet = testFleet.start()
      testFleet.pass(20)
      testFleet.run(playEvents(plan, testFleet.admin, fleet))
      const faults = () =>
        testFleet
          .run(testFleet.admin.list("ConfigMap", { namespace: "kube-system" }))
          .items.find(({ metadata }) => metadata.name === "rollcall-faults")
      const cordoned = () => testFleet.run(testFleet.admin.get("Node", { name: "a-1" })).spec?.unschedulable === true
      testFleet.pass(39.9)
      assert.isUndefined(faults())
      testFleet.pass(0.2)
      assert.deepStrictEqual(Object.keys(faults()?.data ?? {}), ["event-0"])
      testFleet.pass(29.5)
      assert.isFalse(cordoned())
      testFleet.pass(0.5)
      assert.isTrue(cordoned())
      testFleet.close()
    })
  )
})

describe("the usage of a scenario's pods", () => {
  const running = (name: string, labels: Readonly<Record<string, string>>): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels },
    spec: { nodeName: "a-0", containers: [{ name: "c", image: "x" }] }
  })

  it.effect("changes at its times after the start of the fleet, and is shared by the pods that are ready", () =>
    Effect.gen(function* () {
      const plan = yield* loadedScenario
      const testFleet = makeTestFleet([{ name: "a", count: 1, zone: "zone-a" }])
      const fleet = testFleet.start()
      testFleet.pass(20)
      const scope = testFleet.run(Scope.make())
      let failures = 3
      const patch: ClusterShape["patch"] = (...args) =>
        Effect.suspend(() => (failures-- > 0 ? Effect.fail(forbiddenError) : testFleet.admin.patch(...args)))
      testFleet.run(
        playUsage(plan, { ...testFleet.admin, patch }, fleet.startedMs()).pipe(
          Effect.provideService(Cluster, testFleet.admin),
          Scope.provide(scope)
        )
      )
      const behaviours = () =>
        testFleet
          .run(testFleet.admin.list("Pod"))
          .items.map(({ metadata }) => metadata.annotations?.["rollcall.dev/behaviour"])
      for (const name of ["p1", "p2"]) testFleet.run(testFleet.admin.create("Pod", running(name, { app: "web" })))
      testFleet.run(testFleet.admin.create("Pod", running("other", { app: "other" })))
      testFleet.pass(10)
      assert.deepStrictEqual(behaviours(), [undefined, '{"*":{"cpu":"500m"}}', '{"*":{"cpu":"500m"}}'])
      testFleet.pass(32)
      assert.deepStrictEqual(behaviours(), [undefined, '{"*":{"cpu":"1500m"}}', '{"*":{"cpu":"1500m"}}'])
      testFleet.run(testFleet.admin.delete("Pod", { namespace: "default", name: "p2" }))
      testFleet.pass(40)
      assert.deepStrictEqual(behaviours(), [undefined, '{"*":{"cpu":"3000m"}}'])
      testFleet.run(Scope.close(scope, Exit.void))
      testFleet.close()
    })
  )
})
