import { assert, describe } from "@effect/vitest"
import type { Node, Pod } from "@rollcall/api"
import { frozen } from "@rollcall/cluster/testing"
import { Timers } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Refusal } from "../BindingPlugin.ts"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import { SchedulingCache } from "../cache/SchedulingCache.ts"
import type { PluginParts } from "../config/plugins.ts"
import { MAX_NODE_SCORE, type Rejection } from "../Plugin.ts"
import { SchedulerPlugins } from "../SchedulerPlugins.ts"
import { sampleNodes, samplePods } from "./samples.ts"

/** Pods and nodes that a plugin applies to, in addition to the common samples. */
export interface SchedulerSamples {
  readonly pods?: ReadonlyArray<Pod>
  readonly nodes?: ReadonlyArray<Node>
}

/** The plugins under test, and a cache with the samples. */
interface ContractSetup {
  readonly plugins: ReadonlyArray<readonly [name: string, plugin: PluginParts]>
  readonly cache: SchedulingCache
  readonly pods: ReadonlyArray<PodInfo>
  readonly nodes: ReadonlyArray<NodeInfo>
}

const makeSetup = ({
  nodes = [],
  pods = []
}: SchedulerSamples): Effect.Effect<ContractSetup, never, SchedulerPlugins> =>
  Effect.map(SchedulerPlugins, (plugins) => {
    const cache = new SchedulingCache()
    for (const node of [...sampleNodes, ...nodes]) cache.setNode(frozen(node))
    const all = [...samplePods, ...pods].map((pod) => cache.describe(frozen(pod)))
    const [placed] = all
    if (placed !== undefined) cache.place(placed, "node-0")
    return { plugins: Object.entries(plugins), cache, pods: all, nodes: cache.nodes() }
  })

const assertRejection = (name: string, rejection: Rejection) => {
  assert.include(["Unschedulable", "UnschedulableAndUnresolvable"], rejection.code)
  assert.strictEqual(rejection.plugin, name, "a rejection names the plugin, whose hint then decides about events")
  assert.isNotEmpty(rejection.reasons)
  for (const reason of rejection.reasons) assert.notStrictEqual(reason, "")
}

const assertRefusal = (refusal: Refusal) =>
  assert.notStrictEqual(refusal._tag === "Reject" ? refusal.reason : refusal.message, "", "a refusal has a reason")

/** A filter's result for each node; undefined if it skips the pod. */
const filterResults = (filter: NonNullable<PluginParts["filter"]>, { cache, nodes }: ContractSetup, pod: PodInfo) => {
  const prepared = filter.prepare(pod, cache)
  if (prepared._tag === "Skip") return undefined
  if (prepared._tag === "Reject") return [prepared.rejection]
  for (const name of prepared.nodeNames ?? []) assert.isString(name)
  return nodes.map((node) => prepared.check(node))
}

const checkFilters = (setUp: ContractSetup) => {
  for (const [, { filter }] of setUp.plugins) {
    if (filter === undefined) continue
    assert.notStrictEqual(filter.name, "")
    for (const pod of setUp.pods) {
      const results = filterResults(filter, setUp, pod)
      for (const rejection of results ?? []) if (rejection !== undefined) assertRejection(filter.name, rejection)
      assert.deepStrictEqual(filterResults(filter, setUp, pod), results, `${filter.name} is deterministic`)
    }
  }
}

const checkHints = ({ cache, nodes, plugins, pods }: ContractSetup) => {
  const nodeEvents = nodes.flatMap(({ node }) => (node === undefined ? [] : [{ _tag: "NodeAdded", node } as const]))
  const podEvents = pods.map(({ pod }) => ({ _tag: "AssignedPodDeleted", pod }) as const)
  for (const [, { filter, permit, reserve }] of plugins) {
    for (const part of [filter, permit, reserve]) {
      for (const pod of part?.hint === undefined ? [] : pods) {
        for (const event of [...nodeEvents, ...podEvents]) assert.isBoolean(part?.hint?.(pod, event, cache))
      }
    }
  }
}

/** What the list of scores contains before the plugin fills it: no valid score. */
const UNFILLED = -1

const checkScores = ({ cache, nodes, plugins, pods }: ContractSetup) => {
  for (const [, { score: plugin }] of plugins) {
    if (plugin === undefined) continue
    assert.notStrictEqual(plugin.name, "")
    assert.isTrue(Number.isFinite(plugin.weight) && plugin.weight > 0, `the weight of ${plugin.name}`)
    const scored = (pod: PodInfo) => {
      const filled: Array<number> = nodes.map(() => UNFILLED)
      return plugin.score(pod, nodes, cache, filled) ? filled : undefined
    }
    for (const pod of pods) {
      const first = scored(pod)
      assert.deepStrictEqual(scored(pod), first, `${plugin.name} is deterministic`)
      if (first === undefined) continue
      assert.strictEqual(first.length, nodes.length)
      for (const value of first)
        assert.isTrue(Number.isInteger(value) && value >= 0 && value <= MAX_NODE_SCORE, `${plugin.name}: ${value}`)
    }
  }
}

