import { assert, describe, it } from "@effect/vitest"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { makeMemoryStore, type Revision, type StoreFailure, type StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { keepServerAddress } from "../src/apiserver/kept/keepServerAddress.ts"
import { serverLeases } from "../src/apiserver/kept/serverLeases.ts"

const AT = { namespace: "default", name: "kubernetes" }

/** A store that servers share. It deletes no key by itself. */
const sharedStore = (timers: TimersShape): StoreShape => {
  const store = makeMemoryStore(timers)
  const current = (reply: (result: Result.Result<Revision, StoreFailure>) => void) =>
    reply(Result.succeed(store.revision()))
  return { ...store, current }
}

/** Starts to keep the address of a server in a scope that the caller closes. */
const start = Effect.fnUntraced(function* (
  api: ClusterShape,
  timers: TimersShape,
  store: StoreShape,
  { ip, keepsEndpoints = true, port = 6443 }: { ip: string; port?: number; keepsEndpoints?: boolean }
) {
  const scope = yield* Scope.make()
  const address = { clusterIP: "10.96.0.1", ip, port }
  yield* keepServerAddress(timers, api, address, { leases: serverLeases(store), keepsEndpoints }).pipe(
    Scope.provide(scope)
  )
  return Scope.close(scope, Exit.void)
})

const seenBy = Effect.fnUntraced(function* (api: ClusterShape) {
  const { subsets = [] } = yield* api.get("Endpoints", AT)
  const { addressType, endpoints, ports } = yield* api.get("EndpointSlice", AT)
  return {
    addresses: subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
    ports: subsets.flatMap(({ ports: each = [] }) => each.map(({ port }) => port)),
    slice: (endpoints ?? []).flatMap(({ addresses }) => addresses),
    slicePorts: (ports ?? []).map(({ port }) => port),
    addressType
  }
})

const run = <A>(
  program: (api: ClusterShape, timers: TimersShape, store: StoreShape) => Effect.Effect<A, unknown, Scope.Scope>
) => runWithApiServer((admin, timers) => program(fromConnection(admin), timers, sharedStore(timers)))

const both = (addresses: Array<string>, ports: Array<number>) => ({
  addresses,
  ports,
  slice: addresses,
  slicePorts: ports,
  addressType: "IPv4" as const
})

describe("the endpoints of the Service kubernetes", () => {
  it("hold all servers of a store that live, in order, and no longer one that stops", () => {
    const seen = run((api, timers, store) =>
      Effect.gen(function* () {
        const stopSecond = yield* start(api, timers, store, { ip: "192.0.2.20" })
        yield* Effect.sleep("1 second")
        const alone = yield* seenBy(api)
        const stopFirst = yield* start(api, timers, store, { ip: "192.0.2.10" })
        yield* Effect.sleep("1 second")
        const two = yield* seenBy(api)
        yield* stopSecond
        const one = yield* seenBy(api)
        // No pass follows.
        yield* Effect.sleep("1 minute")
        const later = yield* seenBy(api)
        yield* stopFirst
        return { alone, two, one, later, none: yield* seenBy(api) }
      })
    )
    assert.deepStrictEqual(seen, {
      alone: both(["192.0.2.20"], [6443]),
      two: both(["192.0.2.10", "192.0.2.20"], [6443]),
      one: both(["192.0.2.10"], [6443]),
      later: both(["192.0.2.10"], [6443]),
      none: both([], [])
    })
  })

  it("lose a server whose key the store has deleted, within the period", () => {
    const seen = run((api, timers, store) =>
      Effect.gen(function* () {
        const dead = serverLeases(store)
        yield* dead?.renew("192.0.2.66") ?? Effect.void
        yield* start(api, timers, store, { ip: "192.0.2.10" })
        yield* Effect.sleep("1 second")
        const before = yield* seenBy(api)
        yield* dead?.remove("192.0.2.66") ?? Effect.void
        yield* Effect.sleep("10 seconds")
        return { before: before.addresses, after: (yield* seenBy(api)).addresses }
      })
    )
    assert.deepStrictEqual(seen, { before: ["192.0.2.10", "192.0.2.66"], after: ["192.0.2.10"] })
  })

  it("keep the port of the servers that live, and have that of a server that is alone or was killed", () => {
    const ports = run((api, timers, store) =>
      Effect.gen(function* () {
        yield* start(api, timers, store, { ip: "192.0.2.10", port: 1 })
        yield* Effect.sleep("1 second")
        yield* start(api, timers, store, { ip: "192.0.2.20", port: 2 })
        yield* Effect.sleep("30 seconds")
        const joined = (yield* seenBy(api)).ports
        yield* start(api, timers, store, { ip: "192.0.2.20", port: 3 })
        yield* Effect.sleep("1 second")
        return [joined, (yield* seenBy(api)).ports]
      })
    )
    assert.deepStrictEqual(ports, [[1], [3]])
  })

  it("are made again by the other family once no server of the first lives", () => {
    const seen = run((api, timers, store) =>
      Effect.gen(function* () {
        const stop = yield* start(api, timers, store, { ip: "192.0.2.10" })
        yield* start(api, timers, store, { ip: "fd00::2" })
        yield* Effect.sleep("1 second")
        const mixed = yield* seenBy(api)
        yield* stop
        const { addressType, slice } = yield* seenBy(api)
        return { mixed: [mixed.addresses, mixed.slice], addressType, slice }
      })
    )
    assert.deepStrictEqual(seen, {
      mixed: [["192.0.2.10", "fd00::2"], ["192.0.2.10"]],
      addressType: "IPv6",
      slice: ["fd00::2"]
    })
  })

  it("are left alone on request, while the Service is kept", () => {
    const seen = run((api, timers, store) =>
      Effect.gen(function* () {
        yield* start(api, timers, store, { ip: "192.0.2.10", keepsEndpoints: false })
        yield* Effect.sleep("30 seconds")
        const service = yield* api.get("Service", AT)
        return [service.spec?.clusterIP, Exit.isFailure(yield* Effect.exit(api.get("Endpoints", AT)))]
      })
    )
    assert.deepStrictEqual(seen, ["10.96.0.1", true])
  })

  it("have no leases in a store of one server", () => {
    const leases = run((_api, timers) => Effect.succeed(serverLeases(makeMemoryStore(timers))))
    assert.isUndefined(leases)
  })
})
