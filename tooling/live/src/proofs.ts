import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attackAll, attackLine } from "./attacks/attackAll.ts"
import { type Damage, faultsOf } from "./attacks/runAttack.ts"
import { clockJumps } from "./clock/clockJumps.ts"
import { fakeTimeLibrary } from "./clock/fakeClock.ts"
import { crowd } from "./crowd/crowd.ts"
import { type DamageReport, damagedStores } from "./damage/damagedStore.ts"
import { damages } from "./damage/damages.ts"
import { fullDisk } from "./disk/fullDisk.ts"
import { failover, fullFailover } from "./failover/failover.ts"
import { distribution } from "./figures.ts"
import { idleWatches } from "./idle/idleWatches.ts"
import { killRounds } from "./kill/rounds.ts"
import { tableOfFindings } from "./linux/machineFacts.ts"
import { thisMachine } from "./linux/thisMachine.ts"
import { mistakesTable } from "./mistakes/mistakesTable.ts"
import { playMistakes } from "./mistakes/playMistakes.ts"
import { tableOf } from "./outage/compare.ts"
import { outageRehearsedAndLive } from "./outage/rehearsedAndLive.ts"
import { fullOutage } from "./outage/scenario.ts"
import type { Proof } from "./Proof.ts"
import { kubectlVersion } from "./process/kubectl.ts"
import { gates } from "./scale/gates.ts"
import { heartbeats } from "./scale/heartbeats.ts"
import { load, quorum, rollOnEtcd, servers, spread } from "./severalProofs.ts"
import { outcomeOf, playTraces } from "./traces/playTraces.ts"

class MachineDiffers extends Schema.TaggedError<MachineDiffers>()("MachineDiffers", { about: Schema.String }) {}

class TracesDiffer extends Schema.TaggedError<TracesDiffer>()("TracesDiffer", { names: Schema.Array(Schema.String) }) {}

class WrongEvictions extends Schema.TaggedError<WrongEvictions>()("WrongEvictions", {
  pods: Schema.Array(Schema.String)
}) {}

class OutagesDiffer extends Schema.TaggedError<OutagesDiffer>()("OutagesDiffer", {}) {}

const kill: Proof = {
  about: "kill -9 of the API server at random events under a mixed load, NUMBER times (200)",
  number: 200,
  run: (rounds) =>
    Effect.gen(function* () {
      const report = yield* killRounds(rounds, (round) => {
        if (round % 20 === 0) process.stderr.write(`${round} of ${rounds}\n`)
      })
      const { acknowledged, relists, startMs, watchEvents, whileStarting } = report
      yield* Console.log(
        [
          `${rounds} kills, ${whileStarting} more while starting: ${acknowledged} acknowledged writes, none lost; no revision used twice`,
          `${watchEvents} watch events over all restarts, ${relists} watches restarted after 410 Gone`,
          `exec to /readyz: ${distribution(startMs)}`
        ].join("\n")
      )
    })
}

const roll: Proof = {
  about: "5,000 nodes that renew their Leases every 10 s, for NUMBER minutes (10): no false NotReady, no missed event",
  number: 10,
  run: (minutes) => heartbeats(minutes, "folder")
}

const scale: Proof = {
  about: "KWOK's gates: NUMBER nodes (5,000) Ready, twice as many pods Running on one of them, and deleted",
  number: 5000,
  run: (nodes) => Effect.asVoid(gates(nodes, 2 * nodes))
}

const outage: Proof = {
  about:
    "a zone outage rehearsed, and live in three processes: the same nodes, pods and order, times within NUMBER seconds (1)",
  number: 1,
  run: (tolerance) =>
    Effect.gen(function* () {
      const comparison = yield* outageRehearsedAndLive(fullOutage, 2)
      const { agrees, inOneRun, largestSeconds, rows, runs, swapped } = comparison
      yield* Console.log(tableOf(comparison))
      yield* Console.log(
        `${rows.length} events; in one run only: ${inOneRun.length}; in a different order: ${swapped.length}; largest difference ${largestSeconds.toFixed(2)} s; run ${runs === 1 ? "once" : `${runs} times`}`
      )
      if (!agrees || largestSeconds > tolerance) return yield* new OutagesDiffer()
    })
}

