import type { KubeletAnswer, KubeletRequest } from "@rollcall/api-server/http"
import type { Summary } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { writeMap } from "../src/commands/maps.ts"
import { type FleetFault, type FleetGroup, faultsName } from "../src/fleet/FleetDocument.ts"
import { fleetTransport } from "../src/fleet/fleetTransport.ts"
import { makeTestFleet } from "./testFleet.ts"

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

const startSwappingFleet = () => {
  const testFleet = makeTestFleet([group])
  const fleet = testFleet.start()
  testFleet.pass(10)
  const transport = fleetTransport(fleet.machine)
  const began = testFleet.now()
  const answers: Array<{ readonly afterSeconds: number; readonly said: string | KubeletAnswer }> = []
  const ask = (node = "a-0", isKubelet = true, given: Partial<KubeletRequest> = {}) => {
    const address = { node, host: "10.0.0.1", port: 10_250, isKubelet, scheme: "https" } as const
    return transport.send(address, { ...request, ...given }, (answer) =>
      answers.push({ afterSeconds: (testFleet.now() - began) / 1000, said: Result.merge(answer) })
    )
  }
  const answered = (): KubeletAnswer => {
    const said = answers.at(-1)?.said ?? assert.fail("no answer")
    return typeof said === "string" ? assert.fail(said) : said
  }
  const told = () =>
    answers.map(({ afterSeconds, said }) => `${afterSeconds} ${typeof said === "string" ? said : said.code}`)
  const summary = (): Summary => {
    ask()
    const said = answers.at(-1)?.said ?? assert.fail("no answer")
    return JSON.parse(typeof said === "string" ? said : String(said.body)) as Summary
  }
  const fault = (spec: Omit<FleetFault, "nodes">) =>
    testFleet.run(writeMap(testFleet.admin, faultsName, { x: JSON.stringify({ ...spec, nodes: { names: ["a-0"] } }) }))
  const noFault = () => testFleet.run(writeMap(testFleet.admin, faultsName, { x: null }))
  return { testFleet, fleet, ask, answered, told, summary, fault, noFault }
}

describe("the kubelets of a live fleet", () => {
  it("report the swap of their machines and of each container", () => {
    const { summary, testFleet } = startSwappingFleet()
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
    testFleet.run(testFleet.admin.create("Pod", pod))
    testFleet.pass(10)
    const { node, pods } = summary()
    assert.strictEqual(node.swap?.swapAvailableBytes, 4 * GI)
    assert.deepStrictEqual(
      pods.map(({ containers, podRef }) => [
        podRef.name,
        ...containers.map(({ name, swap }) => `${name} ${swap?.swapAvailableBytes} ${swap?.swapUsageBytes}`)
      ]),
      [["web", `c ${GI} 0`, "side 0 0"]]
    )
    testFleet.close()
  })

  it("answer at once, on the kubelet's port, under the name of their Node", () => {
    const { ask, told, testFleet } = startSwappingFleet()
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
    testFleet.close()
  })

  it("refuse connections while they are stopped, and time out while their machine is off", () => {
    const { ask, fault, noFault, told, testFleet } = startSwappingFleet()
    fault({ fault: "kubelet-stop" })
    testFleet.pass(1)
    ask()
    noFault()
    testFleet.pass(1)
    fault({ fault: "crash" })
    testFleet.pass(1)
    ask()
    ask("a-1")
    testFleet.pass(29)
    assert.deepStrictEqual(told(), [`1 ${REFUSED}`, "3 200"])
    testFleet.pass(1)
    assert.deepStrictEqual(told().slice(2), [`33 ${TIMED_OUT}`])
    testFleet.close()
  })

  it("are unreachable while they are cut off, unless that ends in time", () => {
    const { ask, fault, noFault, told, testFleet } = startSwappingFleet()
    fault({ fault: "partition" })
    testFleet.pass(1)
    ask()
    testFleet.pass(20)
    ask()
    const giveUp = ask()
    giveUp()
    testFleet.pass(15)
    noFault()
    testFleet.pass(40)
    assert.deepStrictEqual(told(), [`31 ${TIMED_OUT}`, "36 200"])
    testFleet.close()
  })

  it("have the latency of their network", () => {
    const { ask, fault, told, testFleet } = startSwappingFleet()
    fault({ fault: "latency", by: "500ms" })
    testFleet.pass(1)
    ask()
    const giveUp = ask()
    testFleet.pass(0.3)
    giveUp()
    testFleet.pass(60)
    assert.deepStrictEqual(told(), ["1.5 200"])
    testFleet.close()
  })

  it("hand on the end of an input, and the ports of a pod", () => {
    const { ask, answered, testFleet } = startSwappingFleet()
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: { nodeName: "a-0", containers: [{ name: "c", image: "x", command: ["sleep", "600"] }] }
    } as const
    testFleet.run(testFleet.admin.create("Pod", pod))
    testFleet.pass(10)
    const seen: Array<string> = []
    const client = {
      write: (_: 1 | 2, text: string) => void seen.push(text),
      isFull: () => false,
      end: (status: unknown) => void seen.push(JSON.stringify(status))
    }
    const query = new Map([
      ["command", ["cat"]],
      ["stdin", ["true"]]
    ])
    ask("a-0", true, { path: "/exec/default/web/c", query })
    const { body } = answered()
    if (typeof body !== "object" || !("open" in body)) return assert.fail("no stream")
    assert.deepStrictEqual(body.channels, { stdin: true, stdout: false, stderr: false, tty: false })
    const input = body.open(client)
    testFleet.pass(1)
    input.write("a\n")
    input.end()
    testFleet.pass(1)
    assert.deepStrictEqual(seen, ["a\n", "0"])
    ask("a-0", true, { path: "/portForward/default/web" })
    const ports = answered().body
    if (typeof ports !== "object" || !("connect" in ports)) return assert.fail("no ports")
    ports.connect(80).open(client)
    testFleet.pass(1)
    assert.match(seen.at(-1) ?? "", /error forwarding port 80 to pod web, /)
    testFleet.close()
  })

  it("hold the streams of their containers while they are cut off, and lose them after a while", () => {
    const { ask, fault, noFault, answered, testFleet } = startSwappingFleet()
    const command = ["sh", "-c", "echo 1; sleep 30; echo 2; sleep 60; echo 3; sleep 600"]
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: { nodeName: "a-0", containers: [{ name: "c", image: "x", command }] }
    } as const
    testFleet.run(testFleet.admin.create("Pod", pod))
    testFleet.pass(10)
    ask("a-0", true, { path: "/containerLogs/default/web/c", query: new Map([["follow", ["true"]]]) })
    const { body } = answered()
    if (typeof body !== "object" || !("open" in body)) return assert.fail("no stream")
    const seen: Array<string> = []
    body.open({
      write: (_, text) => void seen.push(text.trim()),
      isFull: () => false,
      end: (status) => void seen.push(JSON.stringify(status))
    })
    assert.deepStrictEqual(seen, ["1"])
    fault({ fault: "partition" })
    testFleet.pass(30)
    assert.deepStrictEqual(seen, ["1"], "the second line waits")
    noFault()
    testFleet.pass(1)
    assert.deepStrictEqual(seen, ["1", "2"])
    fault({ fault: "partition" })
    testFleet.pass(50)
    noFault()
    testFleet.pass(60)
    assert.deepStrictEqual(seen, ["1", "2", '{"error":"http2: client connection lost"}'])
    testFleet.close()
  })
})
