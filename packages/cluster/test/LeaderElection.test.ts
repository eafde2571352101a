import { assert, describe, it } from "@effect/vitest"
import { formatMicroTime, type Lease } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import {
  ApiError,
  Cluster,
  type ClusterError,
  type Connection,
  ConnectionError,
  cancellable,
  LeaderElection,
  type LeaderElectionOptions,
  LeaderWatchDog,
  leaderElectionProblem,
  leaderElectionTimes
} from "../src/index.ts"
import { nextLease, observe, unobserved } from "../src/leader/LeaderRecord.ts"
import { FakeServer } from "../src/testing/index.ts"
import { makeRecordingLog } from "./logLines.ts"

const START = 1_767_225_600_000
const LOCK = { namespace: "kube-system", name: "kube-controller-manager" }

const setUp = () => {
  const time = makeVirtualTime(START)
  const server = new FakeServer(time.timers)
  const log: Array<string> = []
  const logged = makeRecordingLog()
  const since = () => Math.round((time.timers.now() - START) / 100) / 10
  const note = (what: string) => Effect.sync(() => void log.push(`${since()} ${what}`))
  const recorder = {
    event: (_: unknown, _type: string, reason: string, message: string) => log.push(`${since()} ${reason}: ${message}`)
  }

  /** Each candidate has a way to the server of its own: cut, or slow. */
  const candidate = (identity: string, options: Partial<LeaderElectionOptions> = {}, refusal?: ClusterError) => {
    const link: { isCut: boolean; delayMs: number; refusal: ClusterError | undefined } = {
      isCut: false,
      delayMs: 0,
      refusal
    }
    const connection: Connection = {
      send: cancellable((request, reply) => {
        if (link.isCut) return
        if (link.refusal !== undefined) return reply(Result.fail(link.refusal))
        if (link.delayMs === 0) return server.connection.send(request, reply)
        time.timers.after(link.delayMs / 2, () =>
          server.connection.send(request, (answer) => time.timers.after(link.delayMs / 2, () => reply(answer)))
        )
      }),
      watch: server.connection.watch
    }
    const lead = Effect.acquireUseRelease(
      note(`${identity} leads`),
      () => Effect.never,
      () => note(`${identity} stops`)
    )
    const fiber = time.fork(
      LeaderElection.run({ ...LOCK, identity, recorder, ...options }, lead).pipe(
        Effect.provide(Cluster.layerConnection(connection)),
        Effect.provide(logged.layer)
      )
    )
    return { link, fiber }
  }
  const lease = () => server.all("Lease")[0]
  const until = (seconds: number) => time.runUntil(START + seconds * 1000)
  return { time, server, log, logged: logged.lines, candidate, lease, until }
}

