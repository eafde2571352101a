import { assert, describe } from "@effect/vitest"
import { parseQuantity } from "@rollcall/api"
import { Timers, type TimersShape } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Machine } from "../runtime/NodeHost.ts"
import { type ControlledHost, type HostMachine, NodeHosts, type NodeHostsShape } from "../runtime/NodeHosts.ts"

export interface NodeHostContractOptions {
  /**
   * Whether the host is a real machine, whose resources and boots cannot be chosen. By default the host is as in
   * `plannedMachine`.
   */
  readonly isReal?: boolean
}

/** The host under test and what made it. */
interface HostFixture {
  readonly hosts: NodeHostsShape
  readonly host: ControlledHost
  readonly timers: TimersShape
}

type WithHost = (title: string, body: (fixture: HostFixture) => Effect.Effect<void>) => void

const plannedMachine = {
  name: "node-1",
  capacity: { cpu: "6", memory: "12Gi", "ephemeral-storage": "50Gi" },
  allocatable: { cpu: "5", memory: "10Gi", "ephemeral-storage": "40Gi" },
  operatingSystem: "linux",
  architecture: "arm64",
  swapBytes: 1_048_576
} satisfies HostMachine

const makeFixture = Effect.gen(function* () {
  const timers = yield* Timers
  const hosts = yield* NodeHosts
  const fixture: HostFixture = { hosts, timers, host: hosts.of(plannedMachine) }
  return fixture
})

const identityOf = ({ machineID, systemUUID }: Machine) => ({ machineID, systemUUID })

const isNotEmpty = (text: string, label: string) => assert.notStrictEqual(text, "", label)

const machine = (withHost: WithHost, isReal: boolean) => {
  withHost("has what a Node needs", ({ host }) =>
    Effect.sync(() => {
      const reported = host.machine()
      for (const resource of ["cpu", "memory", "ephemeral-storage"]) {
        const amount = parseQuantity(String(reported.capacity[resource]))
        assert.isTrue(Result.isSuccess(amount), `${resource}: ${reported.capacity[resource]}`)
      }
      for (const key of ["operatingSystem", "architecture", "machineID", "systemUUID", "bootID"] as const)
        isNotEmpty(reported[key], key)
      isNotEmpty(reported.versions.kernelVersion, "kernelVersion")
      const types = reported.addresses.map(({ type }) => type)
      assert.include(types, "Hostname")
      if (types.includes("InternalIP")) assert.isBelow(types.indexOf("InternalIP"), types.indexOf("Hostname"))
      const sizes = reported.images.map(({ sizeBytes }) => sizeBytes)
      assert.deepStrictEqual(
        sizes,
        sizes.toSorted((a, b) => b - a),
        "the largest image is first"
      )
    })
  )

  withHost("is the same object while nothing changes", ({ host }) =>
    Effect.gen(function* () {
      const first = host.machine()
      assert.strictEqual(host.machine(), first)
      yield* Effect.sleep("1 hour")
      assert.strictEqual(host.machine(), first)
    })
  )

  withHost("keeps its identity when it boots", ({ host }) =>
    Effect.sync(() => {
      const before = host.machine()
      host.booted()
      const after = host.machine()
      assert.deepStrictEqual(identityOf(after), identityOf(before))
      if (!isReal) assert.notStrictEqual(after.bootID, before.bootID, "another boot has another id")
    })
  )

  if (isReal) return
  withHost("is as planned, and differs from its neighbour", ({ host, hosts }) =>
    Effect.sync(() => {
      const { name: _, ...planned } = plannedMachine
      assert.deepInclude(host.machine(), planned)
      const other = hosts.of({ ...plannedMachine, name: "node-2" }).machine()
      for (const key of ["machineID", "systemUUID", "bootID"] as const)
        assert.notStrictEqual(other[key], host.machine()[key], key)
      assert.notDeepEqual(other.addresses, host.machine().addresses)
    })
  )

  withHost("queries its cloud, and has the cloud's addresses", ({ hosts }) =>
    Effect.sync(() => {
      const answer = {
        providerID: "cloud://i-1",
        labels: { zone: "a" },
        addresses: [{ type: "Hostname", address: "node-3" }] as const
      }
      let answers = false
      const cloudHost = hosts.of({ ...plannedMachine, name: "node-3", askCloud: () => (answers ? answer : undefined) })
      if (cloudHost.askCloud === undefined) return
      assert.isUndefined(cloudHost.askCloud())
      answers = true
      const found = cloudHost.askCloud()
      assert.deepInclude(found, { providerID: answer.providerID, labels: answer.labels })
      assert.deepStrictEqual(cloudHost.machine().addresses, answer.addresses)
      assert.isUndefined(
        hosts.of({ ...plannedMachine, name: "node-4" }).askCloud?.(),
        "a machine without a cloud has no answer"
      )
    })
  )
}

