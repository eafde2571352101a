import { type Container, getPodCondition, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime } from "../../src/index.ts"
import { annotationBehaviour, type PodBehaviour } from "../../src/runtime/PodBehaviour.ts"
import { makeWorld } from "../world.ts"

type Options = NonNullable<Parameters<typeof makeWorld>[0]>
type World = ReturnType<typeof makeWorld>

interface Given extends Partial<Pod["spec"]> {
  readonly behaviour?: PodBehaviour
}

const started = (options: Options = {}): World => {
  const world = makeWorld(options)
  world.kubelet.startKubelet()
  world.untilMs(5_000)
  return world
}

/** Brought up at 5 s: its sandbox is there at 6 s. */
const create = ({ api }: World, name: string, { behaviour, ...spec }: Given): void => {
  api.ask({
    verb: "create",
    kind: "Pod",
    namespace: "default",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: "default",
        ...(behaviour === undefined ? {} : { annotations: { [annotationBehaviour]: JSON.stringify(behaviour) } })
      },
      spec: { containers: [{ name: "c", image: "app" }], nodeName: "n1", ...spec }
    }
  })
}

const recording = () => {
  const events: Array<string> = []
  const recorder: NonNullable<Options["recorder"]> = {
    event: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`)
  }
  return { events, recorder }
}

const statusOf = ({ api }: World, name: string, container: string) => {
  const { containerStatuses = [], initContainerStatuses = [] } = api.pod(name)?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === container)
}

/** `i running, c waiting PodInitializing`. */
const states = (world: World, name: string): string => {
  const { containerStatuses = [], initContainerStatuses = [] } = world.api.pod(name)?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses]
    .map(({ name, state }) =>
      state?.running !== undefined
        ? `${name} running`
        : state?.terminated !== undefined
          ? `${name} ended ${state.terminated.exitCode}`
          : `${name} ${state?.waiting?.reason}`
    )
    .join(", ")
}

const phaseOf = ({ api }: World, name: string) => api.pod(name)?.status?.phase
const init = (name: string): Container => ({ name, image: "init" })
const sidecar = (name: string): Container => ({ name, image: "side", restartPolicy: "Always" })

describe("init containers", () => {
  it("run one after another, and then the regular ones", () => {
    const world = started()
    const behaviour = { i1: { exitAfterSeconds: 2 }, i2: { exitAfterSeconds: 3 } }
    create(world, "a", { initContainers: [init("i1"), init("i2")], behaviour })
    world.untilMs(6_000)
    assert.strictEqual(states(world, "a"), "i1 running, i2 PodInitializing, c PodInitializing")
    assert.strictEqual(phaseOf(world, "a"), "Pending")
    const pod = world.api.pod("a")?.status
    assert.strictEqual(getPodCondition(pod, "PodReadyToStartContainers")?.status, "True")
    assert.strictEqual(getPodCondition(pod, "Initialized")?.message, "containers with incomplete status: [i1 i2]")
    world.untilMs(8_000)
    assert.strictEqual(states(world, "a"), "i1 ended 0, i2 running, c PodInitializing")
    world.untilMs(10_999)
    assert.strictEqual(phaseOf(world, "a"), "Pending")
    world.untilMs(11_000)
    assert.strictEqual(states(world, "a"), "i1 ended 0, i2 ended 0, c running")
    assert.strictEqual(phaseOf(world, "a"), "Running")
    const { terminated } = statusOf(world, "a", "i2")?.state ?? {}
    assert.deepStrictEqual(
      [terminated?.startedAt, terminated?.finishedAt],
      ["2026-01-01T00:00:08Z", "2026-01-01T00:00:11Z"]
    )
    assert.strictEqual(getPodCondition(world.api.pod("a")?.status, "Initialized")?.status, "True")
  })

  it("that fail are tried again after a pause", () => {
    const world = started()
    const behaviour = { i: { startSeconds: 0, exitAfterSeconds: 1, exitCode: 1, exitTimes: 3 } }
    create(world, "a", { initContainers: [init("i")], behaviour })
    // Up at 6 s, 7 s and, after 10 s, at 18 s.
    world.untilMs(8_000)
    assert.strictEqual(states(world, "a"), "i CrashLoopBackOff, c PodInitializing")
    assert.strictEqual(phaseOf(world, "a"), "Pending")
    world.untilMs(18_000)
    assert.strictEqual(states(world, "a"), "i running, c PodInitializing")
    world.untilMs(38_999)
    assert.strictEqual(states(world, "a"), "i CrashLoopBackOff, c PodInitializing")
    world.untilMs(39_000)
    assert.strictEqual(states(world, "a"), "i ended 0, c running")
    assert.strictEqual(statusOf(world, "a", "i")?.restartCount, 3)
  })

  it("that fail for good fail the pod", () => {
    const world = started()
    const behaviour = { i: { exitAfterSeconds: 1, exitCode: 3 } }
    create(world, "a", { restartPolicy: "Never", initContainers: [sidecar("s"), init("i")], behaviour })
    world.untilMs(6_999)
    assert.strictEqual(states(world, "a"), "s running, i running, c PodInitializing")
    world.untilMs(7_000)
    assert.strictEqual(phaseOf(world, "a"), "Pending", "its sidecar still runs")
    world.untilMs(8_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.strictEqual(states(world, "a"), "s ended 0, i ended 3, c ended 137")
    world.untilMs(100_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
  })
})

describe("sidecars", () => {
  it("start in their order, before the regular containers, which wait for their startup probes", () => {
    const world = started()
    const startupProbe = { exec: { command: ["up"] }, periodSeconds: 2 }
    const behaviour = { s1: { startedAfterSeconds: 3 }, s2: { startSeconds: 1 } }
    create(world, "a", { initContainers: [{ ...sidecar("s1"), startupProbe }, sidecar("s2")], behaviour })
    world.untilMs(6_000)
    assert.strictEqual(states(world, "a"), "s1 running, s2 PodInitializing, c PodInitializing")
    world.untilMs(9_999)
    assert.isFalse(statusOf(world, "a", "s1")?.started)
    world.untilMs(10_000)
    assert.isTrue(statusOf(world, "a", "s1")?.started, "with the check at 4 s")
    world.untilMs(11_000)
    assert.strictEqual(states(world, "a"), "s1 running, s2 running, c running")
  })

  it("end after the regular ones, the last first", () => {
    const world = started()
    const behaviour = { c: { stopSeconds: 3 }, s1: { stopSeconds: 1 }, s2: { stopSeconds: 2 } }
    create(world, "a", { initContainers: [sidecar("s1"), sidecar("s2")], behaviour })
    world.untilMs(8_000)
    world.api.deletePod("a", 20)
    world.untilMs(11_000)
    assert.strictEqual(states(world, "a"), "s1 running, s2 running, c ended 0")
    assert.strictEqual(phaseOf(world, "a"), "Running")
    world.untilMs(13_000)
    assert.strictEqual(states(world, "a"), "s1 running, s2 ended 0, c ended 0")
    world.untilMs(13_999)
    assert.isDefined(world.api.pod("a"))
    world.untilMs(14_000)
    assert.isUndefined(world.api.pod("a"))
  })

  it("come back whenever they end, and do not keep a job alive", () => {
    const world = started()
    const behaviour = { s: { exitAfterSeconds: 2, exitTimes: 1, exitCode: 9 }, c: { exitAfterSeconds: 5 } }
    create(world, "a", { restartPolicy: "Never", initContainers: [sidecar("s")], behaviour })
    world.untilMs(8_500)
    assert.strictEqual(states(world, "a"), "s running, c running")
    assert.strictEqual(statusOf(world, "a", "s")?.restartCount, 1)
    world.untilMs(11_000)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.strictEqual(states(world, "a"), "s running, c ended 0")
    world.untilMs(12_000)
    assert.strictEqual(phaseOf(world, "a"), "Succeeded")
  })
})

describe("probes", () => {
  const exec = { exec: { command: ["check"] } }

  it("make a container ready, and unready again", () => {
    const world = started()
    const readinessProbe = {
      ...exec,
      initialDelaySeconds: 3,
      periodSeconds: 2,
      failureThreshold: 2,
      successThreshold: 1
    }
    create(world, "a", {
      containers: [{ name: "c", image: "app", readinessProbe }],
      behaviour: { c: { readyAfterSeconds: 5, unreadyAtSeconds: 20, readyAgainAtSeconds: 31 } }
    })
    const ready = () => getPodCondition(world.api.pod("a")?.status, "Ready")?.status
    world.untilMs(11_999)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.strictEqual(ready(), "False")
    world.untilMs(12_000)
    assert.strictEqual(ready(), "True", "with the check at 6 s")
    world.untilMs(27_999)
    assert.strictEqual(ready(), "True")
    world.untilMs(28_000)
    assert.strictEqual(ready(), "False", "after those at 20 s and 22 s")
    world.untilMs(38_000)
    assert.strictEqual(ready(), "True")
  })

  it("that always pass cost nothing once they have", () => {
    const world = started()
    const probe = { ...exec, periodSeconds: 1 }
    create(world, "a", {
      containers: [{ name: "c", image: "app", livenessProbe: probe, readinessProbe: probe, startupProbe: probe }]
    })
    world.untilMs(6_000)
    assert.isTrue(statusOf(world, "a", "c")?.ready)
    const plans = world.plans()
    world.untilMs(9_500)
    assert.strictEqual(world.plans(), plans)
  })

  it("have a container restarted that does not live", () => {
    const { events, recorder } = recording()
    const world = started({ recorder })
    const livenessProbe = { ...exec, periodSeconds: 5, failureThreshold: 2 }
    create(world, "a", {
      containers: [{ name: "c", image: "app", livenessProbe }],
      behaviour: { c: { failsLivenessAtSeconds: 7, stopSeconds: 60, startSeconds: 0 } },
      terminationGracePeriodSeconds: 4
    })
    events.length = 0
    // Checks at 10 s and 15 s of its life fail; it does not heed SIGTERM.
    world.untilMs(24_999)
    assert.strictEqual(states(world, "a"), "c running")
    assert.strictEqual(statusOf(world, "a", "c")?.restartCount, 0)
    world.untilMs(25_000)
    assert.strictEqual(statusOf(world, "a", "c")?.lastState?.terminated?.exitCode, 137)
    assert.strictEqual(statusOf(world, "a", "c")?.restartCount, 1)
    assert.deepStrictEqual(
      events.filter((event) => event.includes("Unhealthy") || event.includes("Killing")),
      [
        "Warning Unhealthy Liveness probe failed: the container does not answer",
        "Warning Unhealthy Liveness probe failed: the container does not answer",
        "Normal Killing Container c failed liveness probe, will be restarted"
      ]
    )
  })

  it("have a container restarted that does not come up", () => {
    const world = started()
    const startupProbe = { ...exec, periodSeconds: 2, failureThreshold: 3 }
    create(world, "a", {
      containers: [{ name: "c", image: "app", startupProbe }],
      behaviour: { c: { startedAfterSeconds: 100 } }
    })
    world.untilMs(9_999)
    assert.isFalse(statusOf(world, "a", "c")?.started)
    // The third check fails at 10 s, it ends at 11 s and is up again at 11.5 s.
    world.untilMs(11_500)
    assert.strictEqual(statusOf(world, "a", "c")?.restartCount, 1)
  })
})

describe("readiness gates", () => {
  it("keep a pod from being ready until they say otherwise, at once", () => {
    const world = started()
    const conditionType = "example.com/routed"
    create(world, "a", { readinessGates: [{ conditionType }] })
    world.untilMs(8_000)
    const ready = () => getPodCondition(world.api.pod("a")?.status, "Ready")
    assert.strictEqual(ready()?.reason, "ReadinessGatesNotReady")
    const body = { status: { conditions: [{ type: conditionType, status: "True" }] } }
    world.api.ask({
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name: "a",
      subresource: "status",
      patchType: "strategic",
      body
    })
    world.untilMs(8_001)
    assert.strictEqual(ready()?.status, "True")
  })
})

describe("images", () => {
  it("that cannot be pulled are tried again after 10 s, 20 s, and so on", () => {
    const { events, recorder } = recording()
    const world = started({ recorder })
    create(world, "a", { behaviour: { c: { imagePullFailTimes: 2 } } })
    world.untilMs(6_000)
    assert.strictEqual(states(world, "a"), "c ErrImagePull")
    assert.strictEqual(phaseOf(world, "a"), "Pending")
    world.untilMs(7_000)
    assert.strictEqual(states(world, "a"), "c ImagePullBackOff")
    assert.include(statusOf(world, "a", "c")?.state?.waiting?.message ?? "", 'Back-off pulling image "app"')
    world.untilMs(16_000)
    assert.strictEqual(states(world, "a"), "c ErrImagePull")
    world.untilMs(35_999)
    assert.strictEqual(states(world, "a"), "c ImagePullBackOff")
    world.untilMs(36_000)
    assert.strictEqual(states(world, "a"), "c running")
    assert.strictEqual(statusOf(world, "a", "c")?.restartCount, 0)
    assert.deepStrictEqual(events.slice(-8), [
      'Normal Pulling Pulling image "app"',
      'Warning Failed Failed to pull image "app": failed to resolve reference "app": not found',
      "Warning Failed Error: ErrImagePull",
      'Normal BackOff Back-off pulling image "app"',
      "Warning Failed Error: ImagePullBackOff",
      'Normal Pulled Container image "app" already present on machine and can be accessed by the pod',
      "Normal Created Container created",
      "Normal Started Container started"
    ])
  })
})

describe("another image", () => {
  it("has its container stopped and restarted, regardless of the policy", () => {
    const { events, recorder } = recording()
    const world = started({ recorder })
    create(world, "a", { restartPolicy: "Never" })
    world.untilMs(8_000)
    const body = { spec: { containers: [{ name: "c", image: "app:2" }] } }
    const request = {
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name: "a",
      patchType: "strategic",
      body
    } as const
    world.api.ask(request)
    world.untilMs(9_400)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.strictEqual(statusOf(world, "a", "c")?.image, "app")
    world.untilMs(9_500)
    const status = statusOf(world, "a", "c")
    assert.strictEqual(status?.image, "app:2")
    assert.strictEqual(status?.restartCount, 1)
    assert.strictEqual(status?.lastState?.terminated?.finishedAt, "2026-01-01T00:00:09Z")
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.include(events, "Normal Killing Container c definition changed, will be restarted")
  })
})

describe("the end of a pod", () => {
  it("comes at its deadline", () => {
    const { events, recorder } = recording()
    const world = started({ recorder })
    create(world, "a", { activeDeadlineSeconds: 20 })
    world.untilMs(24_999)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    world.untilMs(25_999)
    assert.strictEqual(phaseOf(world, "a"), "Running", "its containers are stopping")
    world.untilMs(26_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.strictEqual(world.api.pod("a")?.status?.reason, "DeadlineExceeded")
    const message = "Pod was active on the node longer than the specified deadline"
    assert.strictEqual(world.api.pod("a")?.status?.message, message)
    assert.include(events, `Normal DeadlineExceeded ${message}`)
    assert.include(events, "Normal Killing Stopping container c")
  })

  it("comes at the deadline of one that never came up, too", () => {
    const world = started()
    create(world, "a", { activeDeadlineSeconds: 20, behaviour: { c: { imagePull: "fail" } } })
    world.untilMs(25_000)
    assert.strictEqual(phaseOf(world, "a"), "Failed")
    assert.strictEqual(world.api.pod("a")?.status?.reason, "DeadlineExceeded")
  })

  it("waits for the preStop hook, within the grace period", () => {
    const world = started()
    const preStop = { sleep: { seconds: 8 } }
    create(world, "a", { containers: [{ name: "c", image: "app", lifecycle: { preStop } }] })
    create(world, "b", { containers: [{ name: "c", image: "app", lifecycle: { preStop } }] })
    world.untilMs(10_000)
    world.api.deletePod("a", 30)
    world.api.deletePod("b", 5)
    world.untilMs(15_999)
    assert.isDefined(world.api.pod("b"))
    world.untilMs(16_000)
    assert.isUndefined(world.api.pod("b"), "asked to end after 5 s of hook, it ends within its last two")
    world.untilMs(18_999)
    assert.isDefined(world.api.pod("a"))
    world.untilMs(19_000)
    assert.isUndefined(world.api.pod("a"))
  })

  it("leaves containers two seconds however little grace there is", () => {
    const world = started({ runtime: (timers) => makeModelledPodRuntime(timers, { stopMs: 60_000 }) })
    create(world, "a", {})
    world.untilMs(10_000)
    world.api.deletePod("a", 1)
    world.untilMs(11_999)
    assert.isDefined(world.api.pod("a"))
    world.untilMs(12_000)
    assert.isUndefined(world.api.pod("a"))
  })
})

describe("behaviour", () => {
  it("that is invalid is reported, and the pod just runs", () => {
    const { events, recorder } = recording()
    const world = started({ recorder })
    world.api.ask({
      verb: "create",
      kind: "Pod",
      namespace: "default",
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a", namespace: "default", annotations: { [annotationBehaviour]: '{"c": {"exit": 3}}' } },
        spec: { containers: [{ name: "c", image: "app" }], nodeName: "n1" }
      }
    })
    world.untilMs(6_000)
    assert.strictEqual(phaseOf(world, "a"), "Running")
    assert.include(events, 'Warning InvalidBehaviour c: unknown field "exit"')
  })

  it("lives on while the kubelet does not, and is caught up with", () => {
    const world = started()
    const behaviour = { i: { exitAfterSeconds: 4 }, c: { exitAfterSeconds: 10, exitTimes: 1, exitCode: 1 } }
    create(world, "a", { initContainers: [init("i")], behaviour })
    world.untilMs(8_000)
    world.kubelet.stopKubelet()
    world.untilMs(20_000)
    assert.strictEqual(states(world, "a"), "i running, c PodInitializing")
    world.kubelet.startKubelet()
    world.untilMs(22_000)
    assert.strictEqual(states(world, "a"), "i ended 0, c running")
  })

  it("restarts after a power loss, init containers first", () => {
    const world = started()
    create(world, "a", { initContainers: [init("i")], behaviour: { i: { exitAfterSeconds: 4 } } })
    world.untilMs(12_000)
    world.kubelet.powerLost()
    world.boot()
    world.untilMs(15_000)
    assert.strictEqual(states(world, "a").split(", ")[0], "i running")
    assert.strictEqual(getPodCondition(world.api.pod("a")?.status, "Ready")?.status, "False")
    world.untilMs(18_000)
    assert.strictEqual(states(world, "a"), "i ended 0, c running")
    assert.strictEqual(statusOf(world, "a", "c")?.restartCount, 1)
  })
})
