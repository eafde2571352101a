import { assert, describe, it } from "@effect/vitest"
import type { ContainerState, Pod } from "@rollcall/api"
import type { CpuSetChange } from "../../src/index.ts"
import { allocateAll, container, cpuManager, podOf } from "./pods.ts"

const runningState: ContainerState = { running: {} }

const withStates = (pod: Pod, states: Readonly<Record<string, ContainerState>>): Pod => ({
  ...pod,
  status: {
    containerStatuses: Object.entries(states).map(([name, state]) => ({
      name,
      state,
      image: "",
      imageID: "",
      ready: true,
      restartCount: 0,
      containerID: `modelled://${name}`
    }))
  }
})

const sharingContainer = container("shared", "500m")

describe("reconciliation", () => {
  const manager = () => {
    const made = cpuManager()
    allocateAll(made, podOf("a", [container("own", "2"), sharingContainer]))
    return made
  }
  const changesOf = (
    made: ReturnType<typeof manager>,
    pods: ReadonlyArray<Pod>,
    works: (change: CpuSetChange) => boolean = () => true
  ): ReadonlyArray<string> => {
    const seen: Array<string> = []
    made.reconcile(pods, (change) => {
      seen.push(`${change.podUid}/${change.containerName} ${change.containerId} ${change.cpus}`)
      return works(change)
    })
    return seen
  }
  const pod = podOf("a", [container("own", "2"), sharingContainer])

  it("writes the set of each running container once", () => {
    const made = manager()
    const both = withStates(pod, { own: runningState, shared: runningState })
    assert.deepStrictEqual(changesOf(made, [both]), [
      "a/own modelled://own 1,13",
      "a/shared modelled://shared 0,2-12,14-23"
    ])
    assert.deepStrictEqual(changesOf(made, [both]), [])
  })

  it("writes the shared set again when it has changed", () => {
    const made = manager()
    const both = withStates(pod, { own: runningState, shared: runningState })
    changesOf(made, [both])
    const other = podOf("b", [container("c", "2")])
    allocateAll(made, other)
    assert.deepStrictEqual(changesOf(made, [both, other]), ["a/shared modelled://shared 0,3-12,15-23"])
    // The other pod is gone: its CPUs are shared again in the same round.
    assert.deepStrictEqual(changesOf(made, [both]), ["a/shared modelled://shared 0,2-12,14-23"])
  })

  it("skips waiting and terminated containers", () => {
    const made = manager()
    const states = { own: { waiting: {} }, shared: { terminated: { exitCode: 0 } } }
    assert.deepStrictEqual(changesOf(made, [withStates(pod, states)]), [])
    assert.deepStrictEqual(changesOf(made, [pod]), [])
    assert.strictEqual(made.cpusOf("a", "own").size, 2)
  })

  it("retries failed writes", () => {
    const made = manager()
    const one = withStates(pod, { own: runningState })
    assert.strictEqual(changesOf(made, [one], () => false).length, 1)
    assert.strictEqual(changesOf(made, [one]).length, 1)
    assert.strictEqual(changesOf(made, [one]).length, 0)
  })
})
