import type { ContainerState, ContainerStatus, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { containersEnded } from "../../src/pod/containersEnded.ts"

const waiting: ContainerState = { waiting: { reason: "PodInitializing" } }
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } })
const running: ContainerState = { running: { startedAt: "2026-01-01T00:00:00Z" } }

const status = (name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  image: "x",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
  ...more
})

/** The exit codes of the containers of a pod that ended so, and "waits" of those that never ran. */
const ended = (
  init: ReadonlyArray<ContainerStatus>,
  regular: ReadonlyArray<ContainerStatus>,
  sidecar = false,
  metadata: Pod["metadata"] = {}
) => {
  const initContainers = init.map(({ name }) => ({ name, ...(sidecar ? { restartPolicy: "Always" as const } : {}) }))
  const spec = { containers: regular.map(({ name }) => ({ name })), initContainers }
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", ...metadata }, spec }
  const found = containersEnded({ init, regular }, 143, "2026-01-01T00:00:10Z", pod)
  return [...found.init, ...found.regular].map(({ state }) => state?.terminated?.exitCode ?? "waits")
}

describe("the statuses of a pod that has ended", () => {
  it("are terminated, if it has no init containers", () => {
    assert.deepStrictEqual(
      ended([], [status("a", running), status("b", waiting), status("c", exited(1))]),
      [143, 137, 1]
    )
  })

  it("leave containers waiting that cannot have run", () => {
    assert.deepStrictEqual(ended([status("i", exited(1))], [status("a", waiting)]), [1, "waits"])
    assert.deepStrictEqual(ended([status("i", running), status("j", waiting)], [status("a", waiting)]), [
      143,
      "waits",
      "waits"
    ])
    assert.deepStrictEqual(ended([status("i", waiting), status("j", waiting)], [status("a", waiting)]), [
      137,
      "waits",
      "waits"
    ])
  })

  it("are terminated once the last init container has completed, or a sidecar has started", () => {
    assert.deepStrictEqual(ended([status("i", exited(0))], [status("a", waiting)]), [0, 137])
    const started = status("s", running, { started: true })
    assert.deepStrictEqual(ended([started], [status("a", waiting)], true), [143, 137])
    assert.deepStrictEqual(ended([status("s", running)], [status("a", waiting)], true), [143, "waits"])
  })

  it("are their last ends if the pod is deleted, and unknown if it is killed while they wait to be restarted", () => {
    const again = status("a", waiting, { lastState: exited(3) })
    const deletionTimestamp = "2026-01-01T00:00:09Z"
    assert.deepStrictEqual(ended([status("i", exited(1))], [again], false, { deletionTimestamp }), [1, 3])
    assert.deepStrictEqual(ended([status("i", exited(1))], [again]), [1, 137])
  })
})