describe("LeaderElection", () => {
  it("makes the first candidate leader, who renews every retry period, and keeps the other waiting", () => {
    const { candidate, lease, log, server, until } = setUp()
    candidate("a")
    until(1)
    candidate("b")
    until(60)
    assert.deepStrictEqual(log, ["0 LeaderElection: a became leader", "0 a leads"])
    const { acquireTime, holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime } = lease()?.spec ?? {}
    assert.deepStrictEqual(
      { acquireTime, holderIdentity, leaseDurationSeconds, leaseTransitions },
      { acquireTime: formatMicroTime(START), holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 }
    )
    assert.strictEqual(renewTime, formatMicroTime(START + 60_000))
    // A leader renews what it wrote last, without reading it first.
    const updates = server.requests.filter(({ verb }) => verb === "update").length
    assert.strictEqual(updates, 30)
    const reads = server.requests.filter(({ verb }) => verb === "get").length
    assert.isTrue(reads >= 1 + 59 / 4.4 && reads <= 1 + 60 / 2)
  })

  it("elects another once the lease has expired, and stops the former leader before that", () => {
    const { candidate, lease, log, until } = setUp()
    const a = candidate("a")
    candidate("b")
    until(10)
    a.link.isCut = true
    until(21.9)
    assert.isUndefined(a.fiber.pollUnsafe())
    until(22.1)
    const exit = a.fiber.pollUnsafe()
    assert.isTrue(exit !== undefined && Exit.isFailure(exit))
    assert.include(String(exit), "leaderelection lost: a could not renew the lease kube-system/kube-controller-manager")
    until(40)
    assert.deepStrictEqual(log.slice(0, 4), [
      "0 LeaderElection: a became leader",
      "0 a leads",
      "22 LeaderElection: a stopped leading",
      "22 a stops"
    ])
    assert.match(log[4] ?? "", /^(2[4-9]|3[0-4])(\.\d)? LeaderElection: b became leader$/)
    assert.strictEqual(lease()?.spec?.holderIdentity, "b")
    assert.strictEqual(lease()?.spec?.leaseTransitions, 1)
  })

  it("releases the lease when it is stopped, if configured", () => {
    for (const releaseOnCancel of [true, false]) {
      const { candidate, lease, log, time, until } = setUp()
      const a = candidate("a", { releaseOnCancel })
      candidate("b")
      until(10)
      time.fork(Fiber.interrupt(a.fiber))
      until(10.001)
      assert.strictEqual(lease()?.spec?.holderIdentity, releaseOnCancel ? "" : "a")
      if (releaseOnCancel) assert.strictEqual(lease()?.spec?.leaseDurationSeconds, 1)
      until(15)
      assert.strictEqual(log.includes("10 a stops"), true)
      assert.strictEqual(
        log.some((line) => line.endsWith("b leads")),
        releaseOnCancel
      )
      until(40)
      assert.strictEqual(lease()?.spec?.holderIdentity, "b")
    }
  })

  it("keeps leading with a slow server, through a short outage of it, and after another client's write to the lease", () => {
    const { candidate, lease, log, server, until } = setUp()
    const a = candidate("a")
    a.link.delayMs = 1000
    until(30)
    server.put("Lease", {
      ...(lease() as Lease),
      metadata: { ...(lease() as Lease).metadata, labels: { x: "1" } }
    } as Lease)
    until(40)
    server.cut()
    until(44)
    server.heal()
    until(100)
    assert.deepStrictEqual(log, ["0 LeaderElection: a became leader", "0 a leads"])
    assert.deepStrictEqual(lease()?.metadata.labels, { x: "1" })
  })

  it("stops when responses arrive too late", () => {
    const { candidate, until } = setUp()
    const a = candidate("a")
    until(5)
    a.link.delayMs = 12_000
    until(30)
    assert.isDefined(a.fiber.pollUnsafe())
  })

  it("never has two leaders at once, whatever happens to the links", () => {
    const step = fc.record({
      who: fc.constantFrom(0, 1, 2),
      cut: fc.boolean(),
      delayMs: fc.constantFrom(0, 0, 300, 4000),
      ms: fc.nat(20_000)
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const { candidate, log, until } = setUp()
        const all = ["a", "b", "c"].map((identity) => candidate(identity, { releaseOnCancel: true }))
        let now = 0
        for (const { cut, delayMs, ms, who } of steps) {
          const link = all[who]?.link
          if (link !== undefined) Object.assign(link, { isCut: cut, delayMs })
          now += ms / 1000
          until(now)
        }
        let leader: string | undefined
        for (const line of log) {
          const [, who = "", what] = line.split(" ")
          if (what === "leads") {
            assert.isUndefined(leader, log.join("\n"))
            leader = who
          } else if (what === "stops") leader = undefined
        }
      }),
      { numRuns: 150 }
    )
  })

  it("does not compare another process' clock with its own", () => {
    const taken = (renewTime: number): Lease => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: LOCK,
      spec: { holderIdentity: "b", leaseDurationSeconds: 15, renewTime: formatMicroTime(renewTime) }
    })
    const me = { ...LOCK, identity: "a", leaseDurationMs: 15_000 }
    for (const skewMs of [-86_400_000, 0, 86_400_000]) {
      const lease = taken(START + skewMs)
      const first = observe(unobserved, lease, START)
      const again = observe(first, { ...lease, metadata: { ...LOCK, resourceVersion: "9" } }, START + 14_000)
      assert.isUndefined(nextLease(me, again, lease, START + 14_999))
      assert.strictEqual(nextLease(me, again, lease, START + 15_000)?.spec?.leaseTransitions, 1)
      const renewed = observe(again, taken(START + skewMs + 1), START + 14_000)
      assert.isUndefined(nextLease(me, renewed, lease, START + 28_999))
    }
  })

  it("refuses times that contradict each other", () => {
    const problem = (times: Partial<typeof leaderElectionTimes>) =>
      leaderElectionProblem({ ...leaderElectionTimes, ...times })
    assert.isUndefined(problem({}))
    assert.strictEqual(problem({ leaseDurationMs: 10_000 }), "leaseDuration must be greater than renewDeadline")
    assert.strictEqual(
      problem({ renewDeadlineMs: 2400 }),
      "renewDeadline must be greater than retryPeriod*JitterFactor"
    )
    assert.isUndefined(problem({ renewDeadlineMs: 2401 }))
  })
})

