import { ApiServer } from "@rollcall/api-server"
import { cancellable } from "@rollcall/cluster"
import { makeModelledKubelet } from "@rollcall/kubelet"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type VirtualServices } from "@rollcall/time"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { bigCluster } from "./bigCluster.ts"
import { bareHeapLoop } from "./floor.ts"

const START_MS = 1_767_225_600_000
const MINUTE_MS = 60_000
const HEARTBEAT_MS = 10_000

interface Figures {
  readonly runSeconds: number
  readonly steps: number
  /** Of everything: kubelets, and what the API server holds of them. */
  readonly heapBytes: number
  /** Of the kubelets, their links to the API server and their watches: what goes when they go. */
  readonly kubeletBytes: number
  readonly renewals: number
}

const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

interface Load {
  readonly kubelets: number
  readonly podsPerNode: number
  readonly minutes: number
  /** Virtual minutes before the clock is read: registration, and pods being started. */
  readonly warmUpMinutes: number
}

/** Kubelets that register, take over their pods and renew, on a virtual clock, each on its own connection to one API server. */
const run = (load: Load): Figures => {
  const { kubelets, minutes, podsPerNode, warmUpMinutes } = load
  const time = makeVirtualTime(START_MS)
  const within = <A, E>(effect: Effect.Effect<A, E, VirtualServices>): A => {
    const exit = time.run(Random.withSeed(effect, "bench"))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }
  const before = heapUsed()
  const scope = within(Scope.make())
  const server = Context.get(
    within(Layer.buildWithScope(ApiServer.layer().pipe(Layer.provide(layerMemory())), scope)),
    ApiServer
  )
  const objects = podsPerNode === 0 ? [] : bigCluster({ nodes: kubelets, podsPerNode })
  within(server.restore(objects))
  const names =
    podsPerNode === 0
      ? Array.from({ length: kubelets }, (_, index) => `node-${index}`)
      : objects.flatMap(({ kind, metadata }) => (kind === "Node" ? [metadata.name ?? ""] : []))
  let renewals = 0
  const fleet = names.map((name) => {
    const to = server.connect({ user: `system:node:${name}`, groups: ["system:nodes"], userAgent: "kubelet" })
    const connection = {
      ...to,
      send: cancellable((request: Parameters<typeof to.send>[0], reply: Parameters<typeof to.send>[1]) => {
        if (request.kind === "Lease") renewals++
        to.send(request, reply)
      })
    }
    const kubelet = makeModelledKubelet(time.timers, { name, connection, seed: 1 })
    kubelet.startKubelet()
    return kubelet
  })
  time.runUntil(START_MS + warmUpMinutes * MINUTE_MS)
  const renewedBefore = renewals
  const stepsBefore = time.steps()
  const started = performance.now()
  time.runUntil(START_MS + (warmUpMinutes + minutes) * MINUTE_MS)
  const runSeconds = (performance.now() - started) / 1000
  const steps = time.steps() - stepsBefore
  const withAll = heapUsed()
  for (const kubelet of fleet.splice(0)) kubelet.powerLost()
  time.runUntil(START_MS + (warmUpMinutes + minutes) * MINUTE_MS + 1)
  const without = heapUsed()
  within(Scope.close(scope, Exit.void))
  return {
    runSeconds,
    steps,
    heapBytes: withAll - before,
    kubeletBytes: withAll - without,
    renewals: renewals - renewedBefore
  }
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`
const line = (name: string, value: string) => process.stdout.write(`  ${name.padEnd(52)} ${value}\n`)

/**
 * Many kubelets in one process beside the least program that fires the same heartbeats; and what one kubelet costs that holds as
 * many pods as it may.
 */
export const benchKubelet = ({ kubelets }: { readonly kubelets: number }): void => {
  const minutes = 5
  const fleet = run({ kubelets, podsPerNode: 0, minutes, warmUpMinutes: 1 })
  bareHeapLoop(kubelets, HEARTBEAT_MS, fleet.renewals)
  const floorStart = performance.now()
  bareHeapLoop(kubelets, HEARTBEAT_MS, fleet.renewals)
  const floorSeconds = (performance.now() - floorStart) / 1000
  process.stdout.write(`\n${count(kubelets)} kubelets renew their Leases for ${minutes} virtual minutes\n`)
  line("run", `${fleet.runSeconds.toFixed(2)} s, ${((minutes * 60) / fleet.runSeconds).toFixed(1)} times real time`)
  line("renewals", `${count(fleet.renewals)}, ${((fleet.runSeconds / fleet.renewals) * 1e6).toFixed(2)} µs each`)
  line("floor: bare heap loop of the same heartbeats", `${floorSeconds.toFixed(3)} s`)
  line("ratio to the floor", (fleet.runSeconds / floorSeconds).toFixed(1))
  line("heap for a kubelet", kilobytes(fleet.kubeletBytes / kubelets))
  line("heap for a kubelet with its Node and Lease in the API", kilobytes(fleet.heapBytes / kubelets))

  const hour = 60
  const idle = run({ kubelets: 1, podsPerNode: 0, minutes: hour, warmUpMinutes: 2 })
  const full = run({ kubelets: 1, podsPerNode: 110, minutes: hour, warmUpMinutes: 2 })
  const microseconds = (figures: Figures) => (figures.runSeconds / (hour * 60)) * 1e6
  process.stdout.write(`\nOne kubelet for ${hour} virtual minutes\n`)
  line(
    "cost of a virtual second without pods",
    `${microseconds(idle).toFixed(2)} µs, ${count(idle.steps)} events in all`
  )
  line("with 110 pods that run", `${microseconds(full).toFixed(2)} µs, ${count(full.steps)} events in all`)
  line("ratio", (microseconds(full) / microseconds(idle)).toFixed(2))
}
