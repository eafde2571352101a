import { createServer } from "node:net"
import type { KubeletAddress } from "@rollcall/api-server/http"
import { makeWireTimers } from "@rollcall/api-server/http"
import { kubeletTransportContract } from "@rollcall/api-server/testing"
import { selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { dialledTransport } from "../src/apiserver/kubelets/dialledTransport.ts"
import { fleetTransport } from "../src/fleet/fleetTransport.ts"
import { kubeletPort } from "./kubeletPort.ts"
import { makeTestFleet } from "./testFleet.ts"

/** A fleet of one node that runs the pod of the contract, in virtual time. */
const startFleet = Effect.gen(function* () {
  const testFleet = yield* Effect.acquireRelease(
    Effect.sync(() => makeTestFleet([{ name: "a", count: 1 }])),
    (fleet) => Effect.sync(() => fleet.close())
  )
  const fleet = testFleet.start()
  testFleet.pass(10)
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { nodeName: "a-0", containers: [{ name: "c", image: "x", command: ["sh", "-c", "echo hello; sleep 600"] }] }
  } as const
  testFleet.run(testFleet.admin.create("Pod", pod))
  testFleet.pass(10)
  const timers = yield* makeWireTimers
  const until = (hasHappened: () => boolean) =>
    Effect.gen(function* () {
      for (let left = 400; !hasHappened(); left--) {
        if (left === 0) assert.fail("it has not happened")
        testFleet.pass(0.01)
        yield* Effect.callback<void>((resume) => void timers.after(5, () => resume(Effect.void)))
      }
    })
  return { fleet, until, timers }
})

const address = (port: number): KubeletAddress => ({
  node: "a-0",
  host: "127.0.0.1",
  port,
  isKubelet: true,
  scheme: "https"
})

kubeletTransportContract(
  "fleetTransport",
  Effect.gen(function* () {
    const { fleet, until } = yield* startFleet
    const unreachable = { ...address(1), isKubelet: false }
    return { transport: fleetTransport(fleet.machine), kubelet: address(10_250), unreachable, until }
  })
)

/** Returns a port on which no process listens. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const found = server.address()
    const port = typeof found === "object" && found !== null ? found.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

kubeletTransportContract(
  "dialledTransport",
  Effect.gen(function* () {
    const { fleet, timers, until } = yield* startFleet
    const machine = fleet.machine("a-0") ?? assert.fail("no machine")
    const port = yield* Effect.orDie(
      kubeletPort(
        (request) => machine.kubelet.serve(request),
        { access: undefined, tokens: undefined },
        { allowsAnonymous: true, allowsAll: true }
      )
    )
    const client = selfSigned(["kube-apiserver-kubelet-client"], Date.now())
    const transport = yield* Effect.acquireRelease(
      Effect.sync(() => dialledTransport({ timers, client: () => client })),
      ({ close }) => Effect.sync(close)
    )
    return { transport, kubelet: address(port), unreachable: address(yield* freePort), until }
  })
)
