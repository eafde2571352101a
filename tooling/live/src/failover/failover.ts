import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Pod } from "@rollcall/api"
import { type Connection, fromConnection } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type OutageShape, zoneOutage } from "../outage/scenario.ts"
import { eventually } from "../process/eventually.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"

/** An outage, the leader election durations, and the progress of the outage at which the leader is killed. */
export interface FailoverShape {
  readonly outage: OutageShape
  readonly leaseSeconds: number
  readonly renewSeconds: number
  readonly retrySeconds: number
  /** The number of evictions before the kill. */
  readonly killAfter: number
}

/** Kubernetes' default leader election durations, and an outage that is longer than they need. */
export const fullFailover: FailoverShape = {
  outage: {
    seed: 230,
    nodesPerZone: 6,
    leaseSeconds: 40,
    graceSeconds: 15,
    nodesPerSecond: 0.5,
    faultAt: 20,
    faultFor: 600,
    duration: 620,
    tolerations: [3, 12],
    apartSeconds: 0.5
  },
  leaseSeconds: 15,
  renewSeconds: 10,
  retrySeconds: 2,
  killAfter: 2
}

/** The same with shorter durations, for tests. */
export const shortFailover: FailoverShape = {
  outage: {
    ...fullFailover.outage,
    leaseSeconds: 12,
    graceSeconds: 5,
    nodesPerSecond: 0.8,
    faultAt: 5,
    tolerations: [1, 3]
  },
  leaseSeconds: 4,
  renewSeconds: 3,
  retrySeconds: 1,
  killAfter: 2
}

export interface FailoverReport {
  /** The time from the kill to the next leader's log line about the acquired lease. */
  readonly tookMs: number
  /** The holder of the lease before the kill, and after it. */
  readonly leaders: readonly [string, string]
  /** Pods that were evicted before the kill. */
  readonly before: ReadonlyArray<string>
  /** Pods that were evicted after the kill. */
  readonly after: ReadonlyArray<string>
  /** Pods of the lost zone that were never evicted. */
  readonly notEvicted: ReadonlyArray<string>
  /** Pods that were evicted twice, or from a node that was never lost. */
  readonly wronglyEvicted: ReadonlyArray<string>
}

/** The prefix of the names of the lost zone's nodes, and so of their pods. */
const LOST_ZONE_PREFIX = "b-"
const EVICTION_TIMEOUT_MS = 120_000

/**
 * Records the distinct deletionTimestamps of each pod. A second eviction of a pod with the same name adds a second one.
 */
const watchDeletions = (connection: Connection) => {
  const deletionTimes = new Map<string, Set<string>>()
  const stop = connection.watch(
    { verb: "watch", kind: "Pod" },
    {
      events: (batch) => {
        for (const event of batch) {
          if (event.type === "ERROR" || event.type === "BOOKMARK") continue
          const { deletionTimestamp, name = "" } = (event.object as Pod).metadata
          const times = deletionTimes.get(name) ?? new Set<string>()
          if (deletionTimestamp !== undefined) times.add(deletionTimestamp)
          deletionTimes.set(name, times)
        }
      },
      end: () => {}
    }
  )
  return { deletionTimes, stop }
}

/**
 * Runs two controller managers as separate processes, one API server, and the loss of a zone. Kills the leader
 * (SIGKILL) when some of the zone's pods are evicted and others are not. Reports the actions of its successor.
 */
export const failover = Effect.fnUntraced(function* (shape: FailoverShape) {
  const folder = yield* temporaryFolder
  const file = join(folder, "outage.yaml")
  writeFileSync(file, JSON.stringify(zoneOutage(shape.outage)))
  const { kubeconfig } = yield* readyServer({ folder: join(folder, "server"), port: yield* freePort })
  const connection = yield* connectionTo(yield* configOf(kubeconfig))
  const cluster = fromConnection(connection)
  const { deletionTimes, stop } = watchDeletions(connection)
  yield* Effect.addFinalizer(() => Effect.sync(stop))

  const common = ["--kubeconfig", kubeconfig, "--secure-port", "0", "--scenario", file]
  const startManager = startRollcall(
    "controller-manager",
    ...common,
    `--leader-elect-lease-duration=${shape.leaseSeconds}s`,
    `--leader-elect-renew-deadline=${shape.renewSeconds}s`,
    `--leader-elect-retry-period=${shape.retrySeconds}s`
  )
  const leaseHolder = Effect.map(
    cluster.get("Lease", { namespace: "kube-system", name: "kube-controller-manager" }),
    ({ spec }) => spec?.holderIdentity ?? ""
  )
  const first = yield* startManager
  yield* first.waitForOutput(/"Successfully acquired lease"/)
  const second = yield* startManager
  yield* second.waitForOutput(/"Attempting to acquire leader lease\.\.\."/)
  const fleet = yield* startRollcall("kubelet", ...common, "--seed", String(shape.outage.seed))
  yield* fleet.waitForOutput(/"Kubelets run"/)

  const evicted = () => [...deletionTimes].filter(([, times]) => times.size > 0).map(([name]) => name)
  const waitForEvictions = (isEnough: (names: ReadonlyArray<string>) => boolean, what: string) =>
    eventually(what, Effect.sync(evicted), isEnough, EVICTION_TIMEOUT_MS)
  const before = yield* waitForEvictions((names) => names.length >= shape.killAfter, "the first evictions")
  const leader = yield* leaseHolder
  first.send("SIGKILL")
  const killedMs = yield* Clock.currentTimeMillis
  yield* second.waitForOutput(/"Successfully acquired lease"/)
  const tookMs = (yield* Clock.currentTimeMillis) - killedMs
  const lost = [...deletionTimes.keys()].filter((name) => name.startsWith(LOST_ZONE_PREFIX))
  yield* waitForEvictions((names) => lost.every((name) => names.includes(name)), "the other evictions")
  // Waits long enough for wrong or repeated evictions to happen.
  yield* Effect.sleep(1000 * Math.max(...shape.outage.tolerations))
  const all = evicted()
  const report: FailoverReport = {
    tookMs,
    leaders: [leader, yield* leaseHolder],
    before,
    after: all.filter((name) => !before.includes(name)),
    notEvicted: lost.filter((name) => !all.includes(name)),
    wronglyEvicted: [...deletionTimes]
      .filter(([name, { size }]) => size > (name.startsWith(LOST_ZONE_PREFIX) ? 1 : 0))
      .map(([name]) => name)
  }
  return report
}, Effect.scoped)
