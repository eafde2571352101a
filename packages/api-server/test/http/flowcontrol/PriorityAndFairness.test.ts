import { assert, describe, it } from "@effect/vitest"
import { autoUpdateSpec, type FlowSchema, type KubeObject, type PriorityLevelConfiguration } from "@rollcall/api"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { priorityAndFairness } from "../../../src/http/flowcontrol/index.ts"
import { makeWorld, type World } from "../../core/world.ts"

const MINUTE_MS = 60_000

/** A world in which the server keeps its objects of flow control. */
const fairWorld = (): World & { readonly close: () => void } => {
  const world = makeWorld({ managedFields: true })
  const scope = Effect.runSync(Scope.make())
  const started = Effect.flatMap(Timers, (timers) => priorityAndFairness({ server: world.server, timers }))
  const exit = world.time.run(Effect.provideService(started, Scope.Scope, scope))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return { ...world, close: () => void world.time.run(Scope.close(scope, Exit.void)) }
}

const schema = ({ get }: World, name: string) => get("FlowSchema", name, "") as FlowSchema
const level = ({ get }: World, name: string) =>
  get("PriorityLevelConfiguration", name, "") as PriorityLevelConfiguration

const put = (world: World, object: FlowSchema | PriorityLevelConfiguration): KubeObject =>
  world.ask({ verb: "update", kind: object.kind, name: object.metadata.name ?? "", object }) as KubeObject

const remove = (world: World, kind: "FlowSchema" | "PriorityLevelConfiguration", name: string) =>
  world.ask({ verb: "delete", kind, name })

const withShares = (object: PriorityLevelConfiguration, shares: number): PriorityLevelConfiguration => {
  const { limited } = object.spec ?? {}
  return { ...object, spec: { type: "Limited", limited: { ...limited, nominalConcurrencyShares: shares } } }
}

const annotated = <A extends KubeObject>(object: A, value: string): A => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [autoUpdateSpec]: value } }
})

const sharesOf = (world: World, name: string) => level(world, name).spec?.limited?.nominalConcurrencyShares

describe("the server's own objects", () => {
  it("exist from the start, with the condition that their levels exist", () => {
    const world = fairWorld()
    assert.strictEqual(world.list("FlowSchema").items.length, 11)
    assert.strictEqual(world.list("PriorityLevelConfiguration").items.length, 8)
    const { metadata, status } = schema(world, "system-nodes")
    assert.deepStrictEqual([metadata.generation, metadata.annotations], [1, { [autoUpdateSpec]: "true" }])
    assert.deepInclude(status?.conditions?.[0], {
      type: "Dangling",
      status: "False",
      reason: "Found",
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "system" and it exists'
    })
  })

  it("that are deleted are created again within a minute", () => {
    const world = fairWorld()
    remove(world, "FlowSchema", "catch-all")
    remove(world, "FlowSchema", "system-nodes")
    remove(world, "PriorityLevelConfiguration", "exempt")
    assert.isUndefined(schema(world, "catch-all"))
    world.advance(MINUTE_MS)
    assert.isDefined(schema(world, "catch-all"))
    assert.isDefined(schema(world, "system-nodes"))
    assert.isDefined(level(world, "exempt"))
    world.close()
    remove(world, "FlowSchema", "catch-all")
    world.advance(2 * MINUTE_MS)
    assert.isUndefined(schema(world, "catch-all"))
  })

  it("follow their defaults as long as the annotation says so", () => {
    const world = fairWorld()
    put(world, withShares(level(world, "system"), 7))
    put(world, annotated(withShares(level(world, "node-high"), 8), "false"))
    // Neither true nor false: the spec was changed, so it stays.
    put(world, annotated(withShares(level(world, "workload-low"), 9), "maybe"))
    world.advance(MINUTE_MS)
    assert.deepStrictEqual(
      [sharesOf(world, "system"), sharesOf(world, "node-high"), sharesOf(world, "workload-low")],
      [30, 8, 9]
    )
    assert.strictEqual(level(world, "workload-low").metadata.annotations?.[autoUpdateSpec], "false")
  })

  it("that are mandatory always follow them, except for the shares of the exempt level", () => {
    const world = fairWorld()
    put(world, annotated(schema(world, "exempt"), "false"))
    const exempt = level(world, "exempt")
    put(world, { ...exempt, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 4, lendablePercent: 50 } } })
    world.advance(MINUTE_MS)
    assert.strictEqual(schema(world, "exempt").metadata.annotations?.[autoUpdateSpec], "true")
    assert.strictEqual(level(world, "exempt").spec?.exempt?.nominalConcurrencyShares, 4)
  })

  it("that no release has any more are deleted, others are left", () => {
    const world = fairWorld()
    const { spec } = schema(world, "service-accounts")
    const made = (name: string, annotations: object) =>
      world.create("FlowSchema", {
        apiVersion: "flowcontrol.apiserver.k8s.io/v1",
        kind: "FlowSchema",
        metadata: { name, annotations },
        spec
      })
    made("workload-leader-election", { [autoUpdateSpec]: "true" })
    made("mine", {})
    made("kept", { [autoUpdateSpec]: "false" })
    world.advance(MINUTE_MS)
    assert.isUndefined(schema(world, "workload-leader-election"))
    assert.isDefined(schema(world, "mine"))
    assert.isDefined(schema(world, "kept"))
  })
})

describe("a schema's condition", () => {
  const conditionOf = (world: World) => schema(world, "mine").status?.conditions?.[0]

  it("reports whether its level exists, as levels are created and deleted", () => {
    const world = fairWorld()
    world.create("FlowSchema", {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "FlowSchema",
      metadata: { name: "mine" },
      spec: { priorityLevelConfiguration: { name: "mine" } }
    })
    world.settle()
    assert.deepInclude(conditionOf(world), {
      status: "True",
      reason: "NotFound",
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "mine" but there is no such object'
    })
    const { metadata: _, ...rest } = level(world, "system")
    world.create("PriorityLevelConfiguration", { ...rest, metadata: { name: "mine" } })
    world.settle()
    assert.deepInclude(conditionOf(world), { status: "False", reason: "Found" })
    const manager = schema(world, "mine").metadata.managedFields?.map((entry) => entry.manager) ?? []
    assert.include(manager, "api-priority-and-fairness-config-consumer-v1")
    remove(world, "PriorityLevelConfiguration", "mine")
    world.settle()
    assert.deepInclude(conditionOf(world), { status: "True" })
  })
})
