import { assert, describe, it } from "@effect/vitest"
import { LeaderWatchDog } from "@rollcall/cluster"
import type { Kubelet, KubeletHealth } from "@rollcall/kubelet"
import { type HealthCheck, type HealthChecks, healthAnswer, makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { managerControllers } from "../src/flags/controllerNames.ts"
import { limitedLog } from "../src/log/limitedLog.ts"
import { controllerChecks } from "../src/serving/controllerChecks.ts"
import { makeInformerSync } from "../src/serving/informerSync.ts"
import { kubeletChecks } from "../src/serving/kubeletChecks.ts"
import { schedulerChecks } from "../src/serving/schedulerChecks.ts"

const query = (text = "") => {
  const parameters = new URLSearchParams(text)
  return { exclude: parameters.getAll("exclude"), verbose: parameters.has("verbose") }
}

/** Returns the result of each check of an endpoint. */
const outcomes = (checks: HealthChecks, endpoint: "healthz" | "livez" | "readyz") =>
  Object.fromEntries(checks(endpoint).map(({ name, problem }) => [name, problem() ?? "ok"]))

describe("a health path", () => {
  const ping: HealthCheck = { name: "ping", problem: () => undefined }
  const lost: HealthCheck = { name: "leader", problem: () => "lost" }
  const both: HealthChecks = (endpoint) => (endpoint === "readyz" ? [ping, lost] : [ping])

  it("responds ok, or with all checks if one failed, without its reason", () => {
    assert.deepStrictEqual(healthAnswer("/healthz", query(), both), { code: 200, body: "ok" })
    assert.deepStrictEqual(healthAnswer("/livez", query("verbose"), both), {
      code: 200,
      body: "[+]ping ok\nlivez check passed\n"
    })
    assert.deepStrictEqual(healthAnswer("/readyz", query(), both), {
      code: 500,
      body: "[+]ping ok\n[-]leader failed: reason withheld\nreadyz check failed\n",
      failed: "[-]leader failed: lost"
    })
  })

  it("responds for one check, with the reason", () => {
    assert.deepStrictEqual(healthAnswer("/healthz/ping", query(), both), { code: 200, body: "ok" })
    assert.strictEqual(healthAnswer("/healthz/leader", query(), both).code, 404)
    assert.deepStrictEqual(healthAnswer("/readyz/leader", query(), both), {
      code: 500,
      body: "internal server error: lost\n",
      failed: "[-]leader failed: lost"
    })
  })

  it("leaves out excluded checks, and names unknown ones", () => {
    assert.deepStrictEqual(healthAnswer("/readyz", query("exclude=leader"), both), { code: 200, body: "ok" })
    assert.strictEqual(
      healthAnswer("/readyz", query("verbose&exclude=leader&exclude=nothing"), both).body,
      '[+]ping ok\n[+]leader excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nothing"\nreadyz check passed\n'
    )
  })

  it("has only ping without checks, and counts a throwing check as failed", () => {
    assert.strictEqual(healthAnswer("/healthz", query("verbose"), () => []).body, "[+]ping ok\nhealthz check passed\n")
    const broken: HealthCheck = {
      name: "broken",
      problem: () => {
        throw new Error("odd")
      }
    }
    assert.strictEqual(healthAnswer("/healthz", query(), () => [broken]).code, 500)
  })
})

describe("programs that elect a leader", () => {
  const informer = (hasSynced: boolean) => ({ kind: "Node" as const, hasSynced: () => hasSynced })
  const setUp = () => {
    const watchDog = new LeaderWatchDog()
    return { watchDog, informers: makeInformerSync(), now: () => 100_000 }
  }
  const held = { lease: "l", durationMs: 15_000, renewedMs: 100_000 }

  it.effect("are healthy without their cluster, and not ready", () =>
    Effect.gen(function* () {
      const parts = setUp()
      const isEnabled = (name: string) => name.startsWith("node-l")
      const manager = controllerChecks({
        ...parts,
        manager: "manager",
        knownControllers: managerControllers,
        isEnabled
      })
      const scheduler = schedulerChecks(parts)
      const unread = "the lease has not been read yet"
      assert.deepStrictEqual(outcomes(manager.all, "healthz"), { leaderElection: "ok" })
      assert.deepStrictEqual(outcomes(manager.all, "readyz"), { leaderElection: unread, "informer-sync": "ok" })
      assert.deepStrictEqual(outcomes(scheduler, "healthz"), { leaderElection: "ok" })
      assert.deepStrictEqual(outcomes(scheduler, "livez"), { ping: "ok" })
      parts.watchDog.failed("Unauthorized")
      assert.deepStrictEqual(outcomes(manager.all, "healthz"), { leaderElection: "ok" })
      assert.strictEqual(outcomes(manager.all, "readyz").leaderElection, "Unauthorized")
      assert.deepStrictEqual(outcomes(scheduler, "readyz"), {
        leaderElection: "Unauthorized",
        "sched-handler-sync": "ok"
      })
      parts.watchDog.answered(held)
      yield* manager.started
      const unfollow = parts.informers.follow(informer(false))
      parts.informers.follow(informer(true))
      const unsynced = "1 informers not started yet: [*v1.Node]"
      assert.deepStrictEqual(outcomes(manager.all, "healthz"), {
        leaderElection: "ok",
        "node-lifecycle-controller": "ok"
      })
      assert.deepStrictEqual(outcomes(manager.all, "readyz"), {
        leaderElection: "ok",
        "informer-sync": unsynced,
        "node-lifecycle-controller": "ok"
      })
      assert.strictEqual(outcomes(scheduler, "readyz")["sched-handler-sync"], unsynced)
      unfollow()
      assert.strictEqual(outcomes(manager.all, "readyz")["informer-sync"], "ok")
    })
  )

  it("are unhealthy as leaders 20 s after their Lease has expired", () => {
    const parts = setUp()
    parts.watchDog.answered({ ...held, renewedMs: 100_000 - 35_000 })
    assert.deepStrictEqual(outcomes(schedulerChecks(parts), "healthz"), { leaderElection: "ok" })
    parts.watchDog.answered({ ...held, renewedMs: 100_000 - 35_001 })
    const expired = "failed election to renew leadership on lease l"
    assert.deepStrictEqual(outcomes(schedulerChecks(parts), "healthz"), { leaderElection: expired })
    assert.strictEqual(outcomes(schedulerChecks(parts), "readyz").leaderElection, expired)
  })

  it("have no such check without leader election", () => {
    const parts = { ...setUp(), watchDog: undefined }
    assert.deepStrictEqual(outcomes(schedulerChecks(parts), "readyz"), { "sched-handler-sync": "ok" })
  })
})

describe("kubelets", () => {
  const kubelet = (name: string, health: Partial<KubeletHealth> = {}): Pick<Kubelet, "health" | "name"> => ({
    name,
    health: () => ({ registration: undefined, lease: undefined, status: undefined, syncLoop: undefined, ...health })
  })

  it("are healthy while their sync loop runs, and ready once the node is registered, its Lease renewed and its status posted", () => {
    const checks = kubeletChecks(() => [kubelet("n1", { registration: "Unauthorized", lease: "Forbidden" })])
    assert.deepStrictEqual(outcomes(checks, "healthz"), { ping: "ok", syncloop: "ok" })
    assert.deepStrictEqual(outcomes(checks, "readyz"), {
      ping: "ok",
      syncloop: "ok",
      "node-registration": "n1: Unauthorized",
      "node-lease": "n1: Forbidden",
      "node-status": "ok"
    })
    const stuck = kubeletChecks(() => [kubelet("n1", { syncLoop: "sync Loop took longer than expected" })])
    assert.strictEqual(outcomes(stuck, "healthz").syncloop, "n1: sync Loop took longer than expected")
  })

  it("are not ready before they have started", () => {
    const checks = kubeletChecks(() => undefined)
    assert.strictEqual(outcomes(checks, "readyz")["node-registration"], "no kubelet has started yet")
    assert.deepStrictEqual(outcomes(checks, "healthz"), { ping: "ok", syncloop: "ok" })
  })

  it("report in a fleet how many of them have a problem", () => {
    const fleet = [kubelet("a"), kubelet("b", { lease: "cut" }), kubelet("c", { lease: "cut" })]
    assert.strictEqual(
      outcomes(
        kubeletChecks(() => fleet),
        "readyz"
      )["node-lease"],
      "2 of 3 kubelets; b: cut"
    )
  })

  it("log in a fleet one line of each kind in 30 s, and the number of others", () => {
    const time = makeVirtualTime(0)
    const lines: Array<string> = []
    const log = limitedLog(
      (_, message, fields = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`),
      time.timers
    )
    for (let node = 0; node < 1000; node++) {
      log("info", "Attempting to register node", { node })
      log("error", "Failed to watch", { node })
      log("error", "Failed to update lease", { node })
    }
    const first = ['Failed to watch {"node":0}', 'Failed to update lease {"node":0}']
    assert.deepStrictEqual(lines, first)
    const more = (like: string) => `More of the same were left out ${JSON.stringify({ like, lines: 999 })}`
    time.runUntil(30_000)
    assert.deepStrictEqual(lines.slice(2), [more("Failed to watch"), more("Failed to update lease")])
    log("error", "Failed to watch", { node: 7 })
    assert.strictEqual(lines.at(-1), 'Failed to watch {"node":7}')
    time.runUntil(100_000)
    assert.strictEqual(lines.length, 5)
  })
})
