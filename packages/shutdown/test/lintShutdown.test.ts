import { defaultRelease, type Pod, type Release, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { lintShutdown, type ShutdownConfig, type ShutdownFinding } from "../src/index.ts"
import { validateShutdownConfig } from "../src/rules.ts"
import { byPriority, config, documentedConfig, gates, type PodScript, podOf, twoPeriods } from "./startTestManager.ts"

const critical = 2_000_000_000

const codes = (findings: ReadonlyArray<ShutdownFinding>) =>
  findings.map(({ code, severity, subject }) => `${severity} ${code} ${subject}`)

/** The findings of one severity. */
const findingOf = (code: ShutdownFinding["code"], given: ShutdownConfig, pods: ReadonlyArray<Pod> = []) =>
  lintShutdown(given, pods).filter((finding) => finding.code === code)

/** All findings but those about logind, as `severity code subject: message (pods)`. */
const findingTexts = (given: ShutdownConfig, pods?: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  lintShutdown(given, pods, { inhibitDelaySeconds: 3600 }).map(
    ({ code, message, pods: of, severity, subject }) =>
      `${severity} ${code} ${subject}: ${message}${of === undefined ? "" : ` (${of.join(", ")})`}`
  )

/** Only the findings about storage. */
const storageFindings = (given: ShutdownConfig, pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  findingTexts(given, pods).filter((text) => /^\S+ (storage-|no-time-for-volumes)/.test(text))

const podWithVolumes = (
  script: PodScript,
  volumes: Pod["spec"]["volumes"],
  more: Partial<Pod["metadata"]> = {}
): Pod => {
  const plainPod = podOf(script)
  return {
    ...plainPod,
    metadata: { ...plainPod.metadata, ...more },
    spec: { ...plainPod.spec, volumes: volumes ?? [] }
  }
}

const podWithAnnotations = (script: PodScript, annotations: Record<string, string>): Pod =>
  podWithVolumes(script, [], { annotations })

const claim = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
const ofDaemonSet = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "csi", uid: "u", controller: true }]
}
const driverFolders = [{ name: "plugins", hostPath: { path: "/var/lib/kubelet/plugins/csi.example.com" } }]

describe("a refused configuration", () => {
  const off = { ...gates, GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false }
  const refused: Readonly<Record<string, ShutdownConfig>> = {
    "error both-given shutdownGracePeriodByPodPriority": { ...documentedConfig, shutdownGracePeriodMs: 30_000 },
    "error critical-exceeds-total shutdownGracePeriodCriticalPods": twoPeriods(10, 30),
    "error below-one-second shutdownGracePeriod": twoPeriods(0.5, 0),
    "error gate-off shutdownGracePeriod": { ...twoPeriods(30, 10), featureGates: off },
    "error gate-off shutdownGracePeriodByPodPriority": { ...documentedConfig, featureGates: off }
  }
  for (const [expected, given] of Object.entries(refused)) {
    it(`gives the reason: ${expected}`, () => {
      assert.deepStrictEqual(codes(lintShutdown(given, [])), [expected])
      assert.strictEqual(validateShutdownConfig(given).length, 1)
    })
  }

  it("names whether the release lacks the gate, or has it off", () => {
    const texts = (given: ShutdownConfig, release?: Release) =>
      lintShutdown({ ...given, featureGates: off }, [], release === undefined ? {} : { release })[0]?.message
    const isOff = "shutdownGracePeriod needs the feature gate GracefulNodeShutdown, which is off."
    assert.strictEqual(texts(twoPeriods(30, 10)), isOff)
    assert.strictEqual(texts(twoPeriods(30, 10), defaultRelease), isOff)
    assert.strictEqual(
      texts(twoPeriods(30, 10), releases["1.4"]),
      "Kubernetes 1.4 has no feature gate GracefulNodeShutdown yet: it does not support shutdownGracePeriod."
    )
    assert.strictEqual(
      texts(documentedConfig),
      "shutdownGracePeriodByPodPriority needs the feature gate GracefulNodeShutdownBasedOnPodPriority, which is off."
    )
  })

  it("lists every error, in the order of the kubelet's own errors", () => {
    const wrong = { ...documentedConfig, shutdownGracePeriodMs: 500, shutdownGracePeriodCriticalPodsMs: 999 }
    assert.deepStrictEqual(
      lintShutdown(wrong, []).map(({ message }) => message),
      [
        "shutdownGracePeriodCriticalPods (0.999s) is part of shutdownGracePeriod (0.5s), not added to it: it cannot be larger.",
        "shutdownGracePeriod is 0.5s: it must be 0 or at least one second.",
        "shutdownGracePeriodCriticalPods is 0.999s: it must be 0 or at least one second.",
        "shutdownGracePeriodByPodPriority and shutdownGracePeriod set the same thing in two ways: the kubelet accepts only one of them. Leave out shutdownGracePeriod and shutdownGracePeriodCriticalPods."
      ]
    )
    assert.strictEqual(validateShutdownConfig(wrong).length, 4)
  })

  // Upstream: pkg/kubelet/apis/config/validation/validation.go refuses what is negative, or above 0 and below 1 s.
  it("includes negative periods; 0 and one second are valid", () => {
    const refused = (given: ShutdownConfig) =>
      lintShutdown(given, undefined).filter(({ severity }) => severity === "error")
    assert.deepStrictEqual(
      refused(twoPeriods(-1, -1)).map(({ message }) => message),
      [
        "shutdownGracePeriod is -1s: it must be 0 or at least one second.",
        "shutdownGracePeriodCriticalPods is -1s: it must be 0 or at least one second."
      ]
    )
    for (const fine of [twoPeriods(0, 0), twoPeriods(1, 0), twoPeriods(1, 1), twoPeriods(2, 1)])
      assert.deepStrictEqual(refused(fine), [])
  })

  it("needs no gate for settings that it does not use", () => {
    const asks = { ...config(), featureGates: off }
    assert.deepStrictEqual(codes(lintShutdown(asks, [])), ["warning nothing-configured shutdownGracePeriod"])
    // Only the share of critical pods is given.
    assert.deepStrictEqual(codes(lintShutdown({ ...twoPeriods(0, 10), featureGates: off }, [])), [
      "error gate-off shutdownGracePeriod"
    ])
  })
})

