import { type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { lintShutdown, type ShutdownConfig, type ShutdownFinding, validateShutdownConfig } from "../src/index.ts"
import { byPriority, config, documented, gates, type PodScript, plain, pod } from "./world.ts"

const critical = 2_000_000_000

const codes = (findings: ReadonlyArray<ShutdownFinding>) =>
  findings.map(({ code, severity, subject }) => `${severity} ${code} ${subject}`)

/** The findings of one kind. */
const find = (code: ShutdownFinding["code"], given: ShutdownConfig, pods: ReadonlyArray<Pod> = []) =>
  lintShutdown(given, pods).filter((finding) => finding.code === code)

const withVolumes = (script: PodScript, volumes: Pod["spec"]["volumes"], more: Partial<Pod["metadata"]> = {}): Pod => {
  const plainPod = pod(script)
  return {
    ...plainPod,
    metadata: { ...plainPod.metadata, ...more },
    spec: { ...plainPod.spec, volumes: volumes ?? [] }
  }
}

const annotated = (script: PodScript, annotations: Record<string, string>): Pod =>
  withVolumes(script, [], { annotations })

const claim = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
const ofDaemonSet = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "csi", uid: "u", controller: true }]
}
const driverFolders = [{ name: "plugins", hostPath: { path: "/var/lib/kubelet/plugins/csi.example.com" } }]

describe("a configuration that is refused", () => {
  const off = { ...gates, GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false }
  const refused: Readonly<Record<string, ShutdownConfig>> = {
    "error both-given shutdownGracePeriodByPodPriority": { ...documented, shutdownGracePeriodMs: 30_000 },
    "error critical-exceeds-total shutdownGracePeriodCriticalPods": plain(10, 30),
    "error below-one-second shutdownGracePeriod": plain(0.5, 0),
    "error gate-off shutdownGracePeriod": { ...plain(30, 10), featureGates: off },
    "error gate-off shutdownGracePeriodByPodPriority": { ...documented, featureGates: off }
  }
  for (const [expected, given] of Object.entries(refused)) {
    it(`is told why: ${expected}`, () => {
      assert.deepStrictEqual(codes(lintShutdown(given, [])), [expected])
      assert.strictEqual(validateShutdownConfig(given).length, 1)
    })
  }

  it("is told that a release does not know it", () => {
    const [finding] = lintShutdown({ ...plain(30, 10), featureGates: off }, [], { release: releases["1.4"] })
    assert.include(finding?.message, "Kubernetes 1.4 has no feature gate GracefulNodeShutdown yet")
  })
})

describe("the settings", () => {
  it("may be none", () => {
    assert.deepStrictEqual(codes(lintShutdown(config(), undefined)), ["warning nothing-configured shutdownGracePeriod"])
  })

  it("may leave one kind of pods nothing", () => {
    assert.strictEqual(find("critical-zero", plain(30, 0)).length, 1)
    assert.strictEqual(find("normal-zero", plain(5, 5)).length, 1)
    assert.strictEqual(find("no-time", byPriority([0, 10], [1000, 0], [2000, -5])).length, 2)
  })

  it("may lose a fraction of a second in each bucket", () => {
    const [finding] = find("truncated-seconds", plain(10.9, 5.5))
    assert.include(finding?.message, "5.4s become 5s for ordinary pods, 5.5s become 5s for critical ones. 0.9s")
    assert.strictEqual(find("truncated-seconds", plain(30, 10)).length, 0)
  })

  it("may be in any order, and twice of one priority", () => {
    assert.strictEqual(find("mixed-order", documented).length, 0)
    assert.include(find("mixed-order", byPriority([1000, 1], [0, 1], [500, 1]))[0]?.message, "0, 500, 1000")
    assert.include(find("duplicate-priority", byPriority([0, 5], [0, 7]))[0]?.message, "first (5s)")
  })

  it("may ask logind for more than it allows, and for more than distributions like", () => {
    assert.deepStrictEqual(find("logind-override", plain(5, 1)), [])
    assert.include(find("logind-override", plain(30, 10))[0]?.message, "InhibitDelayMaxSec=30")
    assert.deepStrictEqual(find("logind-long-delay", plain(30, 10)), [])
    assert.strictEqual(find("logind-long-delay", documented).length, 1)
    assert.deepStrictEqual(codes(lintShutdown(documented, undefined, { inhibitDelaySeconds: 600 })), [])
  })
})