const takeOver: Proof = {
  about: "kill -9 of the leading controller manager of two in mid-outage, with a Lease of NUMBER seconds (15)",
  number: fullFailover.leaseSeconds,
  run: (leaseSeconds) =>
    Effect.gen(function* () {
      const report = yield* failover({ ...fullFailover, leaseSeconds })
      const { after, before, notEvicted, leaders, tookMs, wronglyEvicted } = report
      yield* Console.log(
        [
          `${leaders[0]} was killed after ${before.length} evictions; ${leaders[1]} leads ${(tookMs / 1000).toFixed(1)} s later`,
          `${after.length} more pods evicted; not evicted: ${notEvicted.length}; evicted twice or wrongly: ${wronglyEvicted.length}`
        ].join("\n")
      )
      if (notEvicted.length + wronglyEvicted.length > 0)
        return yield* new WrongEvictions({ pods: [...notEvicted, ...wronglyEvicted] })
    })
}

const disk: Proof = {
  about: "a full disk: errors are clear, reads work, nothing is damaged; needs root for a small tmpfs",
  number: 0,
  run: () => Effect.flatMap(fullDisk, (report) => Console.log(report ?? "skipped: this user may not mount a tmpfs"))
}

const clients: Proof = {
  about: "NUMBER clients (1,000) that write concurrently, each over its own connection: only 2xx, 409 and 429",
  number: 1000,
  run: (count) => Effect.flatMap(crowd(count, 30), (report) => Console.log(report))
}

const linux: Proof = {
  about: "this machine, registered by a kubelet: its Node compared with the machine's own commands",
  number: 0,
  run: () =>
    Effect.gen(function* () {
      const { findings, node } = yield* thisMachine
      yield* Console.log(`node/${node.metadata.name}\n\n${tableOfFindings(findings)}`)
      const wrong = findings.filter(({ same }) => !same).map(({ about }) => about)
      if (wrong.length > 0) return yield* new MachineDiffers({ about: wrong.join(", ") })
    })
}

class WatchesCut extends Schema.TaggedError<WatchesCut>()("WatchesCut", { count: Schema.Finite }) {}

const mistaken: Proof = {
  about:
    "kubelet, controller manager and scheduler with a wrong token, server, name, certificate and clock: their symptoms",
  number: 0,
  run: () => Effect.flatMap(playMistakes, ({ symptoms }) => Console.log(mistakesTable(symptoms)))
}

const idle: Proof = {
  about: "100 watches over HTTP/2, and kubectl's, that are idle for NUMBER minutes (10) and then receive one object",
  number: 10,
  run: (minutes) =>
    Effect.gen(function* () {
      const report = yield* idleWatches(minutes, 100)
      yield* Console.log(
        `${report.watches} watches were idle for ${report.minutes} min: ${report.cut} cut; kubectl ${kubectlVersion ?? "is not installed"}: ${report.kubectl ?? "-"}`
      )
      if (report.cut > 0 || report.kubectl === "cut") return yield* new WatchesCut({ count: report.cut })
    })
}

class UnreportedLoss extends Schema.TaggedError<UnreportedLoss>()("UnreportedLoss", {
  damages: Schema.Array(Schema.String)
}) {}

const damage: Proof = {
  about:
    "the store of a killed server, truncated, damaged, removed or replaced by an older copy: no acknowledged write is lost unreported",
  number: 0,
  run: () =>
    Effect.gen(function* () {
      const reports = yield* damagedStores(damages, (report) => process.stdout.write(`${damageLine(report)}\n`))
      const wrong = reports.filter(({ isRight }) => !isRight).map(({ name }) => name)
      yield* Console.log(`${reports.length - wrong.length} of ${reports.length} damages were reported or harmless`)
      if (wrong.length > 0) return yield* new UnreportedLoss({ damages: wrong })
    })
}

