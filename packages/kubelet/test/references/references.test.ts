import type { Container, KubeObject, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { KubeletOptions, ReferencedKind } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

const setUp = (options: Partial<Omit<KubeletOptions, "runtime">> = {}) => {
  const events: Array<readonly [atMs: number, text: string]> = []
  const recorder = {
    event: (_: unknown, type: string, reason: string, message: string) =>
      void events.push([made.time.timers.now() - START, `${type} ${reason} ${message}`])
  }
  const made = setUpKubelet({ recorder, ...options })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  return {
    ...made,
    create: (kind: ReferencedKind, name: string, data: Readonly<Record<string, string>> = {}) => {
      const object: KubeObject & object = { apiVersion: "v1", kind, metadata: { name } }
      const fields = kind === "Secret" ? { stringData: data } : { data }
      made.api.ask({ verb: "create", kind, namespace: "default", object: { ...object, ...fields } })
    },
    run: (spec: Partial<PodSpec>) => made.api.createPod("p", "n1", spec),
    /** The Events that begin so. */
    events: (start: string) => events.filter(([, text]) => text.startsWith(start)),
    texts: (start: string) => [...new Set(events.map(([, text]) => text).filter((text) => text.startsWith(start)))],
    state: () => made.api.pod("p")?.status?.containerStatuses?.[0]?.state,
    phase: () => made.api.pod("p")?.status?.phase,
    /** The reads of objects to which pods refer. */
    reads: () => made.attempts.filter(({ request }) => request.kind === "ConfigMap" || request.kind === "Secret")
  }
}

const mounting = (volumes: NonNullable<PodSpec["volumes"]>): Partial<PodSpec> => ({
  volumes,
  containers: [
    { name: "c", image: "pause", volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }
  ]
})

const reading = (container: Partial<Container>): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "pause", ...container }]
})

const CREATING = { waiting: { reason: "ContainerCreating" } }
const FAILED = "Warning FailedMount MountVolume.SetUp failed for volume"