describe("the pods", () => {
  it("are not asked about when nobody knows them", () => {
    assert.notInclude(codes(lintShutdown(documented, undefined)).join(), "empty-bucket")
  })

  it("may leave buckets empty", () => {
    assert.deepStrictEqual(
      find("empty-bucket", documented, [pod({ name: "c", priority: 1000 })]).map(({ subject }) => subject),
      ["bucket 0", "bucket 10000", "bucket 100000"]
    )
  })

  it("may need more than their bucket, or than all of them", () => {
    const pods = [pod({ name: "a", grace: 20 }), pod({ name: "b", grace: 25 }), pod({ name: "c", grace: 600 })]
    const [short] = find("bucket-too-short", plain(30, 10), pods)
    assert.deepStrictEqual(short?.pods, ["default/b"])
    const [longer] = find("longer-than-shutdown", plain(30, 10), pods)
    assert.deepStrictEqual(longer?.pods, ["default/c"])
    assert.include(longer?.message, "600s")
  })

  it("may be of priorities that no bucket has", () => {
    const gapped = byPriority([100_000, 10], [1000, 120], [100, 60])
    const pods = [pod({ name: "b", priority: 10_000 }), pod({ name: "low", priority: 1 })]
    assert.include(
      find("gap", gapped, pods)[0]?.message,
      "priority 10000 falls into the next lower one, the bucket of 1000"
    )
    assert.strictEqual(find("below-lowest-bucket", gapped, pods)[0]?.subject, "bucket 100")
    // The plain settings mean it so.
    assert.deepStrictEqual(find("gap", plain(30, 10), pods), [])
  })

  it("may be critical and die with others", () => {
    const proxy = pod({ name: "proxy", priority: critical + 1000 })
    const a = pod({ name: "a", priority: 100_000 })
    assert.deepStrictEqual(find("critical-shares-bucket", documented, [a, proxy])[0]?.pods, ["default/proxy"])
    assert.deepStrictEqual(codes(find("gap", documented, [proxy])), ["info gap bucket 100000"])
    assert.deepStrictEqual(find("critical-shares-bucket", plain(30, 10), [a, proxy]), [])
  })

  it("may be static, and nothing better for it", () => {
    const fromFile = annotated({ name: "etcd" }, { "kubernetes.io/config.source": "file" })
    const mirror = annotated({ name: "proxy", priority: critical }, { "kubernetes.io/config.mirror": "x" })
    const ordinary = annotated({ name: "web" }, { "kubernetes.io/config.source": "api" })
    const pods = [fromFile, mirror, ordinary]
    assert.deepStrictEqual(find("static-without-priority", plain(30, 10), pods)[0]?.pods, ["default/etcd"])
    assert.deepStrictEqual(find("mirror-priority", plain(30, 10), pods)[0]?.pods, ["default/proxy"])
  })
})

describe("storage", () => {
  const user = withVolumes({ name: "db", priority: 1000, grace: 30 }, claim)
  const driver = (priority: number) => withVolumes({ name: "csi", priority }, driverFolders, ofDaemonSet)

  it("drivers may go together with their users, or before them", () => {
    const given = byPriority([0, 60], [1000, 60], [critical, 10])
    assert.strictEqual(find("storage-driver-with-users", given, [user, driver(1000)]).length, 1)
    assert.strictEqual(find("storage-driver-first", given, [user, driver(0)]).length, 1)
    const fine = [user, driver(critical)]
    assert.deepStrictEqual(
      [...find("storage-driver-with-users", given, fine), ...find("storage-driver-first", given, fine)],
      []
    )
  })

  it("is a matter of DaemonSets with the kubelet's folders, or a registrar", () => {
    const other = withVolumes(
      { name: "logs", priority: 1000 },
      [{ name: "logs", hostPath: { path: "/var/log" } }],
      ofDaemonSet
    )
    assert.deepStrictEqual(find("storage-driver-with-users", plain(30, 10), [user, other]), [])
    const registrar: Pod = { ...other, spec: { ...other.spec, containers: [{ name: "node-driver-registrar" }] } }
    assert.strictEqual(find("storage-driver-with-users", plain(30, 10), [user, registrar]).length, 1)
  })

  it("may be left no time to unmount", () => {
    assert.deepStrictEqual(find("no-time-for-volumes", plain(30, 10), [user])[0]?.pods, ["default/db"])
    assert.deepStrictEqual(find("no-time-for-volumes", plain(60, 10), [user]), [])
  })
})

it("tells the worst first", () => {
  const severities = lintShutdown(documented, [pod({ name: "a", grace: 100 })]).map(({ severity }) => severity)
  assert.deepStrictEqual(severities, severities.toSorted().toReversed())
})
