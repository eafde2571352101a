import { type ConfigMap, formatMicroTime } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { writeMap } from "../src/commands/maps.ts"
import { type FleetFault, type FleetGroup, faultsName, fleetName } from "../src/fleet/FleetDocument.ts"
import { makeWorld, START, type World } from "./world.ts"

const zoneA: FleetGroup = { name: "a", count: 2, zone: "zone-a" }

describe("a live fleet", () => {
  it("becomes what its ConfigMap says, and takes away what is no more", () => {
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

  it("goes on being what it was when it starts again, whatever it is told at the start", () => {
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

  it("has kubelets that are configured by group; a group of which kubelet would refuse it is as the others are", () => {
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

  it("leaves out a group that cannot be read, and keeps the others", () => {
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
  const faultNow = (world: World, fault: Omit<FleetFault, "at">) =>
    world.run(writeMap(world.admin, faultsName, { x: JSON.stringify({ ...fault, at: formatMicroTime(world.now()) }) }))

  it("last until they are taken away", () => {
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

  it("end by themselves at their time, and are off the list then", () => {
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

  it("whose time is over when a fleet starts do nothing but go", () => {
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
})