describe("a volume", () => {
  it("holds its pod as long as its ConfigMap is missing, and is set up again with the back-off of the volume manager", () => {
    const { create, events, phase, run, state, texts, untilMs } = setUp()
    run(mounting([{ name: "v", configMap: { name: "cm" } }]))
    untilMs(9_000)
    assert.deepStrictEqual(texts(FAILED), [`${FAILED} "v" : configmap "cm" not found`])
    const [first = 0] = events(FAILED).map(([atMs]) => atMs)
    assert.deepStrictEqual(
      events(FAILED).map(([atMs]) => atMs - first),
      [0, 500, 1_500, 3_500, 7_500]
    )
    assert.deepStrictEqual([phase(), state()], ["Pending", CREATING])
    create("ConfigMap", "cm")
    untilMs(16_000)
    assert.deepStrictEqual([phase(), state()], ["Pending", CREATING])
    untilMs(20_000)
    assert.strictEqual(phase(), "Running")
    assert.strictEqual(events(FAILED).length, 5)
  })

  it("is not seen to be set up between two syncs of its pod", () => {
    const { create, events, phase, run, untilMs } = setUp()
    run(mounting([{ name: "v", secret: { secretName: "s" } }]))
    untilMs(600_000)
    const [last = 0] = events(FAILED)
      .map(([atMs]) => atMs)
      .toReversed()
    assert.isAbove(last, 600_000 - 122_000)
    create("Secret", "s")
    untilMs(last + 121_000)
    assert.strictEqual(phase(), "Pending")
    untilMs(last + 122_000 + 17_000)
    assert.strictEqual(phase(), "Running")
  })

  it("names the key that is missing", () => {
    const { create, run, texts, untilMs } = setUp()
    create("ConfigMap", "cm", { a: "1" })
    create("Secret", "s", { a: "1" })
    const items = [
      { key: "a", path: "a" },
      { key: "b", path: "b" }
    ]
    run(
      mounting([
        { name: "v", configMap: { name: "cm", items } },
        { name: "w", secret: { secretName: "s", items } }
      ])
    )
    untilMs(3_000)
    assert.deepStrictEqual(texts(FAILED), [
      `${FAILED} "v" : configmap references non-existent config key: b`,
      `${FAILED} "w" : references non-existent secret key: b`
    ])
  })

  it("that is projected names all that is missing, and heeds what is optional", () => {
    const { create, phase, run, texts, untilMs } = setUp()
    const sources = [
      { configMap: { name: "cm" } },
      { secret: { name: "s" } },
      { secret: { name: "o", optional: true } },
      { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } }
    ]
    run(mounting([{ name: "v", projected: { sources } }]))
    untilMs(2_000)
    assert.deepStrictEqual(texts(FAILED), [`${FAILED} "v" : [configmap "cm" not found, secret "s" not found]`])
    create("ConfigMap", "cm")
    create("Secret", "s")
    untilMs(10_000)
    assert.strictEqual(phase(), "Running")
  })

  it("holds nothing if it is optional or not mounted", () => {
    const { phase, run, texts, untilMs } = setUp()
    const items = [{ key: "b", path: "b" }]
    run({
      ...mounting([{ name: "v", configMap: { name: "cm", optional: true, items } }]),
      volumes: [
        { name: "v", configMap: { name: "cm", optional: true, items } },
        { name: "w", secret: { secretName: "s" } }
      ]
    })
    untilMs(5_000)
    assert.deepStrictEqual([phase(), texts("Warning")], ["Running", []])
  })

  it("is not set up while the kubelet's process is stopped or its runtime does not respond", () => {
    const { create, kubelet, phase, reads, run, untilMs } = setUp()
    run(mounting([{ name: "v", configMap: { name: "cm" } }]))
    untilMs(3_000)
    kubelet.stopKubelet()
    create("ConfigMap", "cm")
    const before = reads().length
    untilMs(60_000)
    assert.deepStrictEqual([phase(), reads().length], ["Pending", before])
    kubelet.runtimeDown(true)
    kubelet.startKubelet()
    untilMs(120_000)
    assert.deepStrictEqual([phase(), reads().length], ["Pending", before])
    kubelet.runtimeDown(false)
    untilMs(180_000)
    assert.strictEqual(phase(), "Running")
  })

  it("does not hold the deletion of its pod", () => {
    const { api, events, run, untilMs } = setUp()
    run(mounting([{ name: "v", configMap: { name: "cm" } }]))
    untilMs(5_000)
    api.deletePod("p")
    untilMs(20_000)
    assert.strictEqual(api.pod("p"), undefined)
    const { length } = events(FAILED)
    untilMs(60_000)
    assert.strictEqual(events(FAILED).length, length)
  })
})