/**
 * Reserves and unreserves for each plugin and pod; returns the results of `reserve`. Unreserving what is not reserved,
 * or twice, must have no effect.
 */
const reserveResults = ({ cache, plugins, pods }: ContractSetup): ReadonlyMap<string, Refusal | undefined> => {
  const results = new Map<string, Refusal | undefined>()
  for (const [name, { reserve: plugin }] of plugins) {
    for (const pod of plugin === undefined ? [] : pods) {
      plugin?.unreserve(pod, "node-1", cache)
      const refusal = plugin?.reserve(pod, "node-1", cache)
      if (refusal !== undefined) assertRefusal(refusal)
      results.set(`${name} ${pod.key}`, refusal)
      plugin?.unreserve(pod, "node-1", cache)
      plugin?.unreserve(pod, "node-1", cache)
    }
  }
  return results
}

/** A pod that was unreserved must not affect another one, in any order. */
const checkReserves = (setUp: ContractSetup, another: ContractSetup) =>
  assert.deepStrictEqual(
    Object.fromEntries(reserveResults({ ...another, pods: another.pods.toReversed() })),
    Object.fromEntries(reserveResults(setUp)),
    "what was unreserved can be reserved by another pod"
  )

const checkPermits = ({ cache, plugins, pods }: ContractSetup) => {
  for (const [, { permit: plugin }] of plugins) {
    for (const pod of plugin === undefined ? [] : pods) {
      const answer = plugin?.permit(pod, "node-1", cache)
      if (answer === undefined) continue
      if (answer._tag !== "Wait") assertRefusal(answer)
      else {
        assert.isAbove(answer.timeoutMs, 0)
        // As for a pod that is deleted before the plugin receives it: neither callback has an effect.
        answer.hold({ pod, node: "node-1", allow: () => {}, reject: () => {} })
      }
    }
  }
}

/** `preBind` must call `done` at most once, and may be cancelled twice afterwards. */
const checkPreBind = ({ cache, plugins, pods }: ContractSetup) =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const silent = { send: () => () => {}, watch: () => () => {} }
    for (const [, { postBind, preBind }] of plugins) {
      for (const pod of pods) {
        const isConcerned = preBind?.concerns?.(pod, "node-1", cache)
        if (isConcerned !== undefined) assert.isBoolean(isConcerned)
        let doneCalls = 0
        const tools = { pod, node: "node-1", connection: silent, timers, cache }
        if (preBind !== undefined && isConcerned !== false) {
          const cancel = preBind.preBind({ ...tools, note: () => undefined, done: () => void doneCalls++ })
          yield* Effect.sleep("1 hour")
          assert.isAtMost(doneCalls, 1, `${preBind.name} is done once`)
          cancel?.()
          cancel?.()
        }
        postBind?.postBind(pod, "node-1", cache)
      }
    }
  })

/**
 * Registers the tests that every implementation of the SchedulerPlugins port must pass, in a vitest file. Pods and
 * nodes are deeply frozen. The tests run in virtual time; the layer is built again for each test.
 */
export const schedulerPluginContract = <E>(
  name: string,
  layer: Layer.Layer<SchedulerPlugins, E, Timers>,
  samples: SchedulerSamples = {}
): void => {
  const freshSetup = makeSetup(samples).pipe(Effect.provide(Layer.fresh(layer)))
  const withPlugins = (
    title: string,
    body: (setUp: ContractSetup, another: ContractSetup) => Effect.Effect<void, never, Timers> | void
  ) =>
    itInVirtualTime(
      title,
      Effect.gen(function* () {
        yield* body(yield* freshSetup, yield* freshSetup) ?? Effect.void
      })
    )

  describe(`${name}: scheduler plugins`, () => {
    withPlugins("implement an extension point", ({ plugins }) => {
      assert.isNotEmpty(plugins)
      for (const [plugin, parts] of plugins) assert.isNotEmpty(Object.keys(parts), plugin)
    })
    withPlugins("filter nodes by the pod and the cache alone, with a reason", checkFilters)
    withPlugins("answer whether an event could help", checkHints)
    withPlugins("score each node with a whole number from 0 to 100", checkScores)
    withPlugins("unreserve, whether they have reserved or not", checkReserves)
    withPlugins("allow pods, refuse them or make them wait", checkPermits)
    withPlugins("prepare a binding once", checkPreBind)
  })
}
