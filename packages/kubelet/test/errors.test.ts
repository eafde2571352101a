import { getPodCondition, isNodeReady, parseTime } from "@rollcall/api"
import { type ApiRequest, type Connection, cancellable } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import {
  type KubeletOptions,
  kubeletConfig,
  makeKubelet,
  makeModelledHost,
  makeModelledPodRuntime,
  type NodeHost,
  type PodRuntime
} from "../src/index.ts"
import { modelWithoutJitter, START } from "./setUpKubelet.ts"
import { TestApi } from "./TestApi.ts"

const MINUTE = 60_000

/** Something that throws while its switch is on, for those it is about. */
interface Fault {
  on: boolean
  thrown: number
}

const makeFault = (): Fault & { readonly strike: () => void } => {
  const fault = {
    on: false,
    thrown: 0,
    strike: () => {
      if (!fault.on) return
      fault.thrown++
      throw new Error("by hand")
    }
  }
  return fault
}

type ThrowIfFaulty = () => void

/** Wraps a connection so that requests that match throw instead of being sent. */
const throwWhere = (to: Connection, strike: ThrowIfFaulty, matches: (request: ApiRequest) => boolean): Connection => ({
  ...to,
  send: cancellable((request, reply) => {
    if (matches(request)) strike()
    to.send(request, reply)
  })
})

const isAbout = (verb: string, kind: string) => (request: ApiRequest) => request.verb === verb && request.kind === kind

const throwingSend =
  (verb: string, kind: string) =>
  (strike: ThrowIfFaulty, { connection }: Pick<KubeletOptions, "connection">) => ({
    connection: throwWhere(connection, strike, isAbout(verb, kind))
  })

const throwingHost = (strike: ThrowIfFaulty): { readonly host: NodeHost } => {
  const host = makeModelledHost({ name: "n1" })
  const machine = () => {
    strike()
    return host.machine()
  }
  return { host: Object.assign(Object.create(host), { machine }) }
}

const throwingResources = (strike: ThrowIfFaulty): { readonly host: NodeHost } => {
  const read = () => {
    strike()
    const plenty = { available: 2 ** 32, capacity: 2 ** 33, atMs: START }
    const signals = { "memory.available": plenty, "nodefs.available": plenty }
    return { signals, podUsage: () => undefined, dedicatedImageFs: false, splitContainers: false }
  }
  return { host: Object.create(makeModelledHost({ name: "n1" }), { resources: { value: { read } } }) }
}

/** What each place makes of a fault: the sources that its errors are handled under. */
type FaultyPart = readonly [
  name: string,
  source: string,
  make: (
    strike: ThrowIfFaulty,
    options: Pick<KubeletOptions, "connection"> & { readonly runtime: PodRuntime }
  ) => Partial<KubeletOptions>
]

const faultyParts: ReadonlyArray<FaultyPart> = [
  ["the machine", "pod worker", throwingHost],
  ["a reading of its resources", "eviction manager", throwingResources],
  ["a lease's renewal", "node lease", throwingSend("update", "Lease")],
  ["a status patch of the Node", "node status", throwingSend("patch", "Node")],
  ["a status patch of a pod", "pod worker", throwingSend("patch", "Pod")],
  [
    "the start of a pod",
    "pod worker",
    (strike, { runtime }) => ({
      runtime: Object.assign(Object.create(runtime), {
        start: (...args: Parameters<PodRuntime["start"]>) => {
          strike()
          runtime.start(...args)
        }
      })
    })
  ],
  [
    "the stop of a pod",
    "pod worker",
    (strike, { runtime }) => ({
      runtime: Object.assign(Object.create(runtime), {
        stop: (...args: Parameters<PodRuntime["stop"]>) => {
          strike()
          runtime.stop(...args)
        }
      })
    })
  ],
  ["an admission handler", "pod worker", (strike) => ({ admission: [() => void strike()] })],
  [
    "an admission handler that answers later",
    "pod worker",
    (strike) => ({
      admission: [
        () => (decide) => decide(undefined),
        () => {
          strike()
          return undefined
        }
      ]
    })
  ],
  ["the recorder of Events", "event recorder", (strike) => ({ recorder: { event: strike } })]
]