describe("a variable", () => {
  const failures: ReadonlyArray<readonly [container: Partial<Container>, message: string]> = [
    [{ envFrom: [{ configMapRef: { name: "cm" } }] }, 'configmap "cm" not found'],
    [{ envFrom: [{ secretRef: { name: "s" } }] }, 'secret "s" not found'],
    [{ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "k" } } }] }, 'configmap "cm" not found'],
    [
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "known", key: "k" } } }] },
      "couldn't find key k in ConfigMap default/known"
    ],
    [
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "known", key: "k" } } }] },
      "couldn't find key k in Secret default/known"
    ]
  ]
  for (const [container, message] of failures) {
    it(`keeps its container from being made: ${message}`, () => {
      const { create, run, state, texts, untilMs } = setUp()
      create("ConfigMap", "known", { a: "1" })
      create("Secret", "known", { a: "1" })
      run(reading(container))
      untilMs(5_000)
      assert.deepStrictEqual(state(), { waiting: { reason: "CreateContainerConfigError", message } })
      assert.deepStrictEqual(texts("Warning"), [`Warning Failed Error: ${message}`])
    })
  }

  it("lets its container start once its object is there, 10 to 15 s after the last attempt", () => {
    const { create, events, phase, run, untilMs } = setUp()
    run(reading({ envFrom: [{ configMapRef: { name: "cm" } }] }))
    untilMs(20_000)
    create("ConfigMap", "cm")
    untilMs(36_000)
    // The sandbox, once it is seen, is the cause of the second attempt.
    const [first = 0, second = 0, third = 0] = events("Warning Failed").map(([atMs]) => atMs)
    assert.strictEqual(second - first, 1_000)
    assert.isTrue(third - second >= 10_000 && third - second <= 15_000)
    assert.strictEqual(phase(), "Running")
  })

  it("is no longer why its container waits once the pod is being deleted", () => {
    const { api, run, untilMs } = setUp()
    run(reading({ envFrom: [{ configMapRef: { name: "cm" } }] }))
    untilMs(5_000)
    const before = api.asked("patch Pod/status").length
    api.deletePod("p")
    untilMs(20_000)
    const shown = api.asked("patch Pod/status").slice(before)
    const states = shown.map(({ request }) => JSON.stringify(request))
    assert.match(states[0] ?? "", /"waiting":\{[^}]*"reason":"ContainerCreating"/)
    assert.match(states.at(-1) ?? "", /ContainerStatusUnknown/)
    assert.strictEqual(api.pod("p"), undefined)
  })

  it("holds only its own container", () => {
    const { api, run, untilMs } = setUp()
    run({
      containers: [
        { name: "c", image: "pause", envFrom: [{ secretRef: { name: "s" } }] },
        { name: "d", image: "pause", envFrom: [{ secretRef: { name: "s", optional: true } }] }
      ]
    })
    untilMs(5_000)
    const states = api.pod("p")?.status?.containerStatuses?.map(({ state = {} }) => Object.keys(state)[0])
    assert.deepStrictEqual(states, ["waiting", "running"])
  })

  it("is read anew when its container restarts, and known while the API does not answer", () => {
    const { api, create, link, run, state, untilMs } = setUp()
    create("ConfigMap", "cm")
    const command = ["sh", "-c", "sleep 5; exit 1"]
    run(reading({ image: "busybox", command, envFrom: [{ configMapRef: { name: "cm" } }] }))
    untilMs(6_000)
    link.setCut(true)
    untilMs(16_000)
    link.setCut(false)
    untilMs(30_000)
    assert.isAtLeast(api.pod("p")?.status?.containerStatuses?.[0]?.restartCount ?? 0, 1)
    api.ask({ verb: "delete", kind: "ConfigMap", namespace: "default", name: "cm" })
    untilMs(120_000)
    assert.strictEqual(state()?.waiting?.reason, "CreateContainerConfigError")
  })
})

describe("a pull secret that is missing", () => {
  it("is an Event, and holds nothing", () => {
    const { create, phase, run, texts, untilMs } = setUp()
    create("Secret", "known")
    run({ imagePullSecrets: [{ name: "s" }, { name: "known" }, { name: "t" }] })
    untilMs(5_000)
    assert.strictEqual(phase(), "Running")
    assert.deepStrictEqual(texts("Warning"), [
      "Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (s, t); attempting to pull the image may not succeed."
    ])
  })
})

describe("what a kubelet reads", () => {
  it("is nothing for a pod without references, and one request for each object that another pod names", () => {
    const { create, reads, run, untilMs } = setUp()
    run({})
    untilMs(5_000)
    assert.strictEqual(reads().length, 0)
    const other = setUp()
    other.create("ConfigMap", "cm", { a: "1" })
    const envFrom = [{ configMapRef: { name: "cm" } }]
    const containers = ["c", "d"].map((name) => ({ name, image: "pause", envFrom }))
    other.run({ containers })
    other.untilMs(5_000)
    assert.strictEqual(other.phase(), "Running")
    assert.strictEqual(other.reads().length, 1)
    create("ConfigMap", "cm")
  })

  it("holds no pod if it does not heed the kind", () => {
    const { phase, reads, run, untilMs } = setUp({ heldBy: (kind) => kind === "Secret" })
    run({
      ...mounting([{ name: "v", configMap: { name: "cm" } }]),
      containers: [
        {
          name: "c",
          image: "pause",
          envFrom: [{ configMapRef: { name: "cm" } }],
          volumeMounts: [{ name: "v", mountPath: "/v" }]
        }
      ]
    })
    untilMs(5_000)
    assert.deepStrictEqual([phase(), reads().length], ["Running", 0])
  })
})
