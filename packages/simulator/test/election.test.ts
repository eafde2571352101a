import { ApiServer } from "@rollcall/api-server"
import { fromConnection } from "@rollcall/cluster"
import { makeElected, restartDelayMs } from "@rollcall/control-plane"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { entriesOf, run } from "./run.ts"

const MANAGER = "kube-controller-manager"

const rehearse = (
  event: Readonly<Record<string, unknown>>,
  {
    config = {},
    replicas = 1
  }: { readonly config?: Readonly<Record<string, unknown>>; readonly replicas?: number } = {}
) => {
  const result = run({
    duration: "6m",
    cluster: { nodes: [{ name: "a", count: 3, zone: "zone-a" }], controlPlane: { replicas } },
    config,
    events: [{ at: "2m", ...event }]
  })
  return {
    result,
    leaders: entriesOf(result, "LeaderChanged").filter(({ component }) => component === MANAGER),
    zones: entriesOf(result, "ZoneCreated").map(({ at }) => at)
  }
}

describe("the leader of a component", () => {
  it("that is killed leads again once its Lease has expired, without its old state", () => {
    const { leaders, zones } = rehearse({ fault: "controller-restart" })
    assert.deepStrictEqual(
      leaders.map(({ holder }) => holder),
      ["control-plane-0_2"]
    )
    const [{ at } = { at: 0 }] = leaders
    assert.isAtLeast(at, 135)
    assert.isAtMost(at, 139.5)
    assert.lengthOf(zones, 2)
    assert.isAtLeast(zones[1] ?? 0, at)
  })

  it("is replaced by the process of another machine while its own is down, and does not take over again", () => {
    const { leaders } = rehearse({ for: "2m", fault: "controller-restart" }, { replicas: 3 })
    assert.lengthOf(leaders, 1)
    assert.match(leaders[0]?.holder ?? "", /^control-plane-[12]_1$/)
    assert.isAtLeast(leaders[0]?.at ?? 0, 133)
    assert.isAtMost(leaders[0]?.at ?? 0, 140)
  })

  it("has no replacement when all its processes are killed", () => {
    const { leaders } = rehearse({ for: "1m", fault: "controller-restart", process: "all" }, { replicas: 2 })
    assert.lengthOf(leaders, 1)
    assert.match(leaders[0]?.holder ?? "", /^control-plane-[01]_2$/)
    assert.isAtLeast(leaders[0]?.at ?? 0, 195)
  })

  it("survives a short outage of the API server, and exits in a longer one", () => {
    assert.deepStrictEqual(rehearse({ for: 8, fault: "api-server-down" }).leaders, [])
    const { leaders, result } = rehearse({ for: 40, fault: "api-server-down" })
    assert.deepStrictEqual(
      leaders.map(({ holder }) => holder),
      ["control-plane-0_2"]
    )
    assert.isAtLeast(leaders[0]?.at ?? 0, 175)
    assert.isAtMost(leaders[0]?.at ?? 0, 184)
    assert.lengthOf(
      entriesOf(result, "LeaderChanged").filter(({ component }) => component === "kube-scheduler"),
      1
    )
    const messages = result.events.filter(({ reason }) => reason === "LeaderElection").map(({ message }) => message)
    assert.includeMembers(messages, ["control-plane-0_2 became leader"])
  })

  it("leads for the duration of its Lease", () => {
    const leaderElection = { leaseDuration: "40s", renewDeadline: "30s", retryPeriod: "5s" }
    const config = { kubeControllerManager: { generic: { leaderElection } } }
    assert.deepStrictEqual(rehearse({ for: 25, fault: "api-server-down" }, { config }).leaders, [])
    assert.isAtLeast(rehearse({ fault: "controller-restart" }, { config }).leaders[0]?.at ?? 0, 160)
  })

  it("needs no election if leader election is disabled", () => {
    const config = { kubeControllerManager: { generic: { leaderElection: { leaderElect: false } } } }
    const { leaders, zones } = rehearse({ fault: "controller-restart" }, { config })
    assert.deepStrictEqual(leaders, [])
    assert.strictEqual(Math.floor(zones[1] ?? 0), 120)
  })

  it("is refused with durations that the component would refuse", () => {
    const generic = { leaderElection: { leaseDuration: "5s" } }
    assert.throws(
      () => rehearse({ fault: "api-server-down" }, { config: { kubeControllerManager: { generic } } }),
      /leaseDuration must be greater than renewDeadline/
    )
  })
})

describe("a process that ends", () => {
  it("is restarted at once, then with growing back-off, until it has run for long", () => {
    assert.strictEqual(restartDelayMs([1000]), 0)
    assert.strictEqual(restartDelayMs([1000, 2000]), 10_000)
    assert.strictEqual(restartDelayMs([1000, 2000, 3000]), 20_000)
    assert.strictEqual(restartDelayMs([1, 2, 3, 4, 5, 6, 7, 8]), 300_000)
    assert.strictEqual(restartDelayMs([1000, 2000, 700_000]), 0)
  })
})

describe("a process of a component that throws", () => {
  it("exits, is restarted by its machine, and leads once its own Lease has expired", () => {
    const errors: Array<string> = []
    const time = makeVirtualTime(0, {
      handleError: (source, error) => void errors.push(`${source}: ${(error as Error).message}`)
    })
    const starts: Array<number> = []
    const work = Layer.effectDiscard(
      Effect.sync(() => {
        starts.push(time.timers.now())
        if (starts.length === 1) throw new Error("by hand")
      })
    )
    const server = Layer.provide(ApiServer.layer(), layerMemory())
    time.fork(
      Effect.gen(function* () {
        const { connect } = yield* ApiServer
        const component = yield* makeElected(
          {
            client: fromConnection(connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })),
            component: "odd",
            onLeader: () => {},
            replicas: 1,
            seed: 1,
            times: { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 }
          },
          work
        )
        yield* component.start
        yield* component.elect
        yield* Effect.never
      }).pipe(Effect.scoped, Effect.provide(server))
    )
    time.runUntil(60_000)
    assert.deepStrictEqual(errors, ["component process: by hand"])
    assert.lengthOf(starts, 2)
    assert.isAbove(starts[1] ?? 0, 15_000)
  })
})