const setUpFaultyKubelet = ([, , make]: FaultyPart) => {
  const errors: Array<{ readonly source: string; readonly message: string }> = []
  const time = makeVirtualTime(START, {
    handleError: (source, error) => errors.push({ source, message: (error as Error).message })
  })
  const api = new TestApi(time)
  const fault = makeFault()
  const connection = api.connectionOf("n1")
  const runtime = makeModelledPodRuntime(time.timers)
  const config = kubeletConfig({ evictionHard: { "memory.available": "100Mi" } })
  const common = { name: "n1", connection, model: modelWithoutJitter, config, runtime }
  const kubelet = makeKubelet(time.timers, { ...common, ...make(fault.strike, common) })
  const neighbour = makeKubelet(time.timers, {
    name: "n2",
    connection: api.connectionOf("n2"),
    model: modelWithoutJitter
  })
  return { time, api, fault, errors, kubelet, neighbour, untilMs: (ms: number) => time.runUntil(START + ms) }
}

const renewTimeMs = ({ api }: ReturnType<typeof setUpFaultyKubelet>, node: string) =>
  parseTime(api.lease(node)?.spec?.renewTime ?? "") - START

const isPodReady = ({ api }: ReturnType<typeof setUpFaultyKubelet>, pod: string) =>
  getPodCondition(api.pod(pod)?.status, "Ready")?.status === "True"

describe("a kubelet", () => {
  for (const place of faultyParts) {
    const [name, source] = place
    it(`survives errors of ${name}; logs each, and recovers afterwards`, () => {
      const testNode = setUpFaultyKubelet(place)
      const { api, errors, fault, kubelet, neighbour, untilMs } = testNode
      neighbour.startKubelet()
      kubelet.startKubelet()
      untilMs(MINUTE)
      api.createPod("before", "n1")
      untilMs(2 * MINUTE)
      assert.isTrue(isPodReady(testNode, "before"))
      fault.on = true
      api.createPod("during", "n1")
      api.createPod("neighbour", "n2")
      api.deletePod("before")
      // A minute of all that a kubelet does, and its start.
      untilMs(4 * MINUTE)
      kubelet.stopKubelet()
      kubelet.startKubelet()
      untilMs(6 * MINUTE)
      assert.isAbove(fault.thrown, 0)
      assert.strictEqual(errors.length, fault.thrown)
      for (const { message } of errors) assert.strictEqual(message, "by hand")
      assert.isTrue(errors.some((error) => error.source === source))
      assert.isTrue(isPodReady(testNode, "neighbour"))
      assert.isAtLeast(renewTimeMs(testNode, "n2"), 5 * MINUTE)
      fault.on = false
      untilMs(12 * MINUTE)
      const told = errors.length
      assert.isAtLeast(renewTimeMs(testNode, "n1"), 11 * MINUTE)
      assert.isTrue(isNodeReady(api.node("n1") as Parameters<typeof isNodeReady>[0]))
      assert.isTrue(isPodReady(testNode, "during"), "the pod that came meanwhile")
      assert.isUndefined(api.pod("before"), "the pod that was to go meanwhile")
      api.createPod("after", "n1")
      untilMs(13 * MINUTE)
      assert.isTrue(isPodReady(testNode, "after"))
      assert.strictEqual(errors.length, told)
    })
  }

  it("registers once the machine can be read", () => {
    const testNode = setUpFaultyKubelet(faultyParts[0] as FaultyPart)
    const { api, errors, fault, kubelet, untilMs } = testNode
    fault.on = true
    kubelet.startKubelet()
    untilMs(MINUTE)
    assert.isUndefined(api.node("n1"))
    assert.isTrue(errors.some(({ source }) => source === "node registration"))
    fault.on = false
    untilMs(2 * MINUTE)
    assert.isTrue(isNodeReady(api.node("n1") as Parameters<typeof isNodeReady>[0]))
  })
})
