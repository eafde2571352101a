import { assert, describe, it } from "@effect/vitest"
import { autoUpdateSpec, type FlowSchema, type KubeObject, type PriorityLevelConfiguration } from "@rollcall/api"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { priorityAndFairness } from "../../../src/http/flowcontrol/index.ts"
import { makeTestServer, type TestServer } from "../../core/testServer.ts"

const MINUTE_MS = 60_000

/** Makes a server that maintains its FlowSchemas and PriorityLevelConfigurations. */
const makeFairTestServer = (): TestServer & { readonly close: () => void } => {
  const testServer = makeTestServer({ managedFields: true })
  const scope = Effect.runSync(Scope.make())
  const started = Effect.flatMap(Timers, (timers) => priorityAndFairness({ server: testServer.server, timers }))
  const exit = testServer.time.run(Effect.provideService(started, Scope.Scope, scope))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return { ...testServer, close: () => void testServer.time.run(Scope.close(scope, Exit.void)) }
}

const schema = ({ get }: TestServer, name: string) => get("FlowSchema", name, "") as FlowSchema
const level = ({ get }: TestServer, name: string) =>
  get("PriorityLevelConfiguration", name, "") as PriorityLevelConfiguration

const put = (testServer: TestServer, object: FlowSchema | PriorityLevelConfiguration): KubeObject =>
  testServer.ask({ verb: "update", kind: object.kind, name: object.metadata.name ?? "", object }) as KubeObject

const remove = (testServer: TestServer, kind: "FlowSchema" | "PriorityLevelConfiguration", name: string) =>
  testServer.ask({ verb: "delete", kind, name })

const withShares = (object: PriorityLevelConfiguration, shares: number): PriorityLevelConfiguration => {
  const { limited } = object.spec ?? {}
  return { ...object, spec: { type: "Limited", limited: { ...limited, nominalConcurrencyShares: shares } } }
}

const withAutoUpdate = <A extends KubeObject>(object: A, value: string): A => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [autoUpdateSpec]: value } }
})

const sharesOf = (testServer: TestServer, name: string) =>
  level(testServer, name).spec?.limited?.nominalConcurrencyShares

describe("the server's own objects", () => {
  it("exist from the start, with the condition that their levels exist", () => {
    const testServer = makeFairTestServer()
    assert.strictEqual(testServer.list("FlowSchema").items.length, 11)
    assert.strictEqual(testServer.list("PriorityLevelConfiguration").items.length, 8)
    const { metadata, status } = schema(testServer, "system-nodes")
    assert.deepStrictEqual([metadata.generation, metadata.annotations], [1, { [autoUpdateSpec]: "true" }])
    assert.deepInclude(status?.conditions?.[0], {
      type: "Dangling",
      status: "False",
      reason: "Found",
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "system" and it exists'
    })
  })

  it("that are deleted are created again within a minute", () => {
    const testServer = makeFairTestServer()
    remove(testServer, "FlowSchema", "catch-all")
    remove(testServer, "FlowSchema", "system-nodes")
    remove(testServer, "PriorityLevelConfiguration", "exempt")
    assert.isUndefined(schema(testServer, "catch-all"))
    testServer.advance(MINUTE_MS)
    assert.isDefined(schema(testServer, "catch-all"))
    assert.isDefined(schema(testServer, "system-nodes"))
    assert.isDefined(level(testServer, "exempt"))
    testServer.close()
    remove(testServer, "FlowSchema", "catch-all")
    testServer.advance(2 * MINUTE_MS)
    assert.isUndefined(schema(testServer, "catch-all"))
  })

  it("follow their defaults as long as the annotation says so", () => {
    const testServer = makeFairTestServer()
    put(testServer, withShares(level(testServer, "system"), 7))
    put(testServer, withAutoUpdate(withShares(level(testServer, "node-high"), 8), "false"))
    // Neither true nor false: the spec was changed, so it stays.
    put(testServer, withAutoUpdate(withShares(level(testServer, "workload-low"), 9), "maybe"))
    testServer.advance(MINUTE_MS)
    assert.deepStrictEqual(
      [sharesOf(testServer, "system"), sharesOf(testServer, "node-high"), sharesOf(testServer, "workload-low")],
      [30, 8, 9]
    )
    assert.strictEqual(level(testServer, "workload-low").metadata.annotations?.[autoUpdateSpec], "false")
  })

  it("that are mandatory always follow them, except for the shares of the exempt level", () => {
    const testServer = makeFairTestServer()
    put(testServer, withAutoUpdate(schema(testServer, "exempt"), "false"))
    const exempt = level(testServer, "exempt")
    put(testServer, {
      ...exempt,
      spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 4, lendablePercent: 50 } }
    })
    testServer.advance(MINUTE_MS)
    assert.strictEqual(schema(testServer, "exempt").metadata.annotations?.[autoUpdateSpec], "true")
    assert.strictEqual(level(testServer, "exempt").spec?.exempt?.nominalConcurrencyShares, 4)
  })

  it("that no release has any more are deleted, others are left", () => {
    const testServer = makeFairTestServer()
    const { spec } = schema(testServer, "service-accounts")
    const made = (name: string, annotations: object) =>
      testServer.create("FlowSchema", {
        apiVersion: "flowcontrol.apiserver.k8s.io/v1",
        kind: "FlowSchema",
        metadata: { name, annotations },
        spec
      })
    made("workload-leader-election", { [autoUpdateSpec]: "true" })
    made("mine", {})
    made("kept", { [autoUpdateSpec]: "false" })
    testServer.advance(MINUTE_MS)
    assert.isUndefined(schema(testServer, "workload-leader-election"))
    assert.isDefined(schema(testServer, "mine"))
    assert.isDefined(schema(testServer, "kept"))
  })
})

describe("a schema's condition", () => {
  const conditionOf = (testServer: TestServer) => schema(testServer, "mine").status?.conditions?.[0]

  it("reports whether its level exists, as levels are created and deleted", () => {
    const testServer = makeFairTestServer()
    testServer.create("FlowSchema", {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "FlowSchema",
      metadata: { name: "mine" },
      spec: { priorityLevelConfiguration: { name: "mine" } }
    })
    testServer.settle()
    assert.deepInclude(conditionOf(testServer), {
      status: "True",
      reason: "NotFound",
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "mine" but there is no such object'
    })
    const { metadata: _, ...rest } = level(testServer, "system")
    testServer.create("PriorityLevelConfiguration", { ...rest, metadata: { name: "mine" } })
    testServer.settle()
    assert.deepInclude(conditionOf(testServer), { status: "False", reason: "Found" })
    const manager = schema(testServer, "mine").metadata.managedFields?.map((entry) => entry.manager) ?? []
    assert.include(manager, "api-priority-and-fairness-config-consumer-v1")
    remove(testServer, "PriorityLevelConfiguration", "mine")
    testServer.settle()
    assert.deepInclude(conditionOf(testServer), { status: "True" })
  })
})
