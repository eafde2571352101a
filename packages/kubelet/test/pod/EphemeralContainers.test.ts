import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type ModelledPodRuntimeOptions, makeModelledPodRuntime } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

const setUp = (annotations: Readonly<Record<string, string>> = {}) => {
  const events: Array<string> = []
  const recorder = {
    event: (about: object, _type: string, reason: string) => {
      const { fieldPath = "" } = about as { readonly fieldPath?: string }
      if (fieldPath.includes("ephemeral")) events.push(`${reason} ${fieldPath}`)
    }
  }
  const made = setUpKubelet({ recorder, runtime: (timers) => makeModelledPodRuntime(timers) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  made.api.createPod("p", "n1", {}, annotations)
  made.untilMs(5_000)
  const pod = (): Pod => made.api.ask({ verb: "get", kind: "Pod", namespace: "default", name: "p" }) as Pod
  return {
    ...made,
    events,
    pod,
    /** Adds an ephemeral container, as `kubectl debug` does. */
    debug: (name: string, command: ReadonlyArray<string>) => {
      const present = pod()
      const added = { name, image: "busybox", command }
      const ephemeralContainers = [...(present.spec.ephemeralContainers ?? []), added]
      made.api.update(
        "Pod",
        { ...present, spec: { ...present.spec, ephemeralContainers } } as Pod,
        "ephemeralcontainers"
      )
    },
    states: () =>
      pod().status?.ephemeralContainerStatuses?.map(({ name, state }) => [name, Object.keys(state ?? {})[0]])
  }
}

for (const annotations of [{}, { "rollcall.dev/behaviour": '{"*":{"stopSeconds":1}}' }]) {
  describe(`ephemeral containers of a pod with ${Object.keys(annotations).length} annotations`, () => {
    it("run beside the others, end by themselves, and are not restarted", () => {
      const { debug, events, pod, states, time } = setUp(annotations)
      debug("d1", ["sleep", "5"])
      time.runUntil(START + 6_000)
      debug("d2", ["sleep", "1000"])
      time.runUntil(START + 8_000)
      assert.deepStrictEqual(states(), [
        ["d1", "running"],
        ["d2", "running"]
      ])
      assert.deepStrictEqual(events.slice(0, 3), [
        "Pulled spec.ephemeralContainers{d1}",
        "Created spec.ephemeralContainers{d1}",
        "Started spec.ephemeralContainers{d1}"
      ])
      time.runUntil(START + 60_000)
      assert.deepStrictEqual(states(), [
        ["d1", "terminated"],
        ["d2", "running"]
      ])
      const { containerStatuses, phase } = pod().status ?? {}
      assert.deepStrictEqual([phase, containerStatuses?.[0]?.restartCount], ["Running", 0])
      assert.lengthOf(events, 6)
    })

    it("stay as they are when the kubelet restarts, and end with the pod", () => {
      const { api, debug, kubelet, lastPodStatus, states, time } = setUp(annotations)
      debug("d1", ["sleep", "1000"])
      time.runUntil(START + 8_000)
      kubelet.stopKubelet()
      time.runUntil(START + 10_000)
      kubelet.startKubelet()
      time.runUntil(START + 20_000)
      assert.deepStrictEqual(states(), [["d1", "running"]])
      api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
      time.runUntil(START + 60_000)
      assert.isDefined(lastPodStatus()?.ephemeralContainerStatuses?.[0]?.state?.terminated)
    })
  })
}

describe("the image of an ephemeral container", () => {
  const setUpImage = (images: ModelledPodRuntimeOptions["images"] & object) => {
    const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { images }) })
    made.kubelet.startKubelet()
    made.untilMs(1_000)
    made.api.createPod("p", "n1", { containers: [{ name: "c", image: "app", imagePullPolicy: "IfNotPresent" }] })
    made.untilMs(5_000)
    const pod = (): Pod => made.api.ask({ verb: "get", kind: "Pod", namespace: "default", name: "p" }) as Pod
    const ephemeralContainers = [{ name: "d", image: "tools:1", command: ["sleep", "100"] }]
    const present = pod()
    made.api.update("Pod", { ...present, spec: { ...present.spec, ephemeralContainers } } as Pod, "ephemeralcontainers")
    const reason = () => {
      const { state = {} } = pod().status?.ephemeralContainerStatuses?.[0] ?? {}
      return state.waiting?.reason ?? Object.keys(state)[0]
    }
    return { ...made, pod, reason }
  }

  it("is pulled before it starts", () => {
    const { reason, untilMs } = setUpImage({ present: ["app"], pullMs: 3_000 })
    untilMs(7_000)
    assert.strictEqual(reason(), "ContainerCreating")
    untilMs(9_000)
    assert.strictEqual(reason(), "running")
  })

  it("is pulled anew by a new process of the kubelet, if the one before has ended meanwhile", () => {
    const { kubelet, reason, untilMs } = setUpImage({ present: ["app"], pullMs: 3_000 })
    untilMs(7_000)
    kubelet.stopKubelet()
    untilMs(20_000)
    assert.strictEqual(reason(), "ContainerCreating")
    kubelet.startKubelet()
    untilMs(30_000)
    assert.strictEqual(reason(), "running")
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(40_000)
    assert.strictEqual(reason(), "running")
  })

  it("is asked for at once by a new process, whatever the back-off was", () => {
    const { kubelet, pod, reason, untilMs } = setUpImage({ present: ["app"], missing: ["tools:1"] })
    untilMs(60_000)
    assert.strictEqual(reason(), "ImagePullBackOff")
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(62_000)
    assert.strictEqual(reason(), "ErrImagePull")
    assert.strictEqual(pod().status?.ephemeralContainerStatuses?.length, 1)
  })

  it("is tried again while the registry does not have it, and ends with its pod", () => {
    const { api, pod, reason, untilMs } = setUpImage({ present: ["app"], missing: ["tools:1"] })
    untilMs(6_000)
    assert.strictEqual(reason(), "ErrImagePull")
    assert.include(pod().status?.ephemeralContainerStatuses?.[0]?.state?.waiting?.message ?? "", "tools:1: not found")
    untilMs(26_000)
    assert.strictEqual(reason(), "ImagePullBackOff")
    assert.strictEqual(pod().status?.phase, "Running")
    api.deletePod("p")
    untilMs(90_000)
    assert.isUndefined(api.pod("p"))
  })
})
