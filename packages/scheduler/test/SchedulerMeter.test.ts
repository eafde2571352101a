import { assert, describe, it } from "@effect/vitest"
import { metricsText } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { SchedulingCache } from "../src/index.ts"
import { defaultQueueOptions, SchedulingQueue } from "../src/queue/SchedulingQueue.ts"
import { nodeNamed, podNamed, withScheduler } from "./withScheduler.ts"

/** The samples of kube-scheduler's metrics, as a scrape shows them. */
const samples = Effect.map(Effect.context<never>(), (context) => {
  const found = new Map<string, number>()
  for (const line of metricsText(context).split("\n")) {
    const match = /^(scheduler_[^\s]+) (\S+)$/.exec(line)
    if (match !== null) found.set(match[1] ?? "", Number(match[2]))
  }
  return found
})

describe("the scheduler's metrics", () => {
  it("have Kubernetes' names, and count attempts, queues, reasons and the cache", () =>
    withScheduler(
      ({ addNode, cluster }) =>
        Effect.gen(function* () {
          const before = yield* samples
          yield* addNode(nodeNamed("small", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("fits", "1", { schedulerName: "mine" }))
          yield* cluster.create("Pod", podNamed("big", "3", { schedulerName: "mine" }))
          yield* cluster.create(
            "Pod",
            podNamed("gated", "1", { schedulerName: "mine", schedulingGates: [{ name: "x" }] })
          )
          yield* Effect.sleep("2 seconds")
          const waiting = yield* samples
          const grown = (name: string) => (waiting.get(name) ?? 0) - (before.get(name) ?? 0)
          assert.strictEqual(grown('scheduler_schedule_attempts_total{result="scheduled",profile="mine"}'), 1)
          assert.strictEqual(grown('scheduler_schedule_attempts_total{result="unschedulable",profile="mine"}'), 1)
          assert.strictEqual(
            grown('scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"}'),
            2
          )
          assert.strictEqual(grown("scheduler_preemption_attempts_total"), 1)
          assert.strictEqual(grown("scheduler_pod_scheduling_attempts_count"), 1)
          assert.isAtLeast(grown("scheduler_scheduling_algorithm_duration_seconds_count"), 2)
          const now = (name: string) => waiting.get(name)
          assert.strictEqual(now('scheduler_pending_pods{queue="unschedulable"}'), 1)
          assert.strictEqual(now('scheduler_pending_pods{queue="active"}'), 0)
          assert.strictEqual(now('scheduler_pending_pods{queue="gated"}'), 1)
          assert.strictEqual(now('scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="mine"}'), 1)
          assert.strictEqual(now('scheduler_cache_size{type="nodes"}'), 1)
          yield* addNode(nodeNamed("large"))
          yield* cluster.delete("Pod", { namespace: "default", name: "gated" })
          yield* Effect.sleep("5 seconds")
          const after = yield* samples
          assert.strictEqual(after.get('scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="mine"}'), 0)
          assert.strictEqual(after.get('scheduler_pending_pods{queue="unschedulable"}'), 0)
          assert.strictEqual(after.get('scheduler_pending_pods{queue="gated"}'), 0)
        }),
      { schedulerName: "mine" }
    ))
})

describe("SchedulingQueue", () => {
  it("counts pods by queue and event", () => {
    const told: Array<string> = []
    const pending = { active: 0, backoff: 0, unschedulable: 0 }
    const reasons = new Map<string, number>()
    const queue = new SchedulingQueue({
      ...defaultQueueOptions,
      observer: {
        queued: (place, event) => told.push(`${place} ${event}`),
        pending: (place, count) => {
          pending[place] = count
        },
        unschedulable: (plugin, change) => reasons.set(plugin, (reasons.get(plugin) ?? 0) + change)
      }
    })
    const info = new SchedulingCache().describe(podNamed("p"))
    queue.add(info, 0)
    const first = queue.pop()
    if (first === undefined) throw new Error("no pod")
    queue.returnRejected(first, ["NodePorts", "NodeAffinity"], 100)
    assert.deepStrictEqual([...reasons.values()], [1, 1])
    assert.deepStrictEqual(pending, { active: 0, backoff: 0, unschedulable: 1 })
    queue.requeueWhere(() => true, 200, "NodeAdd")
    assert.deepStrictEqual(pending, { active: 0, backoff: 1, unschedulable: 0 })
    queue.flushBackoff(10_000)
    assert.deepStrictEqual(told, [
      "active UnschedulablePodAdd",
      "unschedulable ScheduleAttemptFailure",
      "backoff NodeAdd",
      "active BackoffComplete"
    ])
    queue.delete(info.key)
    assert.deepStrictEqual(pending, { active: 0, backoff: 0, unschedulable: 0 })
    assert.deepStrictEqual([...reasons.values()], [0, 0])
  })
})
