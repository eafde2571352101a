import { assert, describe, it } from "@effect/vitest"
import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { withPod } from "../../src/cpu/CpuState.ts"
import { type CpuHintContext, containerCpuHints, podCpuHints } from "../../src/cpu/cpuHints.ts"
import { cpuSetChanges } from "../../src/cpu/reconcileCpus.ts"
import { CpuSet, type CpuState, type HintLists } from "../../src/index.ts"
import {
  cpuHintsFor,
  cpuTopologyOf,
  makeStaticPolicy,
  maskIds,
  noCpuPolicyOptions,
  noCpuState,
  withContainers
} from "../../src/rules.ts"
import { dualSocket, fourNodes } from "./machines.ts"
import { container, cpus, podOf, sidecar } from "./pods.ts"

const gates = featureGatesOf(defaultRelease)
const gatesWithPodManagers = { ...gates, PodLevelResourceManagers: true }
const topology = cpuTopologyOf(dualSocket)
const freshState: CpuState = { ...noCpuState, shared: topology.all }

/** Node sets; `!` where they are preferred. */
const hintTexts = (lists: HintLists | null) =>
  lists?.cpu?.map(({ mask, preferred }) => `${maskIds(mask ?? 0n).join("+")}${preferred ? "!" : ""}`)

const contextOf = (more: Partial<CpuHintContext> = {}): CpuHintContext => ({
  policy: Result.getOrThrow(makeStaticPolicy(topology, noCpuPolicyOptions, 2, cpus("0,12"))),
  state: freshState,
  reusable: CpuSet.empty,
  gates,
  ...more
})

const wholePod = (
  cpu: string,
  containers: ReadonlyArray<Container>,
  initContainers: ReadonlyArray<Container> = []
): Pod => {
  const pod = podOf("a", containers, initContainers)
  const amounts = { cpu, memory: "4Gi" }
  return { ...pod, spec: { ...pod.spec, resources: { requests: amounts, limits: amounts } } }
}

describe("the hints for a number of CPUs", () => {
  const hints = (wanted: number, free: string, reusable = "", alignBySocket = false, machine = dualSocket) =>
    hintTexts({ cpu: cpuHintsFor(cpuTopologyOf(machine), alignBySocket, cpus(free), cpus(reusable), wanted) })

  it("name all sets of nodes with enough free CPUs; those of the smallest possible size are preferred", () => {
    assert.deepStrictEqual(hints(12, "0-23"), ["0!", "1!", "0+1"])
    assert.deepStrictEqual(hints(12, "1-23"), ["1!", "0+1"])
    assert.deepStrictEqual(hints(13, "0-23"), ["0+1!"])
    assert.deepStrictEqual(hints(12, "0-2,12-14,6-8,18-20"), ["0+1"])
    assert.deepStrictEqual(hints(25, "0-23"), [])
  })

  it("name only nodes with all reusable CPUs, which count as free", () => {
    assert.deepStrictEqual(hints(3, "1,2,6-8", "3"), ["0!", "0+1"])
    assert.deepStrictEqual(hints(3, "1,2,6-8", "3,9"), ["0+1"])
  })

  it("prefer the fewest possible sockets with align-by-socket", () => {
    assert.deepStrictEqual(hints(8, "0-31", "", true, fourNodes)?.slice(0, 10), [
      ...["0!", "1!", "2!", "3!", "0+1!", "0+2", "0+3", "1+2", "1+3", "2+3!"]
    ])
    // Two nodes at least, so one socket; three nodes, so two sockets.
    assert.deepStrictEqual(hints(16, "0-31", "", true, fourNodes)?.slice(0, 3), ["0+1!", "0+2!", "0+3!"])
    assert.deepStrictEqual(hints(17, "0-31", "", true, fourNodes), ["0+1+2!", "0+1+3!", "0+2+3!", "1+2+3!", "0+1+2+3!"])
  })
})

describe("a container's hints", () => {
  const hintsOf = (one: Container, context = contextOf()) => containerCpuHints(context, podOf("a", [one]), one)

  it("leave out the CPUs of the system and of other containers", () => {
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "12"))), ["1!", "0+1"])
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "10"))), ["0!", "1!", "0+1"])
    const state = withContainers(freshState, "b", [["c", cpus("6-7")]])
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "12"), contextOf({ state }))), ["0+1"])
  })

  it("name the nodes of its assigned CPUs if their number equals its request, else none", () => {
    const state = withContainers(freshState, "a", [["c", cpus("6-7")]])
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "2"), contextOf({ state }))), ["1!", "0+1"])
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "3"), contextOf({ state }))), [])
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "1"), contextOf({ state }))), [])
    assert.deepStrictEqual(hintTexts(hintsOf(container("d", "2"), contextOf({ state }))), ["0!", "1!", "0+1"])
  })

  it("include reusable CPUs of init containers", () => {
    assert.deepStrictEqual(hintTexts(hintsOf(container("c", "2"), contextOf({ reusable: cpus("6-7") }))), ["1!", "0+1"])
  })

  it("are empty if it uses the shared pool, or its pod has pod-level resources", () => {
    assert.isNull(hintsOf(container("c", "1500m")))
    const one = container("c", "2")
    assert.isNull(containerCpuHints(contextOf(), wholePod("4", [one]), one))
    assert.isNotNull(containerCpuHints(contextOf({ gates: gatesWithPodManagers }), wholePod("4", [one]), one))
  })
})

