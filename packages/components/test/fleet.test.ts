import { type ConfigMap, formatMicroTime } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { writeMap } from "../src/commands/maps.ts"
import { type FleetFault, type FleetGroup, faultsName, fleetName } from "../src/fleet/FleetDocument.ts"
import { makeWorld, START, type World } from "./world.ts"

const zoneA: FleetGroup = { name: "a", count: 2, zone: "zone-a" }

describe("a live fleet", () => {
  it("follows its ConfigMap, and deletes removed nodes", () => {
    const world = makeWorld([zoneA])
    const fleet = world.start()
    world.pass(2)
    assert.deepStrictEqual(world.nodes(), ["a-0", "a-1"])
    assert.strictEqual(fleet.startedMs(), START)

    world.run(writeMap(world.admin, fleetName, { b: JSON.stringify({ name: "b", count: 1 }) }))
    world.pass(2)
    assert.deepStrictEqual(world.nodes(), ["a-0", "a-1", "b-0"])
    world.run(writeMap(world.admin, fleetName, { a: JSON.stringify({ ...zoneA, without: ["a-0"] }), b: null }))
    world.pass(2)
    assert.deepStrictEqual(world.nodes(), ["a-1"])
    assert.deepStrictEqual(world.leases(), ["a-1"])
    assert.strictEqual(fleet.size(), 1)
    world.close()
  })

  it("keeps its groups after a restart, regardless of the flags", () => {
    const world = makeWorld([zoneA])
    const map: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: fleetName, namespace: "kube-system" },
      data: { z: JSON.stringify({ name: "z", count: 1 }) }
    }
    world.run(world.admin.create("ConfigMap", map))
    world.start()
    world.pass(2)
    assert.deepStrictEqual(world.nodes(), ["z-0"])
    world.close()
  })

  it("configures kubelets by group; ignores a group's settings that kubelet would refuse", () => {
    const world = makeWorld([])
    world.start()
    const group = (name: string, kubelet: object) => JSON.stringify({ name, count: 1, kubelet })
    world.run(
      writeMap(world.admin, fleetName, {
        a: group("a", { maxPods: 5, systemReserved: { cpu: "1" } }),
        b: group("b", { maxPods: -5 }),
        c: group("c", { maxPods: "5" }),
        d: group("d", { cpuManagerPolicy: "static" }),
        e: group("e", { systemReserved: { memory: "1Ti" } })
      })
    )
    world.pass(2)
    const statusOf = (name: string) => world.run(world.admin.get("Node", { name })).status
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
    world.close()
  })

  it("has the static pods of its groups on their machines", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "agent" },
      spec: { containers: [{ name: "c", image: "x" }] }
    }
    const world = makeWorld([{ ...zoneA, staticPods: [pod] }])
    world.start()
    world.pass(10)
    const pods = world.run(world.admin.list("Pod")).items
    assert.deepStrictEqual(pods.map(({ metadata }) => metadata.name).sort(), ["agent-a-0", "agent-a-1"])
    world.close()
  })

  it("leaves out an invalid group, and keeps the others", () => {
    const world = makeWorld([zoneA])
    const fleet = world.start()
    world.pass(1)
    world.run(writeMap(world.admin, fleetName, { b: '{"nmae":"b"}' }))
    world.pass(1)
    assert.deepStrictEqual(
      [...fleet.machines()].map(({ name }) => name),
      ["a-0", "a-1"]
    )
    world.close()
  })
})