describe("what an election reports", () => {
  const LOCK_TEXT = "lock=kube-system/kube-controller-manager"
  const unauthorized = new ApiError({
    status: {
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      code: 401,
      reason: "Unauthorized",
      message: "Unauthorized"
    }
  })

  it("logs each failed try, once per try, and is not ready", () => {
    const { candidate, until, logged } = setUp()
    const watchDog = new LeaderWatchDog()
    assert.strictEqual(watchDog.unanswered(), "the lease has not been read yet")
    const { link } = candidate("a", { watchDog }, unauthorized)
    until(60)
    assert.deepStrictEqual(logged.slice(0, 2), [
      `Info Attempting to acquire leader lease... ${LOCK_TEXT}`,
      `Error Error retrieving lease lock err=Unauthorized ${LOCK_TEXT}`
    ])
    // A try in 2 to 4.4 s.
    assert.isTrue(logged.length > 60 / 4.4 && logged.length < 60 / 2 + 2)
    assert.strictEqual(watchDog.unanswered(), "Unauthorized")
    assert.isUndefined(watchDog.expired(START + 60_000, 20_000))
    link.refusal = undefined
    until(65)
    assert.strictEqual(logged.at(-1), `Info Successfully acquired lease ${LOCK_TEXT}`)
    assert.isUndefined(watchDog.unanswered())
  })

  it("logs that a lease cannot be renewed, until it stops leading", () => {
    const { candidate, time, until, logged } = setUp()
    const watchDog = new LeaderWatchDog()
    const { fiber, link } = candidate("a", { watchDog })
    until(10)
    link.refusal = new ConnectionError({ message: "connect: connection refused" })
    until(13)
    assert.strictEqual(logged.at(-1), `Error Error retrieving lease lock err=connect: connection refused ${LOCK_TEXT}`)
    assert.strictEqual(watchDog.unanswered(), "connect: connection refused")
    until(30)
    assert.include(logged, `Info Failed to renew lease ${LOCK_TEXT} err=context deadline exceeded`)
    assert.isDefined(fiber.pollUnsafe())
    // A leader that went on nevertheless would not be healthy 20 s after its Lease has run out.
    assert.isUndefined(watchDog.expired(START + 10_000 + 34_000, 20_000))
    assert.strictEqual(
      watchDog.expired(time.timers.now() + 60_000, 20_000),
      "failed election to renew leadership on lease kube-controller-manager"
    )
  })

  it("is ready as a candidate that waits", () => {
    const { candidate, until } = setUp()
    const watchDog = new LeaderWatchDog()
    candidate("a")
    until(1)
    candidate("b", { watchDog })
    until(5)
    assert.isUndefined(watchDog.unanswered())
    assert.isUndefined(watchDog.expired(START + 1_000_000, 20_000))
  })
})