describe("a pod's hints", () => {
  const pod = podOf("a", [container("c", "2"), container("d", "10"), container("shared", "500m")])

  it("are for all its containers at once", () => {
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf(), pod)), ["1!", "0+1"])
    assert.isNull(podCpuHints(contextOf(), podOf("a", [container("shared", "500m")])))
    assert.isNull(podCpuHints(contextOf(), wholePod("4", [container("c", "2")])))
  })

  it("include the CPUs of its containers with assignments, or equal them if all have one", () => {
    const some = withContainers(freshState, "a", [["c", cpus("6,18")]])
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state: some }), pod)), ["1!", "0+1"])
    const apart = withContainers(freshState, "a", [["c", cpus("1,13")]])
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state: apart }), pod)), ["0+1"])
    const all = withContainers(some, "a", [["d", cpus("7-11,19-23")]])
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state: all }), pod)), ["1!", "0+1"])
    const reusable = cpus("5,17")
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state: all, reusable }), pod)), ["1!", "0+1"])
    assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state: some, reusable }), pod)), ["0+1"])
  })

  it("are empty if a container's assignment differs from its request", () => {
    for (const owned of ["1", "1-3"]) {
      const state = withContainers(freshState, "a", [["c", cpus(owned)]])
      assert.deepStrictEqual(hintTexts(podCpuHints(contextOf({ state }), pod)), [])
    }
  })

  it("use its pod-level resources if it is managed at pod level", () => {
    const main = [container("c", "2"), { name: "shared" }]
    const hintsOf = (whole: Pod, state = freshState) =>
      hintTexts(podCpuHints(contextOf({ gates: gatesWithPodManagers, state }), whole))
    assert.deepStrictEqual(hintsOf(wholePod("12", main)), ["1!", "0+1"])
    assert.deepStrictEqual(hintsOf(wholePod("2", main)), [])
    const state = withPod(freshState, "a", cpus("6-9"), [["c", cpus("6-7")]])
    assert.deepStrictEqual(hintsOf(wholePod("4", main), state), ["1!", "0+1"])
    assert.deepStrictEqual(hintsOf(wholePod("5", main), state), [])
    assert.deepStrictEqual(hintsOf(wholePod("3", main), state), [])
    assert.isNull(podCpuHints(contextOf({ gates: gatesWithPodManagers }), wholePod("1500m", [{ name: "shared" }])))
  })
})

describe("the CPU sets written to the runtime", () => {
  const state = withContainers(freshState, "a", [["own", cpus("1-2")]])
  const status = (name: string, containerID: string, running = true) => ({
    name,
    containerID,
    image: "",
    imageID: "",
    ready: true,
    restartCount: 0,
    state: running ? { running: {} } : { waiting: {} }
  })
  const podWith = (statuses: NonNullable<Pod["status"]>): Pod => ({
    ...podOf("a", [container("own", "2"), { name: "shared" }], [sidecar("side", "1")]),
    status: statuses
  })
  const changes = (pod: Pod, written = new Map<string, ReadonlyMap<string, CpuSet>>(), from = state) =>
    cpuSetChanges(from, [pod], written).map(
      ({ containerId, containerName, cpus: set, podUid }) => `${podUid}/${containerName} ${containerId} ${set}`
    )

  it("are those of running containers, in their order: exclusive or shared", () => {
    const pod = podWith({
      initContainerStatuses: [status("side", "rt://3")],
      containerStatuses: [status("own", "rt://1"), status("shared", "rt://2")]
    })
    assert.deepStrictEqual(changes(pod), ["a/side rt://3 0,3-23", "a/own rt://1 1-2", "a/shared rt://2 0,3-23"])
    const written = new Map([
      [
        "a",
        new Map([
          ["own", cpus("1-2")],
          ["shared", cpus("0,3-22")]
        ])
      ]
    ])
    assert.deepStrictEqual(changes(pod, written), ["a/side rt://3 0,3-23", "a/shared rt://2 0,3-23"])
  })

  it("leave out containers that do not run or have no ID, and empty shared sets", () => {
    const running = podWith({ containerStatuses: [status("shared", "rt://2")] })
    assert.deepStrictEqual(changes(running, new Map(), { ...state, shared: CpuSet.empty }), [])
    assert.deepStrictEqual(changes(podWith({ containerStatuses: [status("own", "rt://1", false)] })), [])
    assert.deepStrictEqual(changes(podWith({})), [])
    const { state: ___, ...stateless } = status("own", "rt://1")
    assert.deepStrictEqual(changes(podWith({ containerStatuses: [stateless] })), [])
    const { containerID: _, ...nameless } = status("own", "")
    assert.deepStrictEqual(changes(podWith({ containerStatuses: [nameless] as never })), [])
    const { status: __, ...bare } = podWith({})
    assert.deepStrictEqual(changes(bare), [])
  })
})