const damageLine = ({ acknowledged, isRight, message, missing, missingAccepted, name }: DamageReport): string =>
  [
    `${isRight ? "ok  " : "LOST"}  ${name}:`,
    missing === undefined ? "refused" : `started, ${missing} of ${acknowledged} missing`,
    ...(missing === undefined
      ? [`with the loss accepted ${missingAccepted === undefined ? "refused too" : `${missingAccepted} missing`}`]
      : []),
    ...(message === "" ? [] : [`\n      ${message.replaceAll("\n", "\n      ")}`])
  ].join(" ")

class ClockJumpFailed extends Schema.TaggedError<ClockJumpFailed>()("ClockJumpFailed", {}) {}

const clock: Proof = {
  about:
    "a cluster whose clock jumps by NUMBER days (400), forwards and backwards, while it runs and over a restart; needs libfaketime",
  number: 400,
  run: (days) =>
    Effect.gen(function* () {
      const library = fakeTimeLibrary()
      if (library === undefined) return yield* Console.log("skipped: libfaketime is not installed")
      let isSane = true
      yield* clockJumps(library, [days, -days], ({ days, findings, when }) => {
        isSane &&= findings.every(([, holds]) => holds)
        const text = findings.map(([what, holds]) => `${holds ? "" : "WRONG "}${what}`).join("; ")
        process.stdout.write(`${days > 0 ? "+" : ""}${days} days, ${when}: ${text}\n`)
      })
      if (!isSane) return yield* new ClockJumpFailed()
    })
}

class ServerFell extends Schema.TaggedError<ServerFell>()("ServerFell", { attacks: Schema.Array(Schema.String) }) {}

class NoSuchAttack extends Schema.TaggedError<NoSuchAttack>()("NoSuchAttack", { names: Schema.Array(Schema.String) }) {}

const NODES = 1000
/** No request may hold the event loop for longer. */
const STALL_LIMIT_MS = 250

/** Proofs whose argument is a name, not a number. */
export const proofsOf = {
  attacks: {
    about:
      "all attacks on the API server and on the port of a kubelet, or those whose names begin so: stalls of /livez, memory, and the Leases of 1,000 nodes meanwhile",
    run: (only: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const onDamage = (damage: Damage, number: number, count: number) =>
          process.stdout.write(`${String(number).padStart(2)}/${count} ${attackLine(damage)}\n`)
        const damages = yield* attackAll({ nodes: NODES, scale: 1, only, onDamage })
        if (damages.length === 0) return yield* new NoSuchAttack({ names: only })
        const stallOf = ({ observation }: Damage) => observation.longestStallMs
        const fell = damages.filter((damage) => faultsOf(damage).length > 0).map(({ name }) => name)
        const slow = damages.filter((damage) => stallOf(damage) > STALL_LIMIT_MS).map(({ name }) => name)
        const longest = Math.round(Math.max(...damages.map(stallOf)))
        yield* Console.log(
          `${damages.length - fell.length} of ${damages.length} attacks held; longest stall ${longest} ms, ${slow.length} above ${STALL_LIMIT_MS} ms`
        )
        if (fell.length + slow.length > 0) return yield* new ServerFell({ attacks: [...new Set([...fell, ...slow])] })
      })
  },
  traces: {
    about:
      "the recordings of FOLDER, played live by their own driver: in agreement with what the genuine controllers did",
    run: (folder: string) =>
      Effect.gen(function* () {
        const all = yield* playTraces(folder, ({ driver, report }) => process.stdout.write(`${driver}${report}`))
        const { differ, summary, varying } = outcomeOf(all)
        yield* Console.log(summary)
        if (differ.length + varying.length > 0) return yield* new TracesDiffer({ names: [...differ, ...varying] })
      })
  }
} as const

/** The proofs on a live cluster, by command; the test suite runs shorter forms. */
export const proofs: Readonly<Record<string, Proof>> = {
  linux,
  outage,
  failover: takeOver,
  kill,
  disk,
  clients,
  heartbeats: roll,
  "heartbeats-etcd": rollOnEtcd,
  gates: scale,
  servers,
  quorum,
  spread,
  load,
  idle,
  damage,
  clock,
  mistakes: mistaken
}
