import { assert, describe, it } from "@effect/vitest"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { writeMap } from "../src/commands/maps.ts"
import { claimPart } from "../src/fleet/claimPart.ts"
import { type FleetFault, type FleetGroup, faultsName, fleetName, readGroups } from "../src/fleet/FleetDocument.ts"
import { type FleetPart, groupWithPart, joinFleet } from "../src/fleet/FleetPart.ts"
import { isEarlier, leaseOf, overlaps, partOf } from "../src/fleet/PartLease.ts"
import { makeTestFleet, type TestFleet } from "./testFleet.ts"

const partOfA = (offset: number, count?: number): FleetPart => ({ fleet: "a", zone: "", offset, count })

describe("the group of a part", () => {
  const groups = (...all: ReadonlyArray<FleetGroup>) => new Map(all.map((group) => [group.name, group]))
  const wanted = (part: FleetPart, ...all: ReadonlyArray<FleetGroup>) =>
    Result.getOrThrow(groupWithPart(groups(...all), part))
  const refusal = (part: FleetPart, ...all: ReadonlyArray<FleetGroup>) =>
    Result.match(groupWithPart(groups(...all), part), {
      onFailure: ({ message }) => message,
      onSuccess: () => assert.fail("accepted")
    })

  it("is as large as its parts need, with a pod range for each member", () => {
    const first = wanted(partOfA(10, 5))
    assert.deepStrictEqual(first, {
      name: "a",
      count: 15,
      zone: "zone-a",
      region: "local",
      spread: true,
      podBlocks: [[0, 15]]
    })
    assert.strictEqual(wanted(partOfA(0, 10), first), first)
    assert.strictEqual(wanted(partOfA(3), first), first)
    const other = wanted({ fleet: "b", zone: "z", offset: 0, count: 4 }, first)
    assert.deepStrictEqual([other.zone, other.podBlocks], ["z", [[15, 4]]])
    assert.deepStrictEqual(wanted(partOfA(15, 5), first, other).podBlocks, [
      [0, 15],
      [19, 5]
    ])
  })

  it("is refused with the flag that does not fit", () => {
    assert.include(refusal(partOfA(0)), '--count: is required: the cluster has no fleet "a" yet')
    assert.include(refusal(partOfA(0, 1), { name: "a" }), '--fleet: "a" is a group of the fleet of rollcall up')
    assert.include(refusal({ fleet: "A", zone: "", offset: 0, count: 1 }), "--fleet: found")
    const group = wanted(partOfA(0, 1))
    assert.include(refusal({ ...partOfA(0, 1), zone: "z" }, group), '--zone: fleet "a" is in zone zone-a')
    assert.include(refusal(partOfA(0, 300_000)), "262144 pod ranges in all")
  })
})

