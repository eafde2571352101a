import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime } from "../../src/index.ts"
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
