import { assert, describe, it } from "@effect/vitest"
import { getPodCondition, type Pod } from "@rollcall/api"
import { ConnectionError, cancellable, rateLimited } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { defaultProfile, type FilterPlugin, type ScorePlugin } from "../src/index.ts"
import { nodeNamed, podNamed, START, withScheduler } from "./withScheduler.ts"

const scheduledOf = ({ status }: Pod) => getPodCondition(status, "PodScheduled")

describe("KubeScheduler", () => {
  it("binds a pod to a feasible node, and records an Event", () =>
    withScheduler(({ addNode, cluster, events, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("cordoned", { unschedulable: true }))
        yield* addNode(nodeNamed("free"))
        yield* cluster.create("Pod", podNamed("web"))
        yield* Effect.sleep("1 second")
        const bound = yield* pod("web")
        assert.strictEqual(bound.spec.nodeName, "free")
        assert.strictEqual(scheduledOf(bound)?.status, "True")
        const [event] = yield* events
        assert.deepInclude(event, {
          type: "Normal",
          reason: "Scheduled",
          action: "Binding",
          message: "Successfully assigned default/web to free",
          reportingComponent: "default-scheduler",
          eventTime: "2026-01-01T00:00:00.000000Z",
          source: {},
          firstTimestamp: null,
          lastTimestamp: null
        })
      })
    ))

  it("reports why a pod is unschedulable, on the pod and in an event, and does not repeat the write", () =>
    withScheduler(({ addNode, cluster, events, pod, scheduler, timers }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("small", { cpu: "2" }))
        yield* cluster.create("Pod", podNamed("big", "3"))
        yield* Effect.sleep("10 seconds")
        const message =
          "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
        const first = yield* pod("big")
        const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message }
        assert.deepInclude(scheduledOf(first), condition)
        // Five minutes without an event that could help: it is tried again, which changes nothing on the pod.
        const attempts = () => scheduler.queue.find(first.metadata.uid ?? "")?.attempts
        assert.strictEqual(attempts(), 1)
        yield* Effect.sleep(START + 300_000 - timers.now())
        assert.strictEqual(attempts(), 1)
        yield* Effect.sleep("31 seconds")
        assert.strictEqual(attempts(), 2)
        const second = yield* pod("big")
        assert.strictEqual(second.metadata.resourceVersion, first.metadata.resourceVersion)
        const failures = (yield* events).filter(({ reason }) => reason === "FailedScheduling")
        assert.strictEqual(failures.length, 2)
        assert.deepInclude(failures[0], { type: "Warning", action: "Scheduling", message })
      })
    ))

  it("retries a pod when resources become free, and not for irrelevant events", () =>
    withScheduler(({ addNode, cluster, pod, scheduler }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("only", { cpu: "2" }))
        yield* cluster.create("Pod", podNamed("first", "2"))
        yield* Effect.sleep("1 second")
        yield* cluster.create("Pod", podNamed("second", "2"))
        yield* Effect.sleep("1 second")
        const waiting = yield* pod("second")
        const node = yield* cluster.get("Node", { name: "only" })
        yield* cluster.update("Node", { ...node, metadata: { ...node.metadata, annotations: { note: "1" } } })
        yield* Effect.sleep("20 seconds")
        assert.strictEqual(scheduler.queue.find(waiting.metadata.uid ?? "")?.attempts, 1)
        yield* cluster.delete("Pod", { namespace: "default", name: "first" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("second")).spec.nodeName, "only")
      })
    ))

  it("places the more important pod first", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* cluster.create("PriorityClass", {
          apiVersion: "scheduling.k8s.io/v1",
          kind: "PriorityClass",
          metadata: { name: "high" },
          value: 1000
        })
        yield* cluster.create("Pod", podNamed("low", "2"))
        yield* cluster.create("Pod", podNamed("high", "2", { priorityClassName: "high" }))
        yield* addNode(nodeNamed("only", { cpu: "2" }))
        yield* Effect.sleep("15 seconds")
        assert.strictEqual((yield* pod("high")).spec.nodeName, "only")
        assert.strictEqual((yield* pod("low")).spec.nodeName, undefined)
      })
    ))

  it("preempts pods of lower priority, and records Events on both", () =>
    withScheduler(({ addNode, cluster, events, pod, scheduler }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("only", { cpu: "2" }))
        yield* cluster.create("Pod", podNamed("low", "2"))
        yield* Effect.sleep("1 second")
        yield* cluster.create("PriorityClass", {
          apiVersion: "scheduling.k8s.io/v1",
          kind: "PriorityClass",
          metadata: { name: "high" },
          value: 1000
        })
        const high = yield* cluster.create("Pod", podNamed("high", "2", { priorityClassName: "high" }))
        yield* Effect.sleep("1 second")
        const victim = yield* pod("low")
        assert.isDefined(victim.metadata.deletionTimestamp)
        assert.deepInclude(getPodCondition(victim.status, "DisruptionTarget"), {
          status: "True",
          reason: "PreemptionByScheduler",
          message: "default-scheduler: preempting to accommodate a higher priority pod"
        })
        assert.strictEqual((yield* pod("high")).status?.nominatedNodeName, "only")
        const text = `Preempted by pod ${high.metadata.uid} on node only`
        assert.isTrue((yield* events).some(({ message, reason }) => reason === "Preempted" && message === text))
        // Tried again before its victim is gone, it neither looks for another nor loses its promise.
        yield* addNode(nodeNamed("too-small", { cpu: "1" }))
        const node = yield* cluster.get("Node", { name: "only" })
        const allocatable = { ...node.status?.allocatable, cpu: "2100m" }
        yield* cluster.updateStatus("Node", { ...node, status: { ...node.status, allocatable } })
        yield* Effect.sleep("10 seconds")
        assert.isAtLeast(scheduler.queue.find(high.metadata.uid ?? "")?.attempts ?? 0, 2)
        const refusal = getPodCondition((yield* pod("high")).status, "PodScheduled")?.message
        assert.match(refusal ?? "", /not eligible due to a terminating pod on the nominated node\.$/)
        assert.strictEqual((yield* pod("high")).status?.nominatedNodeName, "only")
        // Nobody else takes the room that was promised.
        yield* cluster.create("Pod", podNamed("late", "2"))
        yield* cluster.delete("Pod", { namespace: "default", name: "low" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("10 seconds")
        assert.strictEqual((yield* pod("high")).spec.nodeName, "only")
        assert.strictEqual((yield* pod("late")).spec.nodeName, undefined)
      })
    ))

  it("waits until scheduling gates are removed, and ignores other schedulers' pods", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("free"))
        yield* cluster.create("Pod", podNamed("gated", "1", { schedulingGates: [{ name: "wait" }] }))
        yield* cluster.create("Pod", podNamed("foreign", "1", { schedulerName: "other" }))
        yield* Effect.sleep("1 second")
        assert.deepInclude(scheduledOf(yield* pod("gated")), {
          status: "False",
          reason: "SchedulingGated",
          message: "Scheduling is blocked due to non-empty scheduling gates"
        })
        yield* cluster.patch("Pod", { namespace: "default", name: "gated" }, "merge", {
          spec: { schedulingGates: null }
        })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("gated")).spec.nodeName, "free")
        assert.strictEqual((yield* pod("foreign")).spec.nodeName, undefined)
      })
    ))

  it("does not wait for a binding before the next cycle, and counts the pod meanwhile", () =>
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("a", { cpu: "1" }))
          yield* addNode(nodeNamed("b", { cpu: "1" }))
          for (const name of ["p", "q", "r"]) yield* cluster.create("Pod", podNamed(name, "1"))
          yield* Effect.sleep("30 seconds")
          const nodes = [(yield* pod("p")).spec.nodeName, (yield* pod("q")).spec.nodeName]
          assert.deepStrictEqual(nodes.sort(), ["a", "b"])
          assert.strictEqual((yield* pod("r")).spec.nodeName, undefined)
        }),
      {},
      (connection, timers) => ({
        ...connection,
        send: cancellable((request, reply) => {
          if (request.verb === "create" && request.subresource === "binding") {
            timers.after(5000, () => connection.send(request, reply))
          } else connection.send(request, reply)
        })
      })
    ))

  it("tries again after a binding that failed, with back-off", () => {
    let failures = 0
    withScheduler(
      ({ addNode, cluster, pod, timers }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("free"))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("500 millis")
          assert.deepInclude(scheduledOf(yield* pod("web")), {
            status: "False",
            reason: "SchedulerError",
            message: 'running Bind plugin "DefaultBinder": cut'
          })
          while ((yield* pod("web")).spec.nodeName === undefined) yield* Effect.sleep("100 millis")
          // One second, then two, each to the end of its second.
          assert.isAtLeast(timers.now() - START, 4000)
          assert.isAtMost(timers.now() - START, 5200)
        }),
      {},
      (connection) => ({
        ...connection,
        send: cancellable((request, reply) => {
          if (request.verb === "create" && request.subresource === "binding" && failures++ < 2) {
            reply(Result.fail(new ConnectionError({ message: "cut" })))
          } else connection.send(request, reply)
        })
      })
    )
    assert.strictEqual(failures, 3)
  })

  it("runs filter and score plugins of the user", () => {
    const odd: FilterPlugin = {
      name: "Odd",
      prepare: () => ({
        _tag: "Check",
        check: ({ name }) =>
          Number(name.slice(1)) % 2 === 1
            ? undefined
            : { code: "UnschedulableAndUnresolvable", plugin: "Odd", reasons: ["node(s) were even"] }
      })
    }
    const last: ScorePlugin = {
      name: "Last",
      weight: 1000,
      score: (_, nodes, __, scores) => {
        for (let index = 0; index < nodes.length; index++) scores[index] = Number(nodes[index]?.name.slice(1))
        return true
      }
    }
    const profile = { filters: [...defaultProfile.filters, odd], scores: [...defaultProfile.scores, last] }
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          for (const name of ["n0", "n1", "n2", "n3", "n4"]) yield* addNode(nodeNamed(name))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("1 second")
          assert.strictEqual((yield* pod("web")).spec.nodeName, "n3")
        }),
      { profile }
    )
  })

  it("schedules every pod through a client with a rate limit", () =>
    withScheduler(
      ({ addNode, cluster }) =>
        Effect.gen(function* () {
          for (let index = 0; index < 30; index++) yield* addNode(nodeNamed(`n${index}`, { cpu: "8" }))
          for (let index = 0; index < 200; index++) yield* cluster.create("Pod", podNamed(`p${index}`))
          yield* Effect.sleep("60 seconds")
          const { items } = yield* cluster.list("Pod")
          assert.isTrue(items.every(({ spec }) => spec.nodeName !== undefined))
        }),
      {},
      (connection, timers) => rateLimited(connection, { qps: 10, burst: 20, timers })
    ))

  it("is deterministic", () => {
    const run = () =>
      withScheduler(({ addNode, cluster }) =>
        Effect.gen(function* () {
          for (let index = 0; index < 12; index++) yield* addNode(nodeNamed(`n${index}`, { zone: `z${index % 3}` }))
          for (let index = 0; index < 30; index++) yield* cluster.create("Pod", podNamed(`p${index}`))
          yield* Effect.sleep("5 seconds")
          return (yield* cluster.list("Pod")).items.map(({ metadata, spec }) => [metadata.uid, spec.nodeName])
        })
      )
    assert.deepStrictEqual(run(), run())
  })
})