describe("two parts of a fleet in two processes", () => {
  const startBoth = () => {
    const testFleet = makeTestFleet([])
    testFleet.start({ part: partOfA(0, 2) })
    testFleet.start({ part: partOfA(2, 2) })
    testFleet.pass(30)
    return testFleet
  }
  const fault = (testFleet: TestFleet, spec: FleetFault) =>
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: JSON.stringify(spec) }))
  const entry = (testFleet: TestFleet): FleetFault =>
    JSON.parse(
      testFleet.run(testFleet.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName })).data?.x ?? "{}"
    ) as FleetFault
  const renewals = (testFleet: TestFleet) =>
    testFleet
      .run(testFleet.admin.list("Lease", { namespace: "kube-node-lease" }))
      .items.map(({ metadata, spec }) => [metadata.name, spec?.renewTime] as const)
  const silentNodes = (testFleet: TestFleet) => {
    const before = new Map(renewals(testFleet))
    testFleet.pass(30)
    return renewals(testFleet)
      .filter(([name, time]) => before.get(name) === time)
      .map(([name]) => name)
  }

  it("run each its own nodes, and follow the list of groups", () => {
    const testFleet = startBoth()
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "a-1", "a-2", "a-3"])
    const map = () => testFleet.run(testFleet.admin.get("ConfigMap", { namespace: "kube-system", name: fleetName }))
    const group = readGroups(map()).entries.get("a") ?? assert.fail("no group")
    testFleet.run(writeMap(testFleet.admin, fleetName, { a: JSON.stringify({ ...group, without: ["a-1", "a-3"] }) }))
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "a-2"])
    testFleet.close()
  })

  it("have nodes that are the same in any process", () => {
    const nodesOf = (...parts: ReadonlyArray<FleetPart>) => {
      const testFleet = makeTestFleet([])
      testFleet.run(joinFleet(testFleet.admin, partOfA(0, 4)))
      for (const part of parts) testFleet.start({ part })
      testFleet.pass(5)
      const same = testFleet.run(testFleet.admin.list("Node")).items.map(({ metadata, status }) => ({
        name: metadata.name,
        labels: metadata.labels,
        capacity: status?.capacity,
        addresses: status?.addresses,
        nodeInfo: status?.nodeInfo
      }))
      testFleet.close()
      return same
    }
    assert.deepStrictEqual(nodesOf(partOfA(0, 3), partOfA(3)), nodesOf(partOfA(0)))
  })

  it("are reached by one fault, whose nodes one of them records", () => {
    const testFleet = startBoth()
    fault(testFleet, { fault: "partition", nodes: { zone: "zone-a" }, for: "10m" })
    testFleet.pass(1)
    assert.deepStrictEqual(entry(testFleet).on, ["a-0", "a-1", "a-2", "a-3"])
    assert.deepStrictEqual(silentNodes(testFleet), ["a-0", "a-1", "a-2", "a-3"])
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: null }))
    testFleet.pass(30)
    assert.deepStrictEqual(silentNodes(testFleet), [])
    assert.deepStrictEqual(
      testFleet.lines.filter((line) => line.startsWith("A fault")),
      ["A fault begins", "A fault begins", "A fault ends", "A fault ends"]
    )
    testFleet.close()
  })

  it("choose the nodes of a count together", () => {
    const testFleet = startBoth()
    fault(testFleet, { fault: "crash", nodes: { fraction: 0.5 } })
    testFleet.pass(1)
    const { on = [] } = entry(testFleet)
    assert.lengthOf(on, 2)
    assert.deepStrictEqual(silentNodes(testFleet), [...on])
    fault(testFleet, { fault: "partition", nodes: { zone: "zone-x" } })
    testFleet.pass(1)
    assert.strictEqual(entry(testFleet).refused, "selects no modelled node")
    testFleet.close()
  })

  it("leave the groups of other fleets alone, which leave them alone", () => {
    const testFleet = makeTestFleet([{ name: "b", count: 1, zone: "zone-b" }])
    testFleet.start({ part: partOfA(0, 1) })
    const { matchesGroups } = testFleet.start()
    assert.isTrue(matchesGroups)
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "b-0"])
    assert.deepStrictEqual(
      testFleet.lines.filter((line) => line === "Kubelets run"),
      ["Kubelets run", "Kubelets run"]
    )
    testFleet.close()
  })
})