describe("the settings", () => {
  it("may be empty", () => {
    const [finding, ...others] = lintShutdown(config(), undefined)
    assert.deepStrictEqual(finding, {
      severity: "warning",
      code: "nothing-configured",
      subject: "shutdownGracePeriod",
      message:
        "Neither shutdownGracePeriod nor shutdownGracePeriodByPodPriority is set: the kubelet does not handle shutdowns. The machine powers off at once and its pods with it, and no pod status records it."
    })
    assert.deepStrictEqual(others, [])
  })

  it("may leave critical or ordinary pods no time", () => {
    assert.deepStrictEqual(findingTexts(twoPeriods(30, 0)), [
      "warning critical-zero shutdownGracePeriodCriticalPods: shutdownGracePeriodCriticalPods is 0: pods of priority 2000000000 and above are asked to stop when all others are down, and not waited for. The machine goes down at once."
    ])
    assert.deepStrictEqual(findingTexts(twoPeriods(5, 5)), [
      "warning normal-zero shutdownGracePeriod: shutdownGracePeriodCriticalPods takes all of shutdownGracePeriod (5s): ordinary pods are asked to stop and not waited for; critical ones follow at once."
    ])
    assert.deepStrictEqual(findingTexts(twoPeriods(30, 10)), [])
    const next = "its pods are asked to stop and not waited for. The next phase begins at once."
    assert.deepStrictEqual(findingTexts(byPriority([0, 10], [1000, 0], [2000, -5])), [
      `warning no-time bucket 1000: The bucket has 0 seconds: ${next}`,
      `warning no-time bucket 2000: The bucket has -5 seconds: ${next}`
    ])
  })

  it("may lose a fraction of a second in each bucket", () => {
    const cut = "warning truncated-seconds shutdownGracePeriod: Each bucket is cut to whole seconds on its own:"
    assert.deepStrictEqual(findingTexts(twoPeriods(10.9, 5.5)), [
      `${cut} 5.4s become 5s for ordinary pods, 5.5s become 5s for critical ones. 0.9s of shutdownGracePeriod are lost.`
    ])
    // Whole in sum, and cut all the same.
    assert.deepStrictEqual(findingTexts(twoPeriods(10, 5.5)), [
      `${cut} 4.5s become 4s for ordinary pods, 5.5s become 5s for critical ones. 1s of shutdownGracePeriod are lost.`
    ])
  })

  it("may be in any order, with one priority twice", () => {
    assert.deepStrictEqual(findingOf("mixed-order", documentedConfig), [])
    assert.deepStrictEqual(findingOf("mixed-order", byPriority([0, 1], [500, 1], [500, 1], [1000, 1])), [])
    assert.deepStrictEqual(findingTexts(byPriority([1000, 1], [0, 1], [500, 1])), [
      "info mixed-order shutdownGracePeriodByPodPriority: The order of the list has no effect. The kubelet sorts it and kills in this order: 0, 500, 1000."
    ])
    assert.deepStrictEqual(findingTexts(byPriority([-9, 1], [0, 5], [0, 6], [0, 8], [0, 7], [9, 1])), [
      "warning duplicate-priority bucket 0: 4 buckets have priority 0. The first (5s) gets the pods of exactly that priority, the last (7s) those above it; which is the first is not defined, and their seconds are all added up."
    ])
  })

  it("may need more than logind allows, and more than distributions often allow", () => {
    const asked = (seconds: number, inhibitDelaySeconds?: number) =>
      lintShutdown(
        byPriority([0, seconds]),
        undefined,
        inhibitDelaySeconds === undefined ? {} : { inhibitDelaySeconds }
      )
    assert.deepStrictEqual(asked(5), [])
    assert.deepStrictEqual(asked(600, 600), [])
    const override = (seconds: number, limit: number): ShutdownFinding => ({
      severity: "info",
      code: "logind-override",
      subject: "logind",
      message: `logind holds a shutdown back for ${limit}s at most (InhibitDelayMaxSec), ${seconds}s are needed. The kubelet writes InhibitDelayMaxSec=${seconds} to /etc/systemd/logind.conf.d/99-kubelet.conf when it starts, and makes logind reload it.`
    })
    assert.deepStrictEqual(asked(6), [override(6, 5)])
    assert.deepStrictEqual(asked(30, 29), [override(30, 29)])
    assert.deepStrictEqual(asked(31), [
      {
        severity: "warning",
        code: "logind-long-delay",
        subject: "logind",
        message:
          "31s are more than the 30s that distributions often set as a limit. A distribution's file in logind.conf.d whose name sorts after 99-kubelet.conf takes precedence: the kubelet then logs that its shutdown manager timed out, and pods get no time at all. Check with: systemd-analyze cat-config systemd/logind.conf"
      },
      override(31, 5)
    ])
  })
})

