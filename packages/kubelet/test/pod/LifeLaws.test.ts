import { type Container, type ContainerStatus, type Pod, parseTime } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { modelUpstream } from "../../src/index.ts"
import { annotationBehaviour, type PodBehaviour } from "../../src/runtime/PodBehaviour.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

/** The longest grace that is given here, and what the runtime adds. */
const GRACE_MS = 12_000
const STOP_MS = 2_000

const seconds = (max: number) => fc.integer({ min: 0, max })

const behaviour = fc.record(
  {
    startSeconds: seconds(3),
    exitAfterSeconds: seconds(20),
    exitCode: fc.constantFrom(0, 1),
    exitTimes: seconds(4),
    startedAfterSeconds: seconds(10),
    readyAfterSeconds: seconds(10),
    failsLivenessAtSeconds: seconds(40),
    stopSeconds: seconds(30),
    imagePullFailTimes: seconds(2),
    imagePullSeconds: seconds(15),
    postStartSeconds: seconds(5),
    postStart: fc.constant("fail" as const)
  },
  { requiredKeys: [] }
)

const probe = fc.record({
  exec: fc.constant({ command: ["check"] }),
  initialDelaySeconds: seconds(5),
  periodSeconds: fc.integer({ min: 1, max: 5 }),
  failureThreshold: fc.integer({ min: 1, max: 3 })
})

const podSpec = fc.record({
  restartPolicy: fc.constantFrom("Always" as const, "OnFailure" as const, "Never" as const),
  inits: fc.array(fc.boolean(), { maxLength: 3 }),
  behaviours: fc.array(behaviour, { minLength: 4, maxLength: 4 }),
  probes: fc.record({ startupProbe: probe, readinessProbe: probe, livenessProbe: probe }, { requiredKeys: [] }),
  graceSeconds: fc.integer({ min: 1, max: GRACE_MS / 1000 }),
  deadline: fc.record({ activeDeadlineSeconds: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: [] })
})

const action = fc.record({
  afterMs: fc.integer({ min: 0, max: 30_000 }),
  what: fc.constantFrom("kill", "delete", "crash", "boot", "stop", "start", "cut", "heal")
})

type PodParts = typeof podSpec extends fc.Arbitrary<infer A> ? A : never

const podOf = ({ behaviours, deadline, graceSeconds, inits, probes, restartPolicy }: PodParts): Pod => {
  const names = [...inits.map((_, index) => `i${index}`), "c"]
  const named: PodBehaviour = Object.fromEntries(names.map((name, index) => [name, behaviours[index] ?? {}]))
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", annotations: { [annotationBehaviour]: JSON.stringify(named) } },
    spec: {
      nodeName: "n1",
      restartPolicy,
      terminationGracePeriodSeconds: graceSeconds,
      ...deadline,
      initContainers: inits.map((isSidecar, index): Container => {
        const container = { name: `i${index}`, image: "i" }
        return isSidecar ? { ...container, restartPolicy: "Always", ...probes } : container
      }),
      containers: [{ name: "c", image: "c", ...probes, lifecycle: { postStart: { httpGet: { port: 80 } } } }]
    }
  }
}

const statusesOf = ({ status }: Pod): ReadonlyArray<ContainerStatus> => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? [])
]

describe("the lifecycle of any pod", () => {
  it("keeps its rules, whatever its containers do and whatever is done to it", () => {
    fc.assert(
      fc.property(podSpec, fc.array(action, { maxLength: 8 }), fc.integer(), (given, deeds, seed) => {
        const { boot, api, kubelet, link, untilMs } = setUpKubelet({ model: modelUpstream, seed })
        kubelet.startKubelet()
        let now = 15_000
        untilMs(now)
        api.ask({ verb: "create", kind: "Pod", namespace: "default", object: podOf(given) })
        let before: Pod | undefined
        let killedAtMs: number | undefined
        let calm = true
        const look = () => {
          const pod = api.pod("p")
          const local = kubelet.pods().find(({ name }) => name === "p")
          if (pod === undefined && calm) assert.notStrictEqual(local?.hasContainers, true, "nothing of it runs")
          if (pod === undefined) return
          const { phase } = pod.status ?? {}
          if (before?.status?.phase === "Failed" || before?.status?.phase === "Succeeded") {
            assert.strictEqual(phase, before.status.phase, "a terminal phase stays")
          }
          if (phase === "Failed" || phase === "Succeeded") {
            assert.isFalse(
              statusesOf(pod).some(({ state }) => state?.running !== undefined),
              "it is over"
            )
            assert.isTrue(pod.status?.conditions?.every(({ status, type }) => type !== "Ready" || status === "False"))
          }
          for (const status of statusesOf(pod)) {
            const earlier = before && statusesOf(before).find(({ name }) => name === status.name)
            assert.isAtLeast(status.restartCount ?? 0, earlier?.restartCount ?? 0, "restarts only grow")
            if (status.ready === true && status.state?.running !== undefined) assert.isTrue(status.started)
          }
          before = pod
        }
        for (const { afterMs, what } of [...deeds, { afterMs: 30_000, what: "start" as const }]) {
          const step = Math.max(1, Math.floor(afterMs / 20))
          for (let passed = 0; passed < afterMs; passed += step) {
            now += step
            untilMs(now)
            look()
          }
          if (what === "cut" || what === "heal") link.setCut(what === "cut")
          else if (what === "delete") api.deletePod("p")
          else if (what === "crash") kubelet.powerLost()
          else if (what === "boot") boot()
          else if (what === "stop") kubelet.stopKubelet()
          else if (what === "start") kubelet.startKubelet()
          else if (kubelet.running && killedAtMs === undefined && kubelet.pods().some((local) => local.hasContainers)) {
            killedAtMs = now
            kubelet.killPod(api.pod("p")?.metadata.uid ?? "", { reason: "Evicted", message: "low" })
          }
          if (what === "cut" || what === "crash" || what === "stop") calm = false
        }
        if (killedAtMs !== undefined && calm) {
          untilMs(Math.max(now, killedAtMs + GRACE_MS + STOP_MS))
          const pod = api.pod("p")
          if (pod !== undefined) {
            assert.include(["Failed", "Succeeded"], pod.status?.phase)
            for (const { state } of statusesOf(pod)) {
              const { finishedAt } = state?.terminated ?? {}
              if (finishedAt === undefined) continue
              assert.isAtMost(parseTime(finishedAt) - START, killedAtMs + given.graceSeconds * 1000 + STOP_MS)
            }
          }
        }
      }),
      { numRuns: 60 }
    )
  })
})