describe("faults of a live fleet", () => {
  const renewals = (world: World, name: string) =>
    world.run(world.admin.get("Lease", { namespace: "kube-node-lease", name })).spec?.renewTime
  /** Writes a fault without a time, like a user who does not know the cluster's clock. */
  const faultNow = (world: World, fault: FleetFault) =>
    world.run(writeMap(world.admin, faultsName, { x: JSON.stringify(fault) }))
  const listed = (world: World): Readonly<Record<string, string>> =>
    world.run(world.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName })).data ?? {}
  const entry = (world: World): FleetFault => JSON.parse(listed(world).x ?? assert.fail("no fault x")) as FleetFault
  const isSilent = (world: World, name: string) => {
    const before = renewals(world, name)
    world.pass(30)
    return renewals(world, name) === before
  }

  it("last until they are removed", () => {
    const world = makeWorld([zoneA])
    world.start()
    world.pass(30)
    faultNow(world, { fault: "partition", nodes: { names: ["a-0"] } })
    world.pass(1)
    const [silent, other] = [renewals(world, "a-0"), renewals(world, "a-1")]
    world.pass(60)
    assert.strictEqual(renewals(world, "a-0"), silent)
    assert.notStrictEqual(renewals(world, "a-1"), other)
    world.run(writeMap(world.admin, faultsName, { x: null }))
    world.pass(30)
    assert.notStrictEqual(renewals(world, "a-0"), silent)
    world.close()
  })

  it("end at their time, and are then removed from the list", () => {
    const world = makeWorld([zoneA])
    world.start()
    world.pass(30)
    faultNow(world, { fault: "partition", nodes: { zone: "zone-a" }, for: "20s" })
    const list = () =>
      world.run(world.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName })).data ?? {}
    world.pass(19.9)
    assert.deepStrictEqual(Object.keys(list()), ["x"])
    const silent = renewals(world, "a-0")
    world.pass(1)
    assert.deepStrictEqual(Object.keys(list()), [])
    world.pass(15)
    assert.notStrictEqual(renewals(world, "a-0"), silent)
    world.close()
  })

  it("that have expired when a fleet starts are only removed", () => {
    const world = makeWorld([zoneA])
    const old: FleetFault = {
      fault: "crash",
      nodes: { zone: "zone-a" },
      for: "1m",
      at: formatMicroTime(START - 120_000)
    }
    world.run(writeMap(world.admin, faultsName, { old: JSON.stringify(old) }))
    world.start()
    world.pass(5)
    assert.deepStrictEqual(world.nodes(), ["a-0", "a-1"])
    const { data } = world.run(world.admin.get("ConfigMap", { namespace: "kube-system", name: faultsName }))
    assert.deepStrictEqual(data ?? {}, {})
    world.close()
  })

  it("are recorded with their start, by the cluster's clock, and their nodes", () => {
    const world = makeWorld([zoneA, { name: "b", count: 2, zone: "zone-b" }])
    world.start()
    world.pass(30)
    faultNow(world, { fault: "partition", nodes: { zone: "zone-b" }, for: "1m" })
    world.pass(0.1)
    assert.deepStrictEqual(entry(world).on, ["b-0", "b-1"])
    assert.strictEqual(entry(world).at, formatMicroTime(START + 30_000))
    world.pass(59)
    assert.deepStrictEqual(Object.keys(listed(world)), ["x"])
    world.pass(1)
    assert.deepStrictEqual(listed(world), {})
    world.close()
  })

  it("follow changes of their duration, and never change their nodes", () => {
    const world = makeWorld([zoneA])
    world.start()
    world.pass(30)
    faultNow(world, { fault: "crash", nodes: { names: ["a-0"] }, for: "1m" })
    world.pass(1)
    world.run(writeMap(world.admin, faultsName, { x: JSON.stringify({ ...entry(world), for: "5m" }) }))
    world.pass(200)
    assert.isTrue(isSilent(world, "a-0"))
    assert.deepStrictEqual(
      world.lines.filter((line) => line.startsWith("A fault")),
      ["A fault begins"]
    )
    world.run(writeMap(world.admin, faultsName, { x: JSON.stringify({ ...entry(world), for: "10s" }) }))
    world.pass(1)
    assert.deepStrictEqual(listed(world), {})
    assert.isFalse(isSilent(world, "a-0"))
    world.close()
  })

  it("continue on the same nodes after a restart, for their remaining time", () => {
    for (const fault of ["partition", "crash", "kubelet-stop"] as const) {
      const world = makeWorld([zoneA, { name: "b", count: 6, zone: "zone-b" }])
      world.start()
      world.pass(30)
      faultNow(world, { fault, nodes: { zone: "zone-b", count: 2 }, for: "10m" })
      world.pass(60)
      const { on = [] } = entry(world)
      assert.lengthOf(on, 2)
      world.stop()
      // Another node would change the first two in the seed's order.
      world.run(writeMap(world.admin, fleetName, { c: JSON.stringify({ name: "c", count: 7, zone: "zone-b" }) }))
      world.pass(60)
      const silentSince = on.map((name) => renewals(world, name))
      const fleet = world.start()
      assert.deepInclude(world.lines, "A fault continues")
      assert.strictEqual(fleet.unharmed(), 13)
      world.pass(420)
      assert.deepStrictEqual(
        on.map((name) => renewals(world, name)),
        silentSince
      )
      assert.isFalse(isSilent(world, "a-0"))
      assert.deepStrictEqual(Object.keys(listed(world)), ["x"])
      world.pass(31)
      assert.deepStrictEqual(listed(world), {})
      assert.strictEqual(fleet.unharmed(), 15)
      for (const name of on) assert.isFalse(isSilent(world, name), `${fault} ${name}`)
      world.close()
    }
  })

  const refused: ReadonlyArray<readonly [FleetFault, string]> = [
    [{ fault: "partition", nodes: { zone: "zone-x" } }, "selects no modelled node"],
    [{ fault: "cloud-delete", nodes: { zone: "zone-a" } }, "the machines of this fleet have no cloud"],
    [{ fault: "controller-restart" }, "no kube-controller-manager runs in the process of the fleet"]
  ]
  for (const [fault, why] of refused) {
    it(`are refused if they would have no effect: ${fault.fault}, ${why}`, () => {
      const world = makeWorld([zoneA])
      world.start()
      world.pass(2)
      faultNow(world, fault)
      world.pass(1)
      assert.include(entry(world).refused, why)
      assert.isTrue(world.lines.some((line) => line.includes(why)))
      world.close()
    })
  }

  it("that are invalid are left out, with the reason in the log", () => {
    const world = makeWorld([zoneA])
    world.start()
    world.pass(2)
    faultNow(world, { fault: "latency", nodes: { zone: "zone-a" } })
    world.pass(1)
    assert.isUndefined(entry(world).at)
    assert.deepInclude(world.lines, "configmap/rollcall-faults: data.x.by: is required for latency")
    world.close()
  })
})
