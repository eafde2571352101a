import type { KubeletAnswer, KubeletRequest } from "@rollcall/api-server/http"
import type { Summary } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { writeMap } from "../src/commands/maps.ts"
import { type FleetFault, type FleetGroup, faultsName } from "../src/fleet/FleetDocument.ts"
import { fleetTransport } from "../src/fleet/fleetTransport.ts"
import { makeWorld } from "./world.ts"

const GI = 1024 ** 3

const group: FleetGroup = {
  name: "a",
  count: 2,
  capacity: { memory: "8Gi" },
  swap: "4Gi",
  kubelet: { failSwapOn: false, memorySwap: { swapBehavior: "LimitedSwap" } }
}

const request: KubeletRequest = { method: "GET", path: "/stats/summary", query: new Map(), body: new Uint8Array() }
const REFUSED = "dial tcp 10.0.0.1:10250: connect: connection refused"
const TIMED_OUT = "dial tcp 10.0.0.1:10250: i/o timeout"

const makeFleetWorld = () => {
  const world = makeWorld([group])
  const fleet = world.start()
  world.pass(10)
  const transport = fleetTransport(fleet.machine)
  const began = world.now()
  const answers: Array<{ readonly afterSeconds: number; readonly said: string | KubeletAnswer }> = []
  const ask = (node = "a-0", isKubelet = true, given: Partial<KubeletRequest> = {}) => {
    const address = { node, host: "10.0.0.1", port: 10_250, isKubelet }
    return transport.send(address, { ...request, ...given }, (answer) =>
      answers.push({ afterSeconds: (world.now() - began) / 1000, said: Result.merge(answer) })
    )
  }
  const told = () =>
    answers.map(({ afterSeconds, said }) => `${afterSeconds} ${typeof said === "string" ? said : said.code}`)
  const summary = (): Summary => {
    ask()
    const said = answers.at(-1)?.said ?? assert.fail("no answer")
    return JSON.parse(typeof said === "string" ? said : String(said.body)) as Summary
  }
  const fault = (spec: Omit<FleetFault, "nodes">) =>
    world.run(writeMap(world.admin, faultsName, { x: JSON.stringify({ ...spec, nodes: { names: ["a-0"] } }) }))
  const noFault = () => world.run(writeMap(world.admin, faultsName, { x: null }))
  return { world, fleet, ask, told, summary, fault, noFault }
}

describe("the kubelets of a live fleet", () => {
  it("report the swap of their machines and of each container", () => {
    const { summary, world } = makeFleetWorld()
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: {
        nodeName: "a-0",
        containers: [
          { name: "c", image: "x", resources: { requests: { memory: "2Gi" } } },
          { name: "side", image: "x" }
        ]
      }
    } as const
    world.run(world.admin.create("Pod", pod))
    world.pass(10)
    const { node, pods } = summary()
    assert.strictEqual(node.swap?.swapAvailableBytes, 4 * GI)
    assert.deepStrictEqual(
      pods.map(({ containers, podRef }) => [
        podRef.name,
        ...containers.map(({ name, swap }) => `${name} ${swap?.swapAvailableBytes} ${swap?.swapUsageBytes}`)
      ]),
      [["web", `c ${GI} 0`, "side 0 0"]]
    )
    world.close()
  })

  it("answer at once, on the kubelet's port, under the name of their Node", () => {
    const { ask, told, world } = makeFleetWorld()
    ask()
    ask("a-0", false)
    ask("b-0")
    ask("a-0", true, { path: "/nothing" })
    assert.deepStrictEqual(told(), [
      "0 200",
      `0 ${REFUSED}`,
      "0 dial tcp 10.0.0.1:10250: this API server reaches only kubelets of its own process",
      "0 404"
    ])
    world.close()
  })

  it("refuse connections while they are stopped, and time out while their machine is off", () => {
    const { ask, fault, noFault, told, world } = makeFleetWorld()
    fault({ fault: "kubelet-stop" })
    world.pass(1)
    ask()
    noFault()
    world.pass(1)
    fault({ fault: "crash" })
    world.pass(1)
    ask()
    ask("a-1")
    world.pass(29)
    assert.deepStrictEqual(told(), [`1 ${REFUSED}`, "3 200"])
    world.pass(1)
    assert.deepStrictEqual(told().slice(2), [`33 ${TIMED_OUT}`])
    world.close()
  })

  it("are unreachable while they are cut off, unless that ends in time", () => {
    const { ask, fault, noFault, told, world } = makeFleetWorld()
    fault({ fault: "partition" })
    world.pass(1)
    ask()
    world.pass(20)
    ask()
    const giveUp = ask()
    giveUp()
    world.pass(15)
    noFault()
    world.pass(40)
    assert.deepStrictEqual(told(), [`31 ${TIMED_OUT}`, "36 200"])
    world.close()
  })

  it("have the latency of their network", () => {
    const { ask, fault, told, world } = makeFleetWorld()
    fault({ fault: "latency", by: "500ms" })
    world.pass(1)
    ask()
    const giveUp = ask()
    world.pass(0.3)
    giveUp()
    world.pass(60)
    assert.deepStrictEqual(told(), ["1.5 200"])
    world.close()
  })
})
