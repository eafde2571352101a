import { assert, describe } from "@effect/vitest"
import { Timers, type TimersShape } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Link } from "../link/Link.ts"
import { Links } from "../link/Links.ts"
import { TestClient, TestServer } from "./TestServer.ts"

/** Options of `linkContract`. */
export interface LinkContractOptions {
  /** The names of two machines whose links are tested; for a layer whose links depend on the machine. */
  readonly machines?: readonly [string, string]
}

/** What each test gets: a server, and two links to it with their clients. */
interface LinkSetup {
  readonly link: Link
  /** The link of another machine, from the same service, and its client. */
  readonly otherLink: Link
  readonly other: TestClient
  readonly server: TestServer
  readonly client: TestClient
  readonly timers: TimersShape
}

type TestWithLink = (title: string, body: (setup: LinkSetup) => Effect.Effect<void>) => void

/** Longer than the timeout of any client or watch. */
const LONG = "10 minutes"
/** Shorter than any client's timeout: a link that recovers by then has lost nothing. */
const SHORT = "2 seconds"

const setUp = ([name, otherName]: readonly [string, string]) =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const links = yield* Links
    const server = new TestServer()
    const link = links.of(name, server.connection)
    const otherLink = links.of(otherName, server.connection)
    const setup: LinkSetup = {
      link,
      otherLink,
      other: new TestClient(otherLink.connection),
      server,
      client: new TestClient(link.connection),
      timers
    }
    return setup
  })

/** The objects that the tests request, and the server's answers. */
const names = ["a", "b", "c", "d"]
const served = names.map((name) => `${name} is there`)

const requests = (withLink: TestWithLink) => {
  withLink("arrive in order, and are each answered once", ({ client, server }) =>
    Effect.gen(function* () {
      for (const name of names) client.get(name)
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(server.requested, names)
      assert.deepStrictEqual(client.answers, served)
    })
  )

  withLink("wait while the link is cut, and go through in order when it recovers soon", ({ client, link, server }) =>
    Effect.gen(function* () {
      link.setCut(true)
      for (const name of names) client.get(name)
      yield* Effect.sleep(SHORT)
      assert.deepStrictEqual(server.requested, [])
      assert.deepStrictEqual(client.answers, [])
      link.setCut(false)
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(server.requested, names)
      assert.deepStrictEqual(client.answers, served)
    })
  )

  withLink("fail once where the link stays cut, and never arrive", ({ client, link, server }) =>
    Effect.gen(function* () {
      link.setCut(true)
      for (const name of names) client.get(name)
      yield* Effect.sleep(LONG)
      const failed = names.map((name) => `${name}: ConnectionError`)
      assert.deepStrictEqual(client.answers, failed)
      link.setCut(false)
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(server.requested, [])
      assert.deepStrictEqual(client.answers, failed)
      client.get("e")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.answers.slice(failed.length), ["e is there"], "a mended link carries requests")
    })
  )

  withLink("fail where every packet is lost, until none is", ({ client, link, server }) =>
    Effect.gen(function* () {
      link.setLoss(1)
      client.get("a")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(server.requested, [])
      assert.deepStrictEqual(client.answers, ["a: ConnectionError"])
      link.setLoss(0)
      client.get("b")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.answers.slice(1), ["b is there"])
    })
  )

  withLink("take at least the latency that was set, and keep their order", ({ client, link, server, timers }) =>
    Effect.gen(function* () {
      link.setLatency(600)
      const sentMs = timers.now()
      for (const name of names) client.get(name)
      while (client.answers.length < names.length && timers.now() - sentMs < 60_000) yield* Effect.sleep("10 millis")
      assert.isAtLeast(timers.now() - sentMs, 600)
      assert.deepStrictEqual(server.requested, names)
      assert.deepStrictEqual(client.answers, served)
    })
  )

  withLink("are not answered after they were cancelled, whatever the link does", ({ client, link }) =>
    Effect.gen(function* () {
      link.setLatency(600)
      client.get("a")()
      link.setCut(true)
      client.get("b")()
      yield* Effect.sleep(SHORT)
      link.setCut(false)
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.answers, [])
    })
  )
}

