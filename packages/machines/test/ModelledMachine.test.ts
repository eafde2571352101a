import { defaultRelease } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { kubeletConfig, modelUpstream, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { Inhibitors, Links, type MachineSpec, makeMachine } from "../src/index.ts"

const machineOf = (spec: Partial<MachineSpec> = {}) => {
  const { fork, runUntil, timers } = makeVirtualTime(0)
  const asked: Array<string> = []
  const connection: Connection = {
    send: ({ kind, verb }) => {
      asked.push(`${timers.now()} ${verb} ${kind}`)
      return () => {}
    },
    watch: () => () => {}
  }
  const machine = makeMachine(
    {
      timers,
      release: defaultRelease,
      seed: 1,
      model: modelUpstream,
      hosts: NodeHosts.modelled(timers),
      links: Links.modelled(timers, 1),
      inhibitors: Inhibitors.modelled(timers, (effect) => void fork(effect)),
      runtimes: PodRuntimes.modelled(timers),
      connect: () => connection
    },
    { name: "n1", group: undefined, config: kubeletConfig({}), capacity: { cpu: "8", pods: "110" }, ...spec }
  )
  return { asked, machine, runUntil }
}

describe("a modelled machine", () => {
  it("lets no pod have more processes than its kubelet is configured with", () => {
    const processesWith = (podPidsLimit: number) => {
      const { machine } = machineOf({ config: kubeletConfig({ podPidsLimit }) })
      machine.host.setPodUsage?.("uid", { processes: 500 })
      return machine.host.resources?.read().podUsage("uid")?.processes
    }
    assert.deepStrictEqual([-1, 0, 100, 1_000].map(processesWith), [500, 500, 100, 500])
  })

  it("ends its kubelet with its power, and starts it with another boot id", () => {
    const { asked, machine, runUntil } = machineOf()
    machine.start()
    runUntil(1_000)
    const { bootID } = machine.host.machine()
    assert.deepStrictEqual([machine.powered, machine.kubelet.running], [true, true])
    machine.crash()
    assert.deepStrictEqual([machine.powered, machine.kubelet.running], [false, false])
    const before = asked.length
    // A process can be started on a machine that is on only.
    machine.kubelet.startKubelet()
    machine.crash()
    runUntil(60_000)
    assert.isFalse(machine.kubelet.running)
    assert.lengthOf(asked, before)
    machine.boot()
    assert.deepStrictEqual([machine.powered, machine.kubelet.running], [true, true])
    assert.notStrictEqual(machine.host.machine().bootID, bootID)
    const booted = machine.host.machine().bootID
    machine.boot()
    assert.strictEqual(machine.host.machine().bootID, booted)
    runUntil(61_000)
    assert.isAbove(asked.length, before)
  })

  it("starts with the health of its snapshot, and is healthy after a reboot", () => {
    const health = { isSilent: true, isNotReady: true, pressures: ["DiskPressure"], networkUnavailable: false } as const
    const { machine, runUntil } = machineOf({ health })
    machine.start()
    assert.deepStrictEqual([machine.powered, machine.kubelet.running], [false, false])
    machine.boot()
    runUntil(10_000)
    assert.isUndefined(machine.kubelet.health().syncLoop)
    assert.isTrue(machine.kubelet.running)
  })
})
