import { noEtcd } from "@rollcall/store-etcd/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { measuredLoad } from "./load/measuredLoad.ts"
import type { Proof } from "./Proof.ts"
import { heartbeats } from "./scale/heartbeats.ts"
import { lostQuorum, quorumFaults } from "./several/lostQuorum.ts"
import { severalServers } from "./several/severalServers.ts"
import { spreadFaults, spreadOutage } from "./spread/spreadOutage.ts"

/* Proofs on API servers that share an etcd. */

class NotOneOrder extends Schema.TaggedError<NotOneOrder>()("NotOneOrder", { faults: Schema.Array(Schema.String) }) {}

export const servers: Proof = {
  about:
    "kill -9 of two API servers and of three members of their etcd in turn, NUMBER times (20): one order of all answers, each change once in each watch",
  number: 20,
  run: (kills) =>
    Effect.gen(function* () {
      if (noEtcd !== undefined) return yield* Console.log(`skipped: ${noEtcd}`)
      const report = yield* severalServers(kills, (kill) => process.stderr.write(`${kill} of ${kills}\n`))
      const { acknowledged, faults, operations, resumed, unknown, watchEvents } = report
      yield* Console.log(
        [
          `${kills} kills, ${operations} operations: ${acknowledged} swaps acknowledged, ${unknown} of unknown fate`,
          `${watchEvents} watch events, ${resumed} resumptions; faults: ${faults.length}`
        ].join("\n")
      )
      if (faults.length > 0) return yield* new NotOneOrder({ faults: [...faults] })
    })
}

class SpreadFell extends Schema.TaggedError<SpreadFell>()("SpreadFell", { faults: Schema.Array(Schema.String) }) {}

export const spread: Proof = {
  about:
    "NUMBER kubelets (1,000) in two processes, two API servers, three members of etcd: a zone cut off, and kill -9 of a member, a server and the leading manager",
  number: 1000,
  run: (nodes) =>
    Effect.gen(function* () {
      if (noEtcd !== undefined) return yield* Console.log(`skipped: ${noEtcd}`)
      const lost = Math.floor(nodes / 4)
      const shape = { nodes, lost, keepers: lost, evictionsPerSecond: Math.max(1.5, lost / 25), graceSeconds: 20 }
      const report = yield* spreadOutage(shape, (step) => process.stderr.write(`${step}\n`))
      const faults = spreadFaults(report)
      yield* Console.log(
        [
          `${nodes} nodes Ready after ${report.readySeconds.toFixed(1)} s; ${report.evicted} of ${lost} pods evicted in ${report.evictionSeconds.toFixed(1)} s`,
          `${report.acknowledged} writes acknowledged, ${report.failedWrites} failed, ${report.lostWrites.length} lost`,
          `${report.watchEvents} watch events, ${report.resumed} resumptions at the other server; false NotReady: ${report.falselyNotReady.length}`,
          [`faults: ${faults.length}`, ...faults.slice(0, 20)].join("\n  ")
        ].join("\n")
      )
      if (faults.length > 0) return yield* new SpreadFell({ faults: faults.slice(0, 20) })
    })
}

export const load: Proof = {
  about: "what NUMBER nodes (1,000) with heartbeats cost one API server and one member of etcd, over a minute",
  number: 1000,
  run: (nodes) =>
    Effect.gen(function* () {
      if (noEtcd !== undefined) return yield* Console.log(`skipped: ${noEtcd}`)
      const measured = yield* measuredLoad(nodes, 30, 60)
      const rows = Object.entries(measured).map(([name, value]) => `${name.padEnd(22)} ${value.toFixed(3)}`)
      yield* Console.log(rows.join("\n"))
    })
}

export const rollOnEtcd: Proof = {
  about: "the same as heartbeats with the cluster in etcd",
  number: 10,
  run: (minutes) => (noEtcd === undefined ? heartbeats(minutes, "etcd") : Console.log(`skipped: ${noEtcd}`))
}

class QuorumFell extends Schema.TaggedError<QuorumFell>()("QuorumFell", { faults: Schema.Array(Schema.String) }) {}

export const quorum: Proof = {
  about:
    "two of the three members of etcd are killed: writes fail in time and in words, health says so, and all recovers",
  number: 0,
  run: () =>
    Effect.gen(function* () {
      if (noEtcd !== undefined) return yield* Console.log(`skipped: ${noEtcd}`)
      const report = yield* lostQuorum
      const faults = quorumFaults(report)
      yield* Console.log(
        [
          `a write after ${report.writeSeconds.toFixed(1)} s: ${report.writeError}`,
          `/readyz ${report.readyz}, /livez ${report.livez}, a list of any age: ${report.staleItems} objects`,
          `recovered ${report.recoverySeconds.toFixed(1)} s after the members; watch events: ${report.watchEvents.join(", ")}, ${report.resumed} resumptions`,
          [`faults: ${faults.length}`, ...faults].join("\n  ")
        ].join("\n")
      )
      if (faults.length > 0) return yield* new QuorumFell({ faults: [...faults] })
    })
}