const resources = (withHost: WithHost) => {
  withHost("are read as available amounts of capacities", ({ host, timers }) =>
    Effect.sync(() => {
      if (host.resources === undefined) return
      const { podUsage, signals } = host.resources.read()
      assert.isNotEmpty(signals)
      for (const [signal, { atMs, available, capacity }] of Object.entries(signals)) {
        assert.isAtLeast(available, 0, signal)
        assert.isAtMost(available, capacity, signal)
        assert.isAtMost(atMs, timers.now(), `${signal} was measured before now`)
      }
      assert.isUndefined(podUsage("uid of no pod"))
    })
  )

  withHost("call done once when they are reclaimed", ({ host }) =>
    Effect.gen(function* () {
      for (const kind of ["containers", "images"] as const) {
        let calls = 0
        if (host.resources?.reclaim === undefined) return
        host.resources.reclaim(kind, () => void calls++)
        yield* Effect.sleep("1 hour")
        assert.strictEqual(calls, 1, kind)
      }
    })
  )
}

/** Faults and volumes take effect on a host with the controls for them. */
const controls = (withHost: WithHost) => {
  withHost("set the available amount, regardless of usage, until they are reset", ({ host }) =>
    Effect.sync(() => {
      const { resources } = host
      if (resources === undefined || host.setAvailable === undefined) return
      let changes = 0
      resources.onChange?.(() => void changes++)
      const left = () => resources.read().signals["memory.available"]?.available
      const before = left()
      host.setAvailable("memory.available", "100Mi")
      assert.strictEqual(left(), 100 * 1024 * 1024)
      if (resources.onChange !== undefined) assert.strictEqual(changes, 1, "listeners are called")
      host.setAvailable("memory.available", undefined)
      assert.strictEqual(left(), before)
    })
  )

  withHost("count what a pod uses, until it is deleted", ({ host }) =>
    Effect.sync(() => {
      const { resources } = host
      if (resources === undefined || host.setPodUsage === undefined) return
      const left = () => resources.read().signals["memory.available"]?.available ?? 0
      const before = left()
      host.setPodUsage("uid-a", { memoryBytes: 1_000_000 })
      assert.deepStrictEqual(resources.read().podUsage("uid-a"), { memoryBytes: 1_000_000 })
      assert.strictEqual(left(), before - 1_000_000)
      host.setPodUsage("uid-a", undefined)
      assert.isUndefined(resources.read().podUsage("uid-a"))
      assert.strictEqual(left(), before)
    })
  )

  withHost("show volumes in use in a new object", ({ host }) =>
    Effect.sync(() => {
      if (host.setVolumesInUse === undefined) return
      const before = host.machine()
      host.setVolumesInUse(["kubernetes.io/csi/a"])
      assert.deepStrictEqual(host.machine().volumesInUse, ["kubernetes.io/csi/a"])
      assert.notStrictEqual(host.machine(), before)
      assert.isUndefined(before.volumesInUse, "a returned object does not change")
    })
  )
}

/**
 * Registers the tests that every implementation of the NodeHosts port must pass, in a vitest file. They run in virtual
 * time; the layer is built again for each test.
 */
export const nodeHostContract = <E>(
  name: string,
  layer: Layer.Layer<NodeHosts, E, Timers>,
  { isReal = false }: NodeHostContractOptions = {}
): void => {
  const withHost: WithHost = (title, body) =>
    itInVirtualTime(title, Effect.flatMap(makeFixture, body).pipe(Effect.provide(Layer.fresh(layer))))
  describe(`${name}: the machine`, () => machine(withHost, isReal))
  describe(`${name}: its resources`, () => resources(withHost))
  describe(`${name}: its controls`, () => controls(withHost))
}