describe("the lease of a part", () => {
  it("says which members its process runs", () => {
    for (const part of [partOfA(0, 5), partOfA(5), partOfA(7, 1)]) {
      assert.deepStrictEqual(partOf(leaseOf(part, "me", 0), "a"), part)
    }
    assert.isUndefined(partOf({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: {} }, "a"))
    assert.isTrue(overlaps(partOfA(0, 5), partOfA(4, 1)))
    assert.isFalse(overlaps(partOfA(0, 5), partOfA(5)))
    assert.isTrue(overlaps(partOfA(8), partOfA(9, 1)))
  })

  it("lets the earlier of two processes win", () => {
    const at = (creationTimestamp: string, name: string) => ({
      ...leaseOf(partOfA(0, 1), "me", 0),
      metadata: { name, creationTimestamp }
    })
    assert.isTrue(isEarlier(at("2026-01-01T00:00:00Z", "b"), at("2026-01-01T00:00:01Z", "a")))
    assert.isTrue(isEarlier(at("2026-01-01T00:00:00Z", "a"), at("2026-01-01T00:00:00Z", "b")))
    assert.isFalse(isEarlier(at("2026-01-01T00:00:00Z", "b"), at("2026-01-01T00:00:00Z", "a")))
  })

  /** Starts a process with this part; returns how it went, and how to end it. */
  const startClaim = (testFleet: TestFleet, part: FleetPart, holder: string) => {
    const scope = testFleet.run(Scope.make())
    const outcome = { claimed: false, error: "" }
    const claim = claimPart(testFleet.admin, part, holder).pipe(
      Effect.flatMap(({ keepOn }) => {
        outcome.claimed = true
        return keepOn
      }),
      Effect.catch(({ message }) => Effect.sync(() => (outcome.error = message))),
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(Timers, testFleet.timers),
      Effect.provide(Logger.layer([]))
    )
    const fiber = testFleet.run(Effect.forkDetach(claim))
    /** The process ends, or is killed: then it leaves its Lease behind. */
    const end = (isKilled: boolean) => {
      testFleet.run(Fiber.interrupt(fiber))
      if (!isKilled) testFleet.run(Scope.close(scope, Exit.void))
    }
    return { outcome, end }
  }

  it("reports a Lease with its name that belongs to no part, instead of asking for ever", () => {
    for (const changed of [{ labels: {} }, { annotations: {} }, { annotations: { "rollcall.dev/members": "20-29" } }]) {
      const testFleet = makeTestFleet([])
      const lease = leaseOf(partOfA(0, 10), "another", testFleet.timers.now())
      testFleet.run(testFleet.admin.create("Lease", { ...lease, metadata: { ...lease.metadata, ...changed } }))
      const { outcome } = startClaim(testFleet, partOfA(0, 10), "one")
      testFleet.pass(5)
      assert.isFalse(outcome.claimed)
      assert.include(outcome.error, "which another runs (lease kube-system/rollcall-fleet-a-0-9)")
    }
  })

  it("keeps a second process with the same members out while the first one lives", () => {
    const testFleet = makeTestFleet([])
    const first = startClaim(testFleet, partOfA(0, 10), "one")
    testFleet.pass(12)
    const next = startClaim(testFleet, partOfA(10, 10), "two")
    const second = startClaim(testFleet, partOfA(5), "three")
    testFleet.pass(20)
    assert.deepStrictEqual(first.outcome, { claimed: true, error: "" })
    assert.deepStrictEqual(next.outcome, { claimed: true, error: "" })
    assert.isFalse(second.outcome.claimed)
    assert.match(
      second.outcome.error,
      /^the nodes a-5 and above overlap a-0 to a-9, which one runs \(lease kube-system\/rollcall-fleet-a-0-9\)/
    )
    testFleet.close()
  })

  it("passes to the next process: at once if the first one ended, after its time if it was killed", () => {
    const testFleet = makeTestFleet([])
    const first = startClaim(testFleet, partOfA(0, 10), "one")
    testFleet.pass(7)
    first.end(false)
    const second = startClaim(testFleet, partOfA(0, 10), "two")
    testFleet.pass(1)
    assert.isTrue(second.outcome.claimed)
    second.end(true)
    const third = startClaim(testFleet, partOfA(4, 2), "three")
    testFleet.pass(14)
    assert.isFalse(third.outcome.claimed)
    testFleet.pass(5)
    assert.deepStrictEqual(third.outcome, { claimed: true, error: "" })
    testFleet.close()
  })

  it("ends a process that another one has replaced", () => {
    const testFleet = makeTestFleet([])
    const first = startClaim(testFleet, partOfA(0, 10), "one")
    testFleet.pass(1)
    testFleet.run(testFleet.admin.delete("Lease", { namespace: "kube-system", name: "rollcall-fleet-a-0-9" }))
    testFleet.run(testFleet.admin.create("Lease", leaseOf(partOfA(0, 10), "two", testFleet.now())))
    testFleet.pass(6)
    assert.include(first.outcome.error, "which two runs")
    testFleet.close()
  })
})