const watches = (withLink: TestWithLink) => {
  withLink("receive everything in order, and how the server ended them", ({ client, server }) =>
    Effect.gen(function* () {
      client.watch()
      yield* Effect.sleep(LONG)
      server.emit("a", "b")
      server.emit("c")
      yield* Effect.sleep(LONG)
      server.endWatches()
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.received, ["a", "b", "c", "end"])
    })
  )

  withLink(
    "receive nothing while the link is cut, and have missed nothing when it recovers soon",
    ({ client, link, server }) =>
      Effect.gen(function* () {
        client.watch()
        yield* Effect.sleep(LONG)
        server.emit("a")
        yield* Effect.sleep(LONG)
        link.setCut(true)
        server.emit("b")
        server.emit("c")
        yield* Effect.sleep(SHORT)
        assert.deepStrictEqual(client.received, ["a"])
        link.setCut(false)
        server.emit("d")
        yield* Effect.sleep(LONG)
        assert.deepStrictEqual(client.received, ["a", "b", "c", "d"])
      })
  )

  withLink("end with an error once where the link stays cut, and end on the server too", (setup) =>
    Effect.gen(function* () {
      const { client, link, server } = setup
      client.watch()
      yield* Effect.sleep(LONG)
      link.setCut(true)
      server.emit("a")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.received, ["ConnectionError"])
      assert.strictEqual(server.watches.size, 0)
      link.setCut(false)
      server.emit("b")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.received, ["ConnectionError"])
    })
  )

  withLink("keep their order while the latency changes", ({ client, link, server }) =>
    Effect.gen(function* () {
      client.watch()
      yield* Effect.sleep(LONG)
      link.setLatency(2_000)
      server.emit("a")
      server.emit("b")
      link.setLatency(0)
      server.emit("c")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.received, ["a", "b", "c"])
    })
  )

  withLink("receive nothing after the client has ended them, and end on the server", ({ client, link, server }) =>
    Effect.gen(function* () {
      const end = client.watch()
      yield* Effect.sleep(LONG)
      link.setLatency(1_000)
      server.emit("a")
      end()
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(client.received, [])
      assert.strictEqual(server.watches.size, 0)
    })
  )
}

const exchanges = (withLink: TestWithLink) => {
  const TIMEOUT_MS = 30_000
  /** Sends a request over the link, to which the other side gives these answers, one after the other. */
  const exchange = (link: Link, received: Array<string>, ...answers: ReadonlyArray<string>) =>
    link.exchange<string>(
      TIMEOUT_MS,
      (answer) => {
        for (const each of answers) answer(each)
      },
      (answer) => void received.push(answer),
      "lost"
    )

  withLink("are answered once, with the first answer", ({ link }) =>
    Effect.gen(function* () {
      const received: Array<string> = []
      exchange(link, received, "yes", "again")
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(received, ["yes"])
    })
  )

  withLink("are lost where no answer comes, or the link stays cut, no sooner than the time-out", (setup) =>
    Effect.gen(function* () {
      const { link } = setup
      const received: Array<string> = []
      exchange(link, received)
      link.setCut(true)
      exchange(link, received, "yes")
      yield* Effect.sleep(TIMEOUT_MS - 1)
      assert.deepStrictEqual(received, [])
      yield* Effect.sleep(LONG)
      link.setCut(false)
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(received, ["lost", "lost"])
    })
  )

  withLink("are not answered after they were cancelled", ({ link }) =>
    Effect.gen(function* () {
      const received: Array<string> = []
      link.setLatency(500)
      exchange(link, received, "yes")()
      exchange(link, received)()
      yield* Effect.sleep(LONG)
      assert.deepStrictEqual(received, [])
    })
  )
}

/**
 * Registers the tests that every implementation of the Links port must pass, in a vitest file. They run in virtual
 * time, and the layer is built again for each test. A link may be slow and lossy by itself, as long as it keeps order
 * and delivers within two seconds.
 */
export const linkContract = <E>(
  name: string,
  layer: Layer.Layer<Links, E, Timers>,
  { machines = ["node-1", "node-2"] }: LinkContractOptions = {}
): void => {
  const withLink: TestWithLink = (title, body) =>
    itInVirtualTime(title, Effect.flatMap(setUp(machines), body).pipe(Effect.provide(Layer.fresh(layer))))
  describe(`${name}: requests`, () => requests(withLink))
  describe(`${name}: watches`, () => watches(withLink))
  describe(`${name}: exchanges`, () => exchanges(withLink))
  describe(`${name}: machines`, () => {
    withLink("have links of their own", ({ client, link, other, otherLink }) =>
      Effect.gen(function* () {
        link.setCut(true)
        otherLink.setLatency(0)
        client.get("a")
        other.get("b")
        yield* Effect.sleep(LONG)
        assert.deepStrictEqual(client.answers, ["a: ConnectionError"])
        assert.deepStrictEqual(other.answers, ["b is there"])
      })
    )
  })
}