describe("the pods", () => {
  it("give no findings while they are unknown", () => {
    assert.notInclude(codes(lintShutdown(documentedConfig, undefined)).join(), "empty-bucket")
  })

  it("may leave buckets empty", () => {
    const empty = (bucket: number, seconds: number) =>
      `info empty-bucket bucket ${bucket}: No pod is in this bucket. It takes no time at a shutdown; its ${seconds}s only add to the delay requested from logind.`
    assert.deepStrictEqual(findingTexts(documentedConfig, [podOf({ name: "c", priority: 1000 })]), [
      empty(0, 60),
      empty(10_000, 180),
      empty(100_000, 10)
    ])
  })

  it("may need more than their bucket", () => {
    const given = byPriority([0, 30], [1000, 70])
    const other = podOf({ name: "z", priority: 1000 })
    const graces = (...seconds: ReadonlyArray<number>) => seconds.map((grace) => podOf({ name: `p${grace}`, grace }))
    assert.deepStrictEqual(findingTexts(given, [...graces(20, 30), other]), [])
    assert.deepStrictEqual(findingTexts(given, [...graces(20, 31), other]), [
      "warning bucket-too-short bucket 0: 1 pod of this bucket has a terminationGracePeriodSeconds of more than its 30s, up to 31s: killed after 30s. The bucket would have to have 31s. (default/p31)"
    ])
    assert.deepStrictEqual(findingTexts(given, [...graces(100, 40), other]), [
      "warning bucket-too-short bucket 0: 2 pods of this bucket have a terminationGracePeriodSeconds of more than its 30s, up to 100s: killed after 30s. The bucket would have to have 100s. (default/p100, default/p40)"
    ])
  })

  it("may need more than all buckets together have", () => {
    const graces = (...seconds: ReadonlyArray<number>) => seconds.map((grace) => podOf({ name: `p${grace}`, grace }))
    const drain = "Drain the node before you shut it down, if that matters."
    assert.deepStrictEqual(findingTexts(byPriority([0, 30]), graces(600)), [
      `warning longer-than-shutdown bucket 0: 1 pod of this bucket wants up to 600s to end (terminationGracePeriodSeconds), more than the 30s that the whole shutdown may take: killed after 30s. ${drain} (default/p600)`
    ])
    assert.deepStrictEqual(findingTexts(byPriority([0, 30]), graces(31, 600)), [
      `warning longer-than-shutdown bucket 0: 2 pods of this bucket want up to 600s to end (terminationGracePeriodSeconds), more than the 30s that the whole shutdown may take: killed after 30s. ${drain} (default/p31, default/p600)`
    ])
    const both = findingOf("bucket-too-short", twoPeriods(30, 10), graces(20, 25, 600))
    assert.deepStrictEqual(both[0]?.pods, ["default/p25"])
  })

  it("need the grace that they are being deleted with, not their own", () => {
    const going = podWithVolumes({ name: "a", grace: 600 }, [], { deletionGracePeriodSeconds: 5 })
    assert.deepStrictEqual(findingTexts(byPriority([0, 30]), [going]), [])
    const slow = podWithVolumes({ name: "b", grace: 5 }, [], { deletionGracePeriodSeconds: 600 })
    assert.include(findingTexts(byPriority([0, 5]), [slow])[0], "1 pod of this bucket wants up to 600s to end")
  })

  it("give no finding of their own in a bucket without time", () => {
    assert.deepStrictEqual(
      codes(findingOf("longer-than-shutdown", byPriority([0, 0]), [podOf({ name: "a", grace: 60 })])),
      []
    )
    assert.deepStrictEqual(
      codes(
        lintShutdown(byPriority([0, -1], [1000, 6]), [
          podOf({ name: "a", grace: 5 }),
          podOf({ name: "b", priority: 1000 })
        ])
      ),
      ["warning no-time bucket 0"]
    )
  })

  it("may be of priorities that no bucket has", () => {
    const given = byPriority([100, 60], [1000, 120])
    const of = (...priorities: ReadonlyArray<number>) =>
      priorities.map((priority, index) => podOf({ name: `p${index}`, priority }))
    assert.deepStrictEqual(findingTexts(given, of(100, 1000)), [])
    assert.deepStrictEqual(findingTexts(given, of(500, 100, 1000, -5, 500)), [
      "info below-lowest-bucket bucket 100: 1 pod of priority -5 falls below all buckets, and so into the lowest: the bucket of 100, with 60s. (default/p3)",
      "info gap bucket 100: No bucket is of priority 500: 2 pods of priority 500 fall into the next lower one, the bucket of 100, with 60s. (default/p0, default/p4)"
    ])
    // The two plain settings are for all priorities.
    assert.deepStrictEqual(findingTexts(twoPeriods(30, 10), of(1, critical, critical + 1)), [])
    // A bucket for critical pods is meant to serve higher priorities than its own too.
    assert.deepStrictEqual(findingTexts(byPriority([0, 1], [critical, 1]), of(0, critical, critical + 1000)), [])
  })

  it("may be critical and share a bucket with others", () => {
    const [a, b] = ["a", "b"].map((name) => podOf({ name, priority: 1000 }))
    const [proxy, dns] = [
      podOf({ name: "proxy", priority: critical + 1000 }),
      podOf({ name: "dns", priority: critical })
    ]
    const given = byPriority([1000, 4])
    const no = "No bucket is for system-critical pods (priority 2000000000 and above):"
    assert(a !== undefined && b !== undefined)
    assert.deepStrictEqual(findingTexts(given, [a, proxy]), [
      `warning critical-shares-bucket bucket 1000: ${no} 1 pod of them is killed in the bucket of 1000, with 4s, at the same time as 1 pod that may need it. (default/proxy)`
    ])
    assert.deepStrictEqual(findingTexts(given, [a, dns, b, proxy]), [
      `warning critical-shares-bucket bucket 1000: ${no} 2 pods of them are killed in the bucket of 1000, with 4s, at the same time as 2 pods that may need them. (default/dns, default/proxy)`
    ])
    assert.deepStrictEqual(findingTexts(given, [proxy]), [
      `info gap bucket 1000: ${no} 1 pod of them is killed in the bucket of 1000, with 4s. (default/proxy)`
    ])
  })

  it("may be static, which changes nothing", () => {
    const ofFile = (name: string, priority?: number) =>
      podWithAnnotations(
        { name, ...(priority === undefined ? {} : { priority }) },
        { "kubernetes.io/config.source": "file" }
      )
    const counts = "At a shutdown only the priority counts, not that a pod is static:"
    const set = "with the pods of priority 0. Set spec.priority in the manifest."
    assert.deepStrictEqual(findingTexts(byPriority([0, 5]), [ofFile("etcd"), ofFile("kube-proxy", 0)]), [
      `warning static-without-priority bucket 0: 1 pod of this bucket is static and has no spec.priority. ${counts} it dies first, ${set} (default/etcd)`
    ])
    const mirror = podWithAnnotations({ name: "m" }, { "kubernetes.io/config.mirror": "x" })
    assert.deepStrictEqual(
      findingTexts(byPriority([-1, 2], [0, 2]), [ofFile("etcd"), mirror, podOf({ name: "batch", priority: -1 })]),
      [
        `warning static-without-priority bucket 0: 2 pods of this bucket are static and have no spec.priority. ${counts} they die ${set} (default/etcd, default/m)`
      ]
    )
    const ofApi = podWithAnnotations({ name: "web" }, { "kubernetes.io/config.source": "api" })
    assert.deepStrictEqual(findingTexts(byPriority([0, 5]), [ofApi, podOf({ name: "bare" })]), [])
  })

  it("may be mirror pods, whose priority the kubelet takes from the manifest", () => {
    const mirror = (name: string, priority: number) =>
      podWithAnnotations({ name, priority }, { "kubernetes.io/config.mirror": "x" })
    const filledIn =
      "the API filled in the priority from the class. The kubelet uses the manifest's priority: with only a priorityClassName and no priority there, the pod counts as 0."
    assert.deepStrictEqual(findingTexts(byPriority([0, 1], [critical, 4]), [mirror("a", 0), mirror("b", critical)]), [
      `info mirror-priority bucket 2000000000: 1 pod of this bucket is a mirror pod: ${filledIn} (default/b)`
    ])
    assert.deepStrictEqual(
      findingTexts(byPriority([0, 1], [critical, 4]), [
        podOf({ name: "a" }),
        mirror("b", critical),
        mirror("c", critical)
      ]),
      [
        `info mirror-priority bucket 2000000000: 2 pods of this bucket are mirror pods: ${filledIn} (default/b, default/c)`
      ]
    )
  })

  it("are named with their namespace, if they have one", () => {
    const { namespace: _, ...metadata } = podOf({ name: "a" }).metadata
    const [finding] = findingOf("bucket-too-short", twoPeriods(30, 10), [
      { ...podOf({ name: "a", grace: 25 }), metadata }
    ])
    assert.deepStrictEqual(finding?.pods, ["a"])
  })
})

