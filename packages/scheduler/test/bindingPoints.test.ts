import { assert, describe, it } from "@effect/vitest"
import { getPodCondition, type Pod } from "@rollcall/api"
import { ConnectionError, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type BindingTask,
  defaultProfile,
  type Hold,
  type PermitPlugin,
  type PreBindPlugin,
  type Profile,
  type Refusal,
  type ReservePlugin,
  type WaitingPod
} from "../src/index.ts"
import { nodeNamed, podNamed, START, withScheduler } from "./withScheduler.ts"

const scheduledOf = ({ status }: Pod) => getPodCondition(status, "PodScheduled")

/** Writes down what it is asked, and refuses the pods that it is told to. */
const reservePlugin = (
  name: string,
  log: Array<string>,
  refuse: (pod: string) => Refusal | undefined = () => undefined
) =>
  ({
    name,
    reserve: (pod, node) => {
      log.push(`${name} reserves ${pod.name} on ${node}`)
      return refuse(pod.name)
    },
    unreserve: (pod, node) => {
      log.push(`${name} gives up ${pod.name} on ${node}`)
    }
  }) satisfies ReservePlugin

const permitPlugin = (permit: (pod: string) => Hold | Refusal | undefined): PermitPlugin => ({
  name: "Gate",
  permit: ({ name }) => permit(name)
})

const preBindPlugin = (preBind: (task: BindingTask) => (() => void) | undefined): PreBindPlugin => ({
  name: "Slow",
  preBind
})

const configWithPlugins = (plugins: Partial<Profile>): { readonly profile: Profile } => ({
  profile: { ...defaultProfile, ...plugins }
})

describe("Reserve", () => {
  it("runs in order; if one refuses, all unreserve in reverse order, and the resources are free again", () => {
    const log: Array<string> = []
    const picky = (pod: string) =>
      pod === "bad" ? { _tag: "Reject" as const, reason: "node(s) had no key" } : undefined
    withScheduler(
      ({ addNode, cluster, events, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("bad", "2"))
          yield* Effect.sleep("500 millis")
          assert.deepStrictEqual(log, [
            "A reserves bad on only",
            "B reserves bad on only",
            "C gives up bad on only",
            "B gives up bad on only",
            "A gives up bad on only"
          ])
          const message = "0/1 nodes are available: 1 node(s) had no key."
          assert.deepInclude(scheduledOf(yield* pod("bad")), { status: "False", reason: "Unschedulable", message })
          assert.isTrue(
            (yield* events).some((event) => event.message === message && event.reason === "FailedScheduling")
          )
          yield* cluster.create("Pod", podNamed("good", "2"))
          yield* Effect.sleep("500 millis")
          assert.strictEqual((yield* pod("good")).spec.nodeName, "only")
        }),
      configWithPlugins({ reserve: [reservePlugin("A", log), reservePlugin("B", log, picky), reservePlugin("C", log)] })
    )
  })

  it("whose plugin throws leaves the pod to its back-off", () => {
    let errors = 2
    const broken = () => (errors-- > 0 ? { _tag: "Error" as const, message: "no contact" } : undefined)
    withScheduler(
      ({ addNode, cluster, pod, timers }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only"))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("500 millis")
          assert.deepInclude(scheduledOf(yield* pod("web")), {
            reason: "SchedulerError",
            message: 'running Reserve plugin "A": no contact'
          })
          while ((yield* pod("web")).spec.nodeName === undefined) yield* Effect.sleep("100 millis")
          assert.isAtLeast(timers.now() - START, 4000)
        }),
      configWithPlugins({ reserve: [reservePlugin("A", [], broken)] })
    )
  })

  it("is undone when the binding fails", () => {
    const log: Array<string> = []
    let cuts = 1
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only"))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("10 seconds")
          assert.strictEqual((yield* pod("web")).spec.nodeName, "only")
          assert.deepStrictEqual(log, [
            "A reserves web on only",
            "A gives up web on only",
            "A reserves web on only",
            "heard of web"
          ])
        }),
      configWithPlugins({
        reserve: [reservePlugin("A", log)],
        postBind: [{ name: "Ear", postBind: ({ name }) => log.push(`heard of ${name}`) }]
      }),
      (connection) => ({
        ...connection,
        send: cancellable((request, reply) => {
          if (request.verb === "create" && request.subresource === "binding" && cuts-- > 0) {
            reply(Result.fail(new ConnectionError({ message: "cut" })))
          } else connection.send(request, reply)
        })
      })
    )
  })
})

