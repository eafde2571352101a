import { type ConfigMap, formatMicroTime } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { writeMap } from "../src/commands/maps.ts"
import { type FleetFault, type FleetGroup, faultsName, fleetName } from "../src/fleet/FleetDocument.ts"
import { MAX_STARTING } from "../src/fleet/StartQueue.ts"
import { makeTestFleet, START, type TestFleet } from "./testFleet.ts"

const zoneA: FleetGroup = { name: "a", count: 2, zone: "zone-a" }

describe("a live fleet", () => {
  it("follows its ConfigMap, and deletes removed nodes", () => {
    const testFleet = makeTestFleet([zoneA])
    const fleet = testFleet.start()
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "a-1"])
    assert.strictEqual(fleet.startedMs(), START)

    testFleet.run(writeMap(testFleet.admin, fleetName, { b: JSON.stringify({ name: "b", count: 1 }) }))
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "a-1", "b-0"])
    testFleet.run(writeMap(testFleet.admin, fleetName, { a: JSON.stringify({ ...zoneA, without: ["a-0"] }), b: null }))
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["a-1"])
    assert.deepStrictEqual(testFleet.leases(), ["a-1"])
    assert.strictEqual(fleet.size(), 1)
    testFleet.close()
  })

  it("starts more kubelets than may start at a time as soon as a few", () => {
    const count = 3 * MAX_STARTING
    const testFleet = makeTestFleet([{ ...zoneA, count }])
    testFleet.start()
    testFleet.pass(1)
    assert.strictEqual(testFleet.nodes().length, count)
    testFleet.close()
  })

  it("keeps its groups after a restart, regardless of the flags", () => {
    const testFleet = makeTestFleet([zoneA])
    const map: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: fleetName, namespace: "kube-system" },
      data: { z: JSON.stringify({ name: "z", count: 1 }) }
    }
    testFleet.run(testFleet.admin.create("ConfigMap", map))
    testFleet.start()
    testFleet.pass(2)
    assert.deepStrictEqual(testFleet.nodes(), ["z-0"])
    testFleet.close()
  })

  it("configures kubelets by group; ignores a group's settings that kubelet would refuse", () => {
    const testFleet = makeTestFleet([])
    testFleet.start()
    const group = (name: string, kubelet: object) => JSON.stringify({ name, count: 1, kubelet })
    testFleet.run(
      writeMap(testFleet.admin, fleetName, {
        a: group("a", { maxPods: 5, systemReserved: { cpu: "1" } }),
        b: group("b", { maxPods: -5 }),
        c: group("c", { maxPods: "5" }),
        d: group("d", { cpuManagerPolicy: "static" }),
        e: group("e", { systemReserved: { memory: "1Ti" } })
      })
    )
    testFleet.pass(2)
    const statusOf = (name: string) => testFleet.run(testFleet.admin.get("Node", { name })).status
    assert.deepStrictEqual(
      ["a-0", "b-0", "c-0", "d-0", "e-0"].map((name) => [
        statusOf(name)?.capacity?.pods,
        statusOf(name)?.allocatable?.cpu
      ]),
      [
        ["5", "7"],
        ["110", "8"],
        ["110", "8"],
        ["110", "8"],
        ["110", "8"]
      ]
    )
    testFleet.close()
  })

  it("has the static pods of its groups on their machines", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "agent" },
      spec: { containers: [{ name: "c", image: "x" }] }
    }
    const testFleet = makeTestFleet([{ ...zoneA, staticPods: [pod] }])
    testFleet.start()
    testFleet.pass(10)
    const pods = testFleet.run(testFleet.admin.list("Pod")).items
    assert.deepStrictEqual(pods.map(({ metadata }) => metadata.name).sort(), ["agent-a-0", "agent-a-1"])
    testFleet.close()
  })

  it("leaves out an invalid group, and keeps the others", () => {
    const testFleet = makeTestFleet([zoneA])
    const fleet = testFleet.start()
    testFleet.pass(1)
    testFleet.run(writeMap(testFleet.admin, fleetName, { b: '{"nmae":"b"}' }))
    testFleet.pass(1)
    assert.deepStrictEqual(
      [...fleet.machines()].map(({ name }) => name),
      ["a-0", "a-1"]
    )
    testFleet.close()
  })
})