describe("storage", () => {
  const user = podWithVolumes({ name: "db", priority: 1000, grace: 30 }, claim)
  const driver = (priority: number) => podWithVolumes({ name: "csi", priority }, driverFolders, ofDaemonSet)

  it("drivers may be killed together with their users, or before them", () => {
    const given = byPriority([0, 60], [1000, 61], [critical, 10])
    const second = podWithVolumes({ name: "csi-b", priority: 0 }, driverFolders, ofDaemonSet)
    const third = podWithVolumes({ name: "db-b", priority: 1000, grace: 1 }, claim)
    const isOne = "1 pod of this bucket is a storage driver, killed"
    const last = "Give drivers a higher priority, such as system-node-critical, and a bucket of their own."
    const first = "those volumes can no longer be unmounted. Give drivers a higher priority than their users."
    assert.deepStrictEqual(storageFindings(given, [user, driver(1000)]), [
      `warning storage-driver-with-users bucket 1000: ${isOne} at the same time as 1 pod with volumes: those volumes may stay mounted. ${last} (default/csi)`
    ])
    // That, and two buckets without pods.
    assert.lengthOf(findingTexts(given, [user, driver(1000)]), 3)
    assert.deepStrictEqual(storageFindings(given, [user, driver(0)]), [
      `warning storage-driver-first bucket 0: ${isOne} before 1 pod with volumes: ${first} (default/csi)`
    ])
    assert.deepStrictEqual(storageFindings(given, [driver(0), user, second, third]), [
      `warning storage-driver-first bucket 0: 2 pods of this bucket are storage drivers, killed before 2 pods with volumes: ${first} (default/csi, default/csi-b)`
    ])
    assert.deepStrictEqual(storageFindings(given, [user, driver(critical)]), [])
  })

  it("drivers are pods of DaemonSets with the kubelet's folders, or a registrar", () => {
    const together = (volumes: Pod["spec"]["volumes"], more: Partial<Pod["metadata"]>, container = "c") => {
      const one = podWithVolumes({ name: "csi", priority: 1000 }, volumes, more)
      const spec = { ...one.spec, containers: [{ name: "c" }, { name: container }] }
      return findingOf("storage-driver-with-users", twoPeriods(30, 10), [user, { ...one, spec }]).length === 1
    }
    const host = (path: string) => [claim[0], { name: "p", hostPath: { path } }].flatMap((one) => one ?? [])
    assert.isTrue(together(host("/var/lib/kubelet/plugins/csi.example.com"), ofDaemonSet))
    assert.isTrue(together(host("/var/lib/kubelet/plugins"), ofDaemonSet))
    assert.isTrue(together(host("/var/lib/kubelet/plugins_registry/"), ofDaemonSet))
    assert.isTrue(together([], ofDaemonSet, "node-driver-registrar"))
    assert.isFalse(together(host("/var/lib/kubelet/plugins-of-mine"), ofDaemonSet))
    assert.isFalse(together(host("/opt/plugins_registry2"), ofDaemonSet))
    assert.isFalse(together(host("/var/log"), ofDaemonSet))
    assert.isFalse(together(host("/var/log"), ofDaemonSet, "driver-registrar-logs"))
    // A pod of another controller, or one that a DaemonSet owns without controlling it, is no driver.
    const [owner] = ofDaemonSet.ownerReferences
    assert(owner !== undefined)
    assert.isFalse(together(driverFolders, { ownerReferences: [{ ...owner, kind: "ReplicaSet" }] }))
    assert.isFalse(together(driverFolders, { ownerReferences: [{ ...owner, controller: false }] }))
    assert.isFalse(together(driverFolders, {}))
    const both = [{ ...owner, kind: "Other", controller: false }, owner]
    assert.isTrue(together(driverFolders, { ownerReferences: both }))
    // A driver with a claim of its own is not its own user.
    const alone = podWithVolumes({ name: "csi", priority: 1000 }, [...claim, ...driverFolders], ofDaemonSet)
    assert.deepStrictEqual(findingOf("storage-driver-with-users", twoPeriods(30, 10), [alone]), [])
  })

  it("is used by claims, by volumes of a driver, and by those made for a pod", () => {
    const uses = (...volumes: NonNullable<Pod["spec"]["volumes"]>) =>
      findingOf("no-time-for-volumes", twoPeriods(30, 10), [podWithVolumes({ name: "a", grace: 20 }, volumes)])
        .length === 1
    assert.isTrue(uses({ name: "v", persistentVolumeClaim: { claimName: "c" } }))
    assert.isTrue(uses({ name: "v", csi: { driver: "d" } }))
    assert.isTrue(uses({ name: "e", emptyDir: {} }, { name: "v", ephemeral: {} }))
    assert.isFalse(uses({ name: "e", emptyDir: {} }))
    assert.isFalse(uses())
    assert.deepStrictEqual(findingOf("no-time-for-volumes", twoPeriods(30, 10), [podOf({ name: "a", grace: 20 })]), [])
  })

  it("may be left no time to unmount", () => {
    const rest = "of this bucket to end: then no time is left in it to unmount them, and the next phase begins."
    const slow = podWithVolumes({ name: "slow", grace: 600 }, claim)
    assert.deepStrictEqual(
      storageFindings(twoPeriods(30, 10), [user, podWithVolumes({ name: "quick", grace: 19 }, claim)]),
      [`info no-time-for-volumes bucket 0: 1 pod with volumes may take all 20s ${rest} (default/db)`]
    )
    assert.deepStrictEqual(storageFindings(twoPeriods(30, 10), [user, slow]), [
      `info no-time-for-volumes bucket 0: 2 pods with volumes may take all 20s ${rest} (default/db, default/slow)`
    ])
    assert.deepStrictEqual(storageFindings(twoPeriods(60, 10), [user]), [])
    // bucketFindings already reports a bucket without time.
    assert.deepStrictEqual(storageFindings(twoPeriods(10, 10), [user]), [])
  })
})

it("sorts findings by severity", () => {
  const severities = lintShutdown(documentedConfig, [podOf({ name: "a", grace: 100 })]).map(({ severity }) => severity)
  assert.deepStrictEqual(severities, severities.toSorted().toReversed())
})
