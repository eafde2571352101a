import type { PersistentVolume, PersistentVolumeClaim, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { KubeletOptions } from "../../src/index.ts"
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
  const { api } = made
  /** Creates a claim, and gives it this status. */
  const claim = (name: string, volumeName: string, phase: string, metadata: object = {}) => {
    const object = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: "default", ...metadata },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName },
      status: { phase }
    } as PersistentVolumeClaim
    const kind = "PersistentVolumeClaim"
    const created = api.ask({ verb: "create", kind, namespace: "default", object }) as PersistentVolumeClaim
    api.update(kind, object, "status")
    return created.metadata.uid ?? ""
  }
  const volume = (name: string, claimRef: object | undefined, more: object = {}) => {
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/d" },
      claimRef,
      ...more
    }
    const object = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec } as PersistentVolume
    api.ask({ verb: "create", kind: "PersistentVolume", object })
  }
  return {
    ...made,
    claim,
    volume,
    bind: (name: string, more: object = {}) => {
      const uid = claim(name, `pv-${name}`, "Bound")
      volume(`pv-${name}`, { namespace: "default", name, uid }, more)
    },
    run: (spec: Partial<PodSpec>) => api.createPod("p", "n1", spec),
    failures: () => events.filter(([, text]) => text.startsWith(FAILED)),
    texts: () => [...new Set(events.map(([, text]) => text).filter((text) => text.startsWith(FAILED)))],
    phase: () => api.pod("p")?.status?.phase
  }
}

const FAILED = "Warning FailedMount Unable to attach or mount volumes: "
const unmounted = (volumes: string, problem: string) =>
  `${FAILED}unmounted volumes=[${volumes}], unattached volumes=[], failed to process volumes=[${volumes}]: ${problem}`

const mounting = (...claims: ReadonlyArray<string>): Partial<PodSpec> => ({
  volumes: claims.map((claimName) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })),
  containers: [
    {
      name: "c",
      image: "pause",
      volumeMounts: claims.map((claim) => ({ name: `v-${claim}`, mountPath: `/${claim}` }))
    }
  ]
})

describe("a claim", () => {
  it("that does not exist holds the pod, and each sync says so", () => {
    const { bind, failures, phase, run, texts, untilMs } = setUp()
    run(mounting("data"))
    untilMs(60_000)
    const problem =
      'error processing PVC default/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found'
    assert.deepStrictEqual(texts(), [unmounted("v-data", problem)])
    const times = failures().map(([atMs]) => atMs)
    for (const [index, atMs] of times.slice(1).entries()) {
      assert.isAtLeast(atMs - (times[index] ?? 0), 10_000)
      assert.isAtMost(atMs - (times[index] ?? 0), 15_500)
    }
    assert.isAtLeast(times.length, 4)
    assert.strictEqual(phase(), "Pending")
    bind("data")
    untilMs(76_000)
    assert.strictEqual(phase(), "Running")
  })

  const held: ReadonlyArray<readonly [what: string, make: (made: ReturnType<typeof setUp>) => void, problem: string]> =
    [
      ["is not bound", ({ claim }) => void claim("data", "", "Pending"), "PVC is not bound"],
      ["names no volume", ({ claim }) => void claim("data", "", "Bound"), "PVC has empty pvc.Spec.VolumeName"],
      [
        "names a volume that does not exist",
        ({ claim }) => void claim("data", "gone", "Bound"),
        'failed to fetch PV gone from API server: persistentvolumes "gone" not found'
      ],
      [
        "names a volume that is bound to nothing",
        ({ claim, volume }) => {
          claim("data", "pv", "Bound")
          volume("pv", undefined)
        },
        "found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim"
      ]
    ]
  for (const [what, make, problem] of held) {
    it(`that ${what} holds the pod`, () => {
      const made = setUp()
      make(made)
      made.run(mounting("data"))
      made.untilMs(5_000)
      assert.deepStrictEqual(made.texts(), [unmounted("v-data", `error processing PVC default/data: ${problem}`)])
      assert.strictEqual(made.phase(), "Pending")
    })
  }

  it("whose volume is bound to another claim holds the pod", () => {
    const { claim, run, texts, untilMs, volume } = setUp()
    const uid = claim("data", "pv", "Bound")
    volume("pv", { namespace: "default", name: "data", uid: "other" })
    run(mounting("data"))
    untilMs(5_000)
    const problem = `found PV object pv but its pv.Spec.ClaimRef.UID other does not point to claim.UID ${uid}`
    assert.deepStrictEqual(texts(), [unmounted("v-data", `error processing PVC default/data: ${problem}`)])
  })

  it("of a block device cannot be mounted as a file system", () => {
    const { bind, run, texts, untilMs } = setUp()
    bind("data", { volumeMode: "Block" })
    run(mounting("data"))
    untilMs(5_000)
    const problem = "volume v-data has volumeMode Block, but is specified in volumeMounts"
    assert.deepStrictEqual(texts(), [unmounted("v-data", problem)])
  })

  it("for an ephemeral volume must be the pod's own", () => {
    const { bind, phase, run, texts, untilMs } = setUp()
    bind("p-tmp")
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
    run({
      volumes: [{ name: "tmp", ephemeral: { volumeClaimTemplate: { spec } } }] as unknown as NonNullable<
        PodSpec["volumes"]
      >,
      containers: [{ name: "c", image: "pause", volumeMounts: [{ name: "tmp", mountPath: "/tmp" }] }]
    })
    untilMs(5_000)
    const problem = "PVC default/p-tmp was not created for pod default/p (pod is not owner)"
    assert.deepStrictEqual([texts(), phase()], [[unmounted("tmp", problem)], "Pending"])
  })

  it("is told with the other claims of the pod, and ones that are well are not", () => {
    const { bind, run, texts, untilMs } = setUp()
    bind("b")
    run(mounting("c", "b", "a"))
    untilMs(5_000)
    const missing = (name: string) =>
      `error processing PVC default/${name}: failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`
    assert.deepStrictEqual(texts(), [unmounted("v-a v-c", `${missing("c")}; ${missing("a")}`)])
  })

  it("holds no pod that does not mount it, nor one in a world without claims", () => {
    const { phase, run, untilMs } = setUp()
    run({ ...mounting("data"), containers: [{ name: "c", image: "pause" }] })
    untilMs(3_000)
    assert.strictEqual(phase(), "Running")
    const other = setUp({ heldBy: () => false })
    other.run(mounting("data"))
    other.untilMs(3_000)
    assert.strictEqual(other.phase(), "Running")
  })
})