describe("faults of a live fleet", () => {
  const renewals = (testFleet: TestFleet, name: string) =>
    testFleet.run(testFleet.admin.get("Lease", { namespace: "kube-node-lease", name })).spec?.renewTime
  /** Writes a fault without a time, like a user who does not know the cluster's clock. */
  const faultNow = (testFleet: TestFleet, fault: FleetFault) =>
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: JSON.stringify(fault) }))
  const listed = (testFleet: TestFleet): Readonly<Record<string, string>> =>
    testFleet.run(testFleet.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName })).data ?? {}
  const entry = (testFleet: TestFleet): FleetFault =>
    JSON.parse(listed(testFleet).x ?? assert.fail("no fault x")) as FleetFault
  const isSilent = (testFleet: TestFleet, name: string) => {
    const before = renewals(testFleet, name)
    testFleet.pass(30)
    return renewals(testFleet, name) === before
  }

  it("last until they are removed", () => {
    const testFleet = makeTestFleet([zoneA])
    testFleet.start()
    testFleet.pass(30)
    faultNow(testFleet, { fault: "partition", nodes: { names: ["a-0"] } })
    testFleet.pass(1)
    const [silent, other] = [renewals(testFleet, "a-0"), renewals(testFleet, "a-1")]
    testFleet.pass(60)
    assert.strictEqual(renewals(testFleet, "a-0"), silent)
    assert.notStrictEqual(renewals(testFleet, "a-1"), other)
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: null }))
    testFleet.pass(30)
    assert.notStrictEqual(renewals(testFleet, "a-0"), silent)
    testFleet.close()
  })

  it("end at their time, and are then removed from the list", () => {
    const testFleet = makeTestFleet([zoneA])
    testFleet.start()
    testFleet.pass(30)
    faultNow(testFleet, { fault: "partition", nodes: { zone: "zone-a" }, for: "20s" })
    const list = () =>
      testFleet.run(testFleet.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName })).data ?? {}
    testFleet.pass(19.9)
    assert.deepStrictEqual(Object.keys(list()), ["x"])
    const silent = renewals(testFleet, "a-0")
    testFleet.pass(1)
    assert.deepStrictEqual(Object.keys(list()), [])
    testFleet.pass(15)
    assert.notStrictEqual(renewals(testFleet, "a-0"), silent)
    testFleet.close()
  })

  it("that have expired when a fleet starts are only removed", () => {
    const testFleet = makeTestFleet([zoneA])
    const old: FleetFault = {
      fault: "crash",
      nodes: { zone: "zone-a" },
      for: "1m",
      at: formatMicroTime(START - 120_000)
    }
    testFleet.run(writeMap(testFleet.admin, faultsName, { old: JSON.stringify(old) }))
    testFleet.start()
    testFleet.pass(5)
    assert.deepStrictEqual(testFleet.nodes(), ["a-0", "a-1"])
    const { data } = testFleet.run(testFleet.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName }))
    assert.deepStrictEqual(data ?? {}, {})
    testFleet.close()
  })

  it("are recorded with their start, by the cluster's clock, and their nodes", () => {
    const testFleet = makeTestFleet([zoneA, { name: "b", count: 2, zone: "zone-b" }])
    testFleet.start()
    testFleet.pass(30)
    faultNow(testFleet, { fault: "partition", nodes: { zone: "zone-b" }, for: "1m" })
    testFleet.pass(0.1)
    assert.deepStrictEqual(entry(testFleet).on, ["b-0", "b-1"])
    assert.strictEqual(entry(testFleet).at, formatMicroTime(START + 30_000))
    testFleet.pass(59)
    assert.deepStrictEqual(Object.keys(listed(testFleet)), ["x"])
    testFleet.pass(1)
    assert.deepStrictEqual(listed(testFleet), {})
    testFleet.close()
  })

  it("follow changes of their duration, and never change their nodes", () => {
    const testFleet = makeTestFleet([zoneA])
    testFleet.start()
    testFleet.pass(30)
    faultNow(testFleet, { fault: "crash", nodes: { names: ["a-0"] }, for: "1m" })
    testFleet.pass(1)
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: JSON.stringify({ ...entry(testFleet), for: "5m" }) }))
    testFleet.pass(200)
    assert.isTrue(isSilent(testFleet, "a-0"))
    assert.deepStrictEqual(
      testFleet.lines.filter((line) => line.startsWith("A fault")),
      ["A fault begins"]
    )
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: JSON.stringify({ ...entry(testFleet), for: "10s" }) }))
    testFleet.pass(1)
    assert.deepStrictEqual(listed(testFleet), {})
    assert.isFalse(isSilent(testFleet, "a-0"))
    testFleet.close()
  })

  it("continue on the same nodes after a restart, for their remaining time", () => {
    for (const fault of ["partition", "crash", "kubelet-stop"] as const) {
      const testFleet = makeTestFleet([zoneA, { name: "b", count: 6, zone: "zone-b" }])
      testFleet.start()
      testFleet.pass(30)
      faultNow(testFleet, { fault, nodes: { zone: "zone-b", count: 2 }, for: "10m" })
      testFleet.pass(60)
      const { on = [] } = entry(testFleet)
      assert.lengthOf(on, 2)
      testFleet.stop()
      // Another node would change the first two in the seed's order.
      testFleet.run(
        writeMap(testFleet.admin, fleetName, { c: JSON.stringify({ name: "c", count: 7, zone: "zone-b" }) })
      )
      testFleet.pass(60)
      const silentSince = on.map((name) => renewals(testFleet, name))
      const fleet = testFleet.start()
      assert.deepInclude(testFleet.lines, "A fault continues")
      assert.strictEqual(fleet.nodesWithoutFault(), 13)
      testFleet.pass(420)
      assert.deepStrictEqual(
        on.map((name) => renewals(testFleet, name)),
        silentSince
      )
      assert.isFalse(isSilent(testFleet, "a-0"))
      assert.deepStrictEqual(Object.keys(listed(testFleet)), ["x"])
      testFleet.pass(31)
      assert.deepStrictEqual(listed(testFleet), {})
      assert.strictEqual(fleet.nodesWithoutFault(), 15)
      for (const name of on) assert.isFalse(isSilent(testFleet, name), `${fault} ${name}`)
      testFleet.close()
    }
  })

  const refused: ReadonlyArray<readonly [FleetFault, string]> = [
    [{ fault: "partition", nodes: { zone: "zone-x" } }, "selects no modelled node"],
    [{ fault: "cloud-delete", nodes: { zone: "zone-a" } }, "the machines of this fleet have no cloud"],
    [{ fault: "controller-restart" }, "no kube-controller-manager runs in the process of the fleet"]
  ]
  for (const [fault, why] of refused) {
    it(`are refused if they would have no effect: ${fault.fault}, ${why}`, () => {
      const testFleet = makeTestFleet([zoneA])
      testFleet.start()
      testFleet.pass(2)
      faultNow(testFleet, fault)
      testFleet.pass(1)
      assert.include(entry(testFleet).refused, why)
      assert.isTrue(testFleet.lines.some((line) => line.includes(why)))
      testFleet.close()
    })
  }

  it("that are invalid are left out, with the reason in the log", () => {
    const testFleet = makeTestFleet([zoneA])
    testFleet.start()
    testFleet.pass(2)
    faultNow(testFleet, { fault: "latency", nodes: { zone: "zone-a" } })
    testFleet.pass(1)
    assert.isUndefined(entry(testFleet).at)
    assert.deepInclude(testFleet.lines, "configmap/rollcall-faults: data.x.by: is required for latency")
    testFleet.close()
  })
})
