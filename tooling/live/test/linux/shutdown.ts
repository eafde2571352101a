import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { parseTime } from "@rollcall/api"
import { type LogindRig, makeLogindRig } from "@rollcall/linux/testing"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { rootDirIn, startLinuxKubelet } from "../../src/linux/linuxKubelet.ts"
import { eventually } from "../../src/process/eventually.ts"
import { freePort, temporaryFolder } from "../../src/process/rollcall.ts"
import { conditionOf, LinuxCluster, nodeBecomes, podBecomes, podNamed, shortPeriods } from "../LinuxCluster.ts"

const name = "going-down"
const classes = { "shutdown-last": 100_000, "shutdown-next": 1000 }
const config = {
  ...shortPeriods,
  shutdownGracePeriodByPodPriority: [
    { priority: 100_000, shutdownGracePeriodSeconds: 2 },
    { priority: 1000, shutdownGracePeriodSeconds: 2 },
    { priority: 0, shutdownGracePeriodSeconds: 3 }
  ]
}
const TERMINATED = "Pod was terminated in response to imminent node shutdown."

const waitForLockCount = ({ locksHeld }: LogindRig, count: number) =>
  eventually(`${count} locks are held`, locksHeld, (held) => held === count)

/** Creates a pod with a nodeName, without the scheduler. */
const place = Effect.fnUntraced(function* (pod: string, priorityClassName: string) {
  const { cluster } = yield* LinuxCluster
  yield* cluster.create("Pod", podNamed(pod, { nodeName: name, ...(priorityClassName && { priorityClassName }) }))
})

/** Watches the node's pods; once it has seen `count` of them, returns the set of failed pods, which it keeps up to date in order. */
const endings = Effect.fnUntraced(function* (count: number) {
  const { cluster } = yield* LinuxCluster
  const seen = new Set<string>()
  const ended = new Set<string>()
  yield* cluster.watch("Pod", { namespace: "default", fieldSelector: `spec.nodeName=${name}` }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event.type === "ERROR" || event.type === "BOOKMARK") return
        const { metadata, status } = event.object
        seen.add(metadata.name ?? "")
        if (status?.phase === "Failed") ended.add(metadata.name ?? "")
      })
    ),
    Effect.forkScoped
  )
  yield* eventually(
    `${count} pods are watched`,
    Effect.sync(() => seen.size),
    (size) => size === count
  )
  return ended
})

/** The machine shuts down: its pods end in order, no new pod starts, and then the inhibitor lock is released. */
const goesDown = Effect.fnUntraced(function* (rig: LogindRig, folder: string) {
  const { cluster } = yield* LinuxCluster
  for (const [className, value] of Object.entries(classes)) {
    yield* cluster.create("PriorityClass", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: className },
      value
    })
  }
  yield* place("high", "shutdown-last")
  yield* place("middle", "shutdown-next")
  yield* place("low", "")
  for (const pod of ["high", "middle", "low"]) yield* podBecomes(pod, "Running")
  const ended = yield* endings(3)
  yield* rig.emit(true)
  const node = yield* nodeBecomes(name, "Ready", "False")
  assert.deepInclude(conditionOf(node, "Ready"), { reason: "KubeletNotReady", message: "node is shutting down" })
  yield* place("late", "")
  const late = yield* podBecomes("late", "Failed")
  assert.deepInclude(late.status, {
    reason: "NodeShutdown",
    message: "Pod was rejected: Pod was rejected as the node is shutting down."
  })
  for (const pod of ["low", "middle", "high"]) {
    const { status } = yield* podBecomes(pod, "Failed")
    assert.deepInclude(status, { reason: "Terminated", message: TERMINATED })
    const disrupted = status?.conditions?.find(({ type }) => type === "DisruptionTarget")
    assert.deepInclude(disrupted, { status: "True", reason: "TerminationByKubelet", message: TERMINATED })
  }
  ended.delete("late")
  assert.deepStrictEqual([...ended], ["low", "middle", "high"])
  yield* waitForLockCount(rig, 0)
  const state = JSON.parse(readFileSync(join(rootDirIn(folder), "graceful_node_shutdown_state"), "utf8")) as {
    readonly startTime: string
    readonly endTime: string
  }
  assert.isAbove(parseTime(state.startTime), 0)
  assert.isAtLeast(parseTime(state.endTime), parseTime(state.startTime))
})

/** The shutdown is cancelled: the node is Ready again, ended pods stay ended. */
const isCalledOff = Effect.fnUntraced(function* (rig: LogindRig) {
  yield* rig.emit(false)
  yield* nodeBecomes(name, "Ready", "True")
  yield* waitForLockCount(rig, 1)
  yield* place("new", "")
  yield* podBecomes("new", "Running")
  for (const pod of ["low", "middle", "high", "late"]) yield* podBecomes(pod, "Failed")
})

export const shutdown = Effect.gen(function* () {
  const { kubeconfig } = yield* LinuxCluster
  const rig = yield* makeLogindRig
  const folder = yield* temporaryFolder
  const { busAddress, root } = rig.options
  const start = (...args: ReadonlyArray<string>) =>
    startLinuxKubelet({ kubeconfig, folder, name, config, busAddress, args: [`--logind-root=${root}`, ...args] })
  const kubelet = yield* start()
  yield* nodeBecomes(name, "Ready", "True")
  yield* waitForLockCount(rig, 1)
  assert.deepStrictEqual((yield* rig.locks)[0]?.slice(0, 4), [
    "shutdown",
    "kubelet",
    "Kubelet needs time to handle node shutdown",
    "delay"
  ])
  // 7 s are more than the default of the logind stand-in.
  const override = readFileSync(join(root, "etc/systemd/logind.conf.d/99-kubelet.conf"), "utf8")
  assert.strictEqual(override, "# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=7\n")
  assert.isFalse(existsSync(join(rootDirIn(folder), "graceful_node_shutdown_state")))

  yield* goesDown(rig, folder)
  yield* isCalledOff(rig)

  yield* rig.stopBus
  yield* rig.startBus
  yield* waitForLockCount(rig, 1)

  kubelet.send("SIGKILL")
  yield* waitForLockCount(rig, 0)
  const port = yield* freePort
  const again = yield* start(`--secure-port=${port}`)
  yield* waitForLockCount(rig, 1)
  // It reads the state of the last shutdown once it holds the lock, and resumes its pods.
  const metrics = Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  const hasTimes = (text: string) =>
    ["start", "end"].every((at) =>
      new RegExp(`^kubelet_graceful_shutdown_${at}_time_seconds 1\\.\\d+e\\+09$`, "m").test(text)
    )
  yield* eventually("the times of the last shutdown are exported", metrics, hasTimes)
  yield* nodeBecomes(name, "Ready", "True")
  yield* podBecomes("new", "Running")
  again.send("SIGTERM")
  yield* again.ended
  yield* waitForLockCount(rig, 0)
})