describe("Permit", () => {
  it("keeps a pod until it is allowed; others are scheduled meanwhile, without its resources", () => {
    const held: Array<WaitingPod> = []
    const gate = permitPlugin((name) =>
      name === "held" ? { _tag: "Wait", timeoutMs: 60_000, hold: (pod) => held.push(pod) } : undefined
    )
    withScheduler(
      ({ addNode, cluster, pod, scheduler }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("held", "1"))
          yield* cluster.create("Pod", podNamed("free", "1"))
          yield* cluster.create("Pod", podNamed("late", "1"))
          yield* Effect.sleep("5 seconds")
          assert.strictEqual((yield* pod("free")).spec.nodeName, "only")
          assert.isUndefined((yield* pod("late")).spec.nodeName)
          const waiting = yield* pod("held")
          assert.isUndefined(waiting.spec.nodeName)
          assert.strictEqual(waiting.status?.nominatedNodeName, "only")
          assert.deepStrictEqual(
            [...scheduler.waiting.values()].map((each) => [each.pod.name, each.node]),
            [["held", "only"]]
          )
          held[0]?.allow()
          yield* Effect.sleep("1 second")
          const bound = yield* pod("held")
          assert.deepStrictEqual([bound.spec.nodeName, bound.status?.nominatedNodeName], ["only", undefined])
          assert.strictEqual(scheduler.waiting.size, 0)
          // Of no account any more.
          held[0]?.reject("too late")
          yield* Effect.sleep("1 second")
          assert.strictEqual(scheduledOf(yield* pod("held"))?.status, "True")
        }),
      configWithPlugins({ permit: [gate] })
    )
  })

  it("refuses at once, or after the wait, or when its time is over", () => {
    const log: Array<string> = []
    const held = new Map<string, WaitingPod>()
    const gate = permitPlugin((name) => {
      if (name === "never") return { _tag: "Reject", reason: "not today" }
      if (name === "broken") return { _tag: "Error", message: "lost the key" }
      return { _tag: "Wait", timeoutMs: 90_000, hold: (pod) => held.set(name, pod) }
    })
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only"))
          for (const name of ["never", "broken", "refused", "forgotten"]) {
            yield* cluster.create("Pod", podNamed(name, "100m"))
          }
          yield* Effect.sleep("500 millis")
          held.get("refused")?.reject("changed my mind")
          yield* Effect.sleep("500 millis")
          const said = (name: string) =>
            Effect.map(pod(name), (each) => [scheduledOf(each)?.reason, scheduledOf(each)?.message])
          assert.deepStrictEqual(yield* said("never"), ["Unschedulable", "0/1 nodes are available: 1 not today."])
          assert.deepStrictEqual(yield* said("broken"), [
            "SchedulerError",
            'running Permit plugin "Gate": lost the key'
          ])
          assert.deepStrictEqual(yield* said("refused"), [
            "Unschedulable",
            "0/1 nodes are available: 1 changed my mind."
          ])
          assert.isUndefined((yield* pod("refused")).status?.nominatedNodeName)
          yield* Effect.sleep("88 seconds")
          assert.isUndefined(scheduledOf(yield* pod("forgotten")))
          yield* Effect.sleep("2 seconds")
          assert.deepStrictEqual(yield* said("forgotten"), [
            "Unschedulable",
            "0/1 nodes are available: 1 rejected due to timeout after waiting 1m30s at plugin Gate."
          ])
          assert.isTrue(log.includes("A gives up forgotten on only"))
        }),
      configWithPlugins({ permit: [gate], reserve: [reservePlugin("A", log)] })
    )
  })

  it("waits for all plugins that hold a pod, at most 15 minutes, and drops a pod that is deleted", () => {
    const log: Array<string> = []
    const held: Array<WaitingPod> = []
    const patient = (name: string): PermitPlugin => ({
      name,
      permit: () => ({ _tag: "Wait", timeoutMs: 10_000_000, hold: (pod) => held.push(pod) })
    })
    withScheduler(
      ({ addNode, cluster, pod, scheduler }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("both", "1"))
          yield* Effect.sleep("1 second")
          held[0]?.allow()
          held[0]?.allow()
          yield* Effect.sleep("1 second")
          assert.isUndefined((yield* pod("both")).spec.nodeName)
          held[1]?.allow()
          yield* Effect.sleep("1 second")
          assert.strictEqual((yield* pod("both")).spec.nodeName, "only")
          yield* cluster.create("Pod", podNamed("gone", "1"))
          yield* Effect.sleep("1 second")
          yield* cluster.delete("Pod", { namespace: "default", name: "gone" }, { gracePeriodSeconds: 0 })
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(log.slice(-2), ["A reserves gone on only", "A gives up gone on only"])
          assert.strictEqual(scheduler.waiting.size, 0)
          yield* cluster.create("Pod", podNamed("long", "1"))
          yield* Effect.sleep("899 seconds")
          assert.strictEqual(scheduler.waiting.size, 1)
          yield* Effect.sleep("1 second")
          assert.match(scheduledOf(yield* pod("long"))?.message ?? "", /after waiting 15m0s at plugin One\.$/)
        }),
      configWithPlugins({ permit: [patient("One"), patient("Two")], reserve: [reservePlugin("A", log)] })
    )
  })

  it("requeues a refused pod for events during its wait", () => {
    let tries = 0
    const held: Array<WaitingPod> = []
    const gate: PermitPlugin = {
      name: "Gate",
      permit: () => (tries++ === 0 ? { _tag: "Wait", timeoutMs: 30_000, hold: (pod) => held.push(pod) } : undefined),
      hint: (_, event) => event._tag === "NodeAdded"
    }
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("first"))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("1 second")
          yield* addNode(nodeNamed("second"))
          yield* Effect.sleep("1 second")
          held[0]?.reject("no")
          yield* Effect.sleep("5 seconds")
          assert.isDefined((yield* pod("web")).spec.nodeName)
        }),
      configWithPlugins({ permit: [gate] })
    )
  })
})

