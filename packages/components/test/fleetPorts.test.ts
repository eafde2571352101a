import { request as httpsRequest } from "node:https"
import { assert, describe, it } from "@effect/vitest"
import { selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import { writeMap } from "../src/commands/maps.ts"
import { faultsName } from "../src/fleet/FleetDocument.ts"
import { fleetPorts } from "../src/serving/kubelet/fleetPorts.ts"
import { Access } from "../src/serving/secure/Access.ts"
import { makeTestFleet } from "./testFleet.ts"

/** A fleet in virtual time whose nodes have ports on this machine. */
const start = Effect.gen(function* () {
  const testFleet = yield* Effect.acquireRelease(
    Effect.sync(() => makeTestFleet([{ name: "a", count: 2 }])),
    (made) => Effect.sync(() => made.close())
  )
  const fleet = testFleet.start()
  testFleet.pass(10)
  const asked: Array<string> = []
  const { certificatePem, keyPem } = selfSigned([], Date.now())
  let made = 0
  const ports = yield* fleetPorts({
    address: "127.0.0.1",
    machineNamed: fleet.machine,
    certificate: () => {
      made++
      return { key: keyPem, cert: certificatePem }
    },
    clientCa: certificatePem,
    access: new Access({
      alwaysAllowed: [],
      tokens: { reviewToken: async (token) => (token === "good" ? { user: "good", groups: [] } : undefined) },
      access: {
        reviewAccess: async ({ user }, verb, _, about) => {
          asked.push(`${user} ${verb} ${about?.node}/${about?.subresource}`)
          return { allowed: true, reason: "" }
        }
      },
      verifiesCertificates: () => false,
      now: () => 0,
      allowedTtlMs: 1000,
      deniedTtlMs: 1000,
      tokenTtlMs: 1000,
      handleError: () => {}
    }),
    allowsAnonymous: false,
    allowsAll: false,
    isFineGrained: true
  })
  yield* ports.open(["a-0", "a-1"])
  const ask = (port: number, token = "good") =>
    Effect.callback<string>((resume) => {
      const headers = { authorization: `Bearer ${token}` }
      const options = {
        host: "127.0.0.1",
        port,
        path: "/stats/summary",
        agent: false,
        rejectUnauthorized: false,
        headers
      }
      const request = httpsRequest(options, (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on("end", () => resume(Effect.succeed(`${response.statusCode} ${text}`)))
      })
      request.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(String(error.code))))
      request.end()
    })
  const portOf = (name: string) => ports.of(name)?.port ?? assert.fail(`${name} has no port`)
  return { ask, asked, made: () => made, portOf, ports, testFleet }
})

describe("the ports of a fleet's nodes", () => {
  it.live(
    "are one of each node, whose kubelet decides about callers as its own; nothing is made before they are asked",
    () =>
      Effect.gen(function* () {
        const { ask, asked, made, portOf, ports } = yield* start
        assert.strictEqual(made(), 0)
        assert.notStrictEqual(portOf("a-0"), portOf("a-1"))
        assert.strictEqual(yield* ask(portOf("a-1"), "bad"), "401 Unauthorized")
        for (const name of ["a-0", "a-1"]) assert.include(yield* ask(portOf(name)), `"nodeName": "${name}"`)
        assert.deepStrictEqual(asked, ["good get a-0/stats", "good get a-1/stats"])
        const closed = portOf("a-0")
        ports.close("a-0")
        assert.strictEqual(yield* ask(closed), "ECONNREFUSED")
        assert.isUndefined(ports.of("a-0"))
        assert.strictEqual(made(), 1)
        yield* ports.open(["a-0", "a-1"])
        assert.include(yield* ask(portOf("a-0")), `"nodeName": "a-0"`)
      }).pipe(Effect.scoped)
  )

  it.live("break off what is asked of a kubelet that is stopped", () =>
    Effect.gen(function* () {
      const { ask, portOf, testFleet } = yield* start
      const spec = JSON.stringify({ fault: "kubelet-stop", nodes: { names: ["a-0"] } })
      testFleet.run(writeMap(testFleet.admin, faultsName, { x: spec }))
      testFleet.pass(1)
      assert.strictEqual(yield* ask(portOf("a-0")), "ECONNRESET")
      assert.match(yield* ask(portOf("a-1")), /^200 /)
    }).pipe(Effect.scoped)
  )
})

describe("a fleet whose nodes have ports", () => {
  it("says where they are reached, and closes those of nodes that are taken away", () => {
    const events: Array<string> = []
    const ports = {
      open: (names: ReadonlyArray<string>) => Effect.sync(() => void events.push(`open ${names.join(" ")}`)),
      of: (name: string) => (name === "a-0" ? { address: "192.0.2.1", port: 31_000 } : undefined),
      close: (name: string) => void events.push(`close ${name}`)
    }
    const testFleet = makeTestFleet([{ name: "a", count: 2 }], { ports })
    testFleet.start()
    testFleet.pass(10)
    const shown = testFleet.run(testFleet.admin.list("Node")).items.map(({ status }) => ({
      ip: status?.addresses?.find(({ type }) => type === "InternalIP")?.address,
      port: status?.daemonEndpoints?.kubeletEndpoint?.Port
    }))
    assert.deepStrictEqual(shown[0], { ip: "192.0.2.1", port: 31_000 })
    assert.match(shown[1]?.ip ?? "", /^10\./)
    assert.strictEqual(shown[1]?.port, 10_250)
    testFleet.run(writeMap(testFleet.admin, "rollcall-fleet", { a: null }))
    testFleet.pass(1)
    assert.deepStrictEqual(events, ["open a-0 a-1", "close a-0", "close a-1", "open "])
    testFleet.close()
  })
})
