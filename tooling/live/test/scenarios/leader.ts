import { assert, describe, it } from "@effect/vitest"
import { parseTime } from "@rollcall/api"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import {
  configOf,
  connectionTo,
  freePort,
  readyServer,
  startRollcall,
  temporaryFolder
} from "../../src/process/rollcall.ts"
import { deployment } from "../workload.ts"

const LEASE_MS = 4000
const times = ["--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=1s"]

const replicasOf = (cluster: ClusterShape, name: string) =>
  Effect.map(
    cluster.list("Pod", { namespace: "default" }),
    ({ items }) => items.filter(({ metadata }) => metadata.labels?.app === name).length
  )

export const leaderScenario = () =>
  describe("two controller managers", () => {
    it.live(
      "have one leader at a time; when it is killed the other leads within the lease duration",
      () =>
        Effect.gen(function* () {
          const server = yield* readyServer({ folder: yield* temporaryFolder, port: yield* freePort })
          const cluster = fromConnection(yield* connectionTo(yield* configOf(server.kubeconfig)))
          const manager = startRollcall(
            "controller-manager",
            "--kubeconfig",
            server.kubeconfig,
            "--secure-port",
            "0",
            "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=true",
            ...times
          )
          const first = yield* manager
          yield* first.waitForOutput(/"Successfully acquired lease"/)
          const second = yield* manager
          yield* second.waitForOutput(/"Attempting to acquire leader lease\.\.\."/)
          yield* cluster.create("Deployment", deployment("before", 2))
          while ((yield* replicasOf(cluster, "before")) < 2) yield* Effect.sleep(50)
          assert.notInclude(second.stderr(), '"Successfully acquired lease"')

          const lease = cluster.get("Lease", { namespace: "kube-system", name: "kube-controller-manager" })
          first.send("SIGKILL")
          yield* first.ended
          const left = (yield* lease).spec
          yield* second.waitForOutput(/"Successfully acquired lease"/)
          const taken = (yield* lease).spec
          assert.notStrictEqual(taken?.holderIdentity, left?.holderIdentity)
          // Not before the Lease has expired: the other process may still be alive.
          assert.isAtLeast(parseTime(taken?.acquireTime ?? ""), parseTime(left?.renewTime ?? "") + LEASE_MS)
          yield* cluster.create("Deployment", deployment("after", 2))
          while ((yield* replicasOf(cluster, "after")) < 2) yield* Effect.sleep(50)

          // With that gate a leader releases its Lease on a clean exit, so the successor does not wait for it to expire.
          second.send("SIGTERM")
          yield* second.ended
          assert.strictEqual((yield* lease).spec?.holderIdentity, "")
        }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
      120_000
    )
  })