describe("PreBind", () => {
  it("may be slow, and the pod is bound when all are done", () => {
    const slow = preBindPlugin(({ done, timers }) => {
      timers.after(7000, () => {
        done()
        done("said twice")
      })
      return undefined
    })
    const idle: PreBindPlugin = {
      ...preBindPlugin(() => assert.fail("has nothing to do")),
      name: "Idle",
      concerns: () => false
    }
    withScheduler(
      ({ addNode, cluster, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only"))
          yield* cluster.create("Pod", podNamed("web"))
          yield* Effect.sleep("6900 millis")
          assert.isUndefined((yield* pod("web")).spec.nodeName)
          assert.strictEqual((yield* pod("web")).status?.nominatedNodeName, "only")
          yield* Effect.sleep("200 millis")
          assert.strictEqual((yield* pod("web")).spec.nodeName, "only")
        }),
      configWithPlugins({ preBind: [idle, slow, idle] })
    )
  })

  it("that fails unreserves everything, and the pod is retried", () => {
    const log: Array<string> = []
    let failures = 1
    const slow = preBindPlugin(({ done, timers }) => {
      timers.after(1000, () => done(failures-- > 0 ? "cable cut" : undefined))
      return undefined
    })
    withScheduler(
      ({ addNode, cluster, events, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("web", "2"))
          yield* Effect.sleep("1100 millis")
          const message = 'running PreBind plugin "Slow": cable cut'
          const failed = yield* pod("web")
          assert.deepInclude(scheduledOf(failed), { status: "False", reason: "SchedulerError", message })
          assert.isUndefined(failed.status?.nominatedNodeName)
          assert.isTrue((yield* events).some((event) => event.message === message))
          assert.deepStrictEqual(log, ["A reserves web on only", "A gives up web on only"])
          yield* Effect.sleep("5 seconds")
          assert.strictEqual((yield* pod("web")).spec.nodeName, "only")
        }),
      configWithPlugins({ preBind: [slow], reserve: [reservePlugin("A", log)] })
    )
  })

  it("stops when the pod is deleted, and when a pod of higher priority needs its resources", () => {
    const log: Array<string> = []
    const endless = preBindPlugin(({ pod }) =>
      pod.name === "high" ? undefined : () => log.push(`stopped ${pod.name}`)
    )
    withScheduler(
      ({ addNode, cluster, events, pod, scheduler }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("only", { cpu: "2" }))
          yield* cluster.create("Pod", podNamed("gone", "2"))
          yield* Effect.sleep("1 second")
          yield* cluster.delete("Pod", { namespace: "default", name: "gone" }, { gracePeriodSeconds: 0 })
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(log, ["stopped gone"])
          yield* cluster.create("Pod", podNamed("low", "2"))
          yield* Effect.sleep("1 second")
          yield* cluster.create("PriorityClass", {
            apiVersion: "scheduling.k8s.io/v1",
            kind: "PriorityClass",
            metadata: { name: "high" },
            value: 1000
          })
          yield* cluster.create("Pod", podNamed("high", "2", { priorityClassName: "high" }))
          yield* Effect.sleep("200 millis")
          assert.deepStrictEqual(log, ["stopped gone", "stopped low"])
          const low = yield* pod("low")
          assert.isUndefined(low.metadata.deletionTimestamp)
          assert.isTrue(
            (yield* events).some(
              ({ reason, involvedObject }) => reason === "Preempted" && involvedObject.name === "low"
            )
          )
          yield* Effect.sleep("15 seconds")
          assert.deepStrictEqual(
            [...scheduler.waiting.values()].map((each) => each.pod.name),
            ["high"]
          )
        }),
      configWithPlugins({ preBind: [endless] })
    )
  })
})
