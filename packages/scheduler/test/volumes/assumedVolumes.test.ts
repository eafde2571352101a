import { assert, describe, it } from "@effect/vitest"
import type { PersistentVolumeClaim } from "@rollcall/api"
import { ConnectionError, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { SchedulingCache, volumeBinding } from "../../src/index.ts"
import { claimKeyOf } from "../../src/volumes/claimFacts.ts"
import { podWithClaims } from "../volumes.ts"
import { nodeNamed, type SchedulerSetup, withScheduler } from "../withScheduler.ts"
import { claimNamed, classNamed, localClass, volumeOf } from "./claims.ts"

const zones = ["a", "b"]
const numbers = [0, 1, 2, 3] as const
const keyOf = (name: string) => ({ namespace: "default", name })

/** Fails when a volume is assumed for two claims of these pods. */
const assertAssumedOnce = (cache: SchedulingCache, pods: Iterable<string>): void => {
  const claimOf = new Map<string, string>()
  for (const pod of pods) {
    for (const { claim, volume } of cache.volumes.assumed.of(pod)?.plan.bindings ?? []) {
      const name = volume.metadata.name ?? ""
      const holder = claimOf.get(name) ?? claimKeyOf(claim)
      assert.strictEqual(claimKeyOf(claim), holder, `${name} is assumed twice`)
      claimOf.set(name, holder)
    }
  }
}

describe("assumed volumes", () => {
  it("are assumed once for each volume, shared by pods that share a claim, and all released", () => {
    const step = fc.record({
      pod: fc.constantFrom("p", "q", "r", "s"),
      node: fc.constantFrom(...zones),
      claims: fc.uniqueArray(fc.constantFrom("c0", "c1", "c2", "made"), { minLength: 1, maxLength: 3 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cache = new SchedulingCache()
        for (const zone of zones) cache.setNode(nodeNamed(zone, { zone }))
        for (const each of [localClass, classNamed("disks")]) cache.setStorageClass(each.metadata.name ?? "", each)
        const claims = [
          ...["c0", "c1", "c2"].map((name) => claimNamed(name)),
          claimNamed("made", { storageClassName: "disks" })
        ]
        for (const claim of claims) cache.setClaim("default", claim.metadata.name ?? "", claim)
        for (const [index, zone] of [...zones, ...zones].entries()) {
          cache.setVolume(`v${index}`, volumeOf(`v${index}`, { zone, size: `${index + 1}Gi` }))
        }
        const placed = new Map<string, string>()
        for (const { claims: names, node, pod } of steps) {
          const info = cache.describe(podWithClaims(pod, ...names))
          const on = placed.get(pod)
          if (on !== undefined) {
            volumeBinding.unreserve(info, on, cache)
            placed.delete(pod)
          } else {
            const prepared = volumeBinding.prepare(info, cache)
            const target = cache.node(node)
            if (prepared._tag !== "Check" || target === undefined || prepared.check(target) !== undefined) continue
            volumeBinding.reserve(info, node, cache)
            placed.set(pod, node)
          }
          assertAssumedOnce(
            cache,
            ["p", "q", "r", "s"].map((name) => cache.describe(podWithClaims(name)).key)
          )
        }
        for (const [pod, node] of placed) volumeBinding.unreserve(cache.describe(podWithClaims(pod)), node, cache)
        assert.isTrue(cache.volumes.assumed.isEmpty)
      })
    )
  })
})

/** What may happen to a cluster while pods wait for their volumes. */
type Step =
  | { readonly _tag: "Pod"; readonly pod: number; readonly claims: ReadonlyArray<number> }
  | { readonly _tag: "AssignedPodDeleted"; readonly pod: number }
  | { readonly _tag: "Volume"; readonly volume: number; readonly zone: string }
  | { readonly _tag: "Bind"; readonly claim: number }
  | { readonly _tag: "GiveUp"; readonly claim: number }
  | { readonly _tag: "ClaimGone"; readonly claim: number }
  | { readonly _tag: "NodeDeleted"; readonly zone: string }
  | { readonly _tag: "Cut"; readonly writes: number }

const number = fc.constantFrom(...numbers)
const zone = fc.constantFrom(...zones)

const randomStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Pod" as const),
      pod: number,
      claims: fc.uniqueArray(number, { minLength: 1, maxLength: 2 })
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("AssignedPodDeleted" as const), pod: number }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Volume" as const), volume: number, zone }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Bind" as const), claim: number }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("GiveUp" as const), claim: number }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("ClaimGone" as const), claim: number }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("NodeDeleted" as const), zone }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Cut" as const), writes: fc.integer({ min: 1, max: 3 }) }) }
)

/** Claims 0 and 1 want volumes that there are, the others have theirs made. */
const claimFor = (index: number): PersistentVolumeClaim =>
  claimNamed(`c${index}`, { storageClassName: index < 2 ? "local" : "disks" })

/** The binder, if it has anything to do: for a volume that is the claim's, or one that it makes. */
const bind = ({ cluster }: SchedulerSetup, name: string) =>
  Effect.gen(function* () {
    const claim = yield* cluster.get("PersistentVolumeClaim", keyOf(name))
    if ((claim.spec?.volumeName ?? "") !== "") return
    const { items } = yield* cluster.list("PersistentVolume")
    let volume = items.find(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid)
    const node = claim.metadata.annotations?.["volume.kubernetes.io/selected-node"]
    if (volume === undefined && node !== undefined) {
      const { name: claimName = "", namespace = "", uid = "" } = claim.metadata
      const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", name: claimName, namespace, uid }
      volume = yield* cluster.create(
        "PersistentVolume",
        volumeOf(`made-${uid}`, { zone: node, storageClassName: "disks", more: { claimRef } })
      )
    }
    if (volume === undefined) return
    yield* cluster.update("PersistentVolumeClaim", {
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...claim.metadata.annotations, "pv.kubernetes.io/bind-completed": "yes" }
      },
      spec: { ...claim.spec, volumeName: volume.metadata.name ?? "" }
    })
  })

const runStep = (setup: SchedulerSetup, what: Step, cut: (writes: number) => void) => {
  const { addNode, cluster } = setup
  switch (what._tag) {
    case "Pod":
      return cluster.create("Pod", podWithClaims(`p${what.pod}`, ...what.claims.map((index) => `c${index}`)))
    case "AssignedPodDeleted":
      return cluster.delete("Pod", keyOf(`p${what.pod}`), { gracePeriodSeconds: 0 })
    case "Volume":
      return Effect.flatMap(
        cluster.create("PersistentVolume", volumeOf(`v${what.volume}`, { zone: what.zone })),
        (made) => cluster.updateStatus("PersistentVolume", { ...made, status: { phase: "Available" } })
      )
    case "Bind":
      return bind(setup, `c${what.claim}`)
    case "GiveUp":
      return cluster.patch("PersistentVolumeClaim", keyOf(`c${what.claim}`), "merge", {
        metadata: { annotations: { "volume.kubernetes.io/selected-node": null } }
      })
    case "ClaimGone":
      return Effect.andThen(
        cluster.delete("PersistentVolumeClaim", keyOf(`c${what.claim}`)),
        cluster.create("PersistentVolumeClaim", claimFor(what.claim))
      )
    case "NodeDeleted":
      return Effect.andThen(
        cluster.delete("Node", { name: what.zone }),
        addNode(nodeNamed(what.zone, { zone: what.zone }))
      )
    case "Cut":
      return Effect.sync(() => cut(what.writes))
  }
}

/** Each claim has a volume of its own, as the API shows it. */
const assertBoundOnce = ({ cluster }: SchedulerSetup) =>
  Effect.gen(function* () {
    const claims = (yield* cluster.list("PersistentVolumeClaim")).items
    const names = claims.flatMap(({ spec }) => ((spec?.volumeName ?? "") === "" ? [] : [spec?.volumeName]))
    assert.strictEqual(new Set(names).size, names.length, "two claims have one volume")
  })

describe("volumes of waiting pods", () => {
  it("are assumed once and dropped, whatever fails in whatever order", () => {
    const arbitrarySteps = fc.array(fc.tuple(randomStep, fc.constantFrom(0, 100, 700, 1500, 12_000)), {
      minLength: 5,
      maxLength: 40
    })
    fc.assert(
      fc.property(arbitrarySteps, (steps) => {
        let cuts = 0
        withScheduler(
          (setup) =>
            Effect.gen(function* () {
              const { addNode, cluster, scheduler } = setup
              for (const each of zones) yield* addNode(nodeNamed(each, { zone: each }))
              for (const each of [localClass, classNamed("disks")]) yield* cluster.create("StorageClass", each)
              for (const index of numbers) yield* cluster.create("PersistentVolumeClaim", claimFor(index))
              const seen = new Set<string>()
              for (const [what, pause] of steps) {
                yield* Effect.ignore(runStep(setup, what, (writes) => (cuts = writes)))
                for (const { metadata } of (yield* cluster.list("Pod")).items) seen.add(metadata.uid ?? "")
                assertAssumedOnce(scheduler.cache, seen)
                if (pause > 0) yield* Effect.sleep(pause)
                assertAssumedOnce(scheduler.cache, seen)
                yield* assertBoundOnce(setup)
              }
              cuts = 0
              yield* Effect.sleep("700 seconds")
              assertAssumedOnce(scheduler.cache, seen)
              for (const { metadata } of (yield* cluster.list("Pod")).items) {
                yield* cluster.delete("Pod", keyOf(metadata.name ?? ""), { gracePeriodSeconds: 0 })
              }
              yield* Effect.sleep("20 seconds")
              assert.isTrue(scheduler.cache.volumes.assumed.isEmpty, "an assumption stays")
              assert.deepStrictEqual([scheduler.waiting.size, scheduler.cache.watches.size], [0, 0])
              assert.deepStrictEqual([scheduler.cache.podCount, scheduler.queue.size], [0, 0])
            }),
          {},
          // Writes take their time: what was promised is not to be seen at once.
          (connection, timers) => ({
            ...connection,
            send: cancellable((request, reply) => {
              const isBinding = request.verb === "create" && request.subresource === "binding"
              const isWrite = request.verb === "update" || isBinding
              if (!isWrite) connection.send(request, reply)
              else
                timers.after(300, () => {
                  if (cuts-- > 0) reply(Result.fail(new ConnectionError({ message: "cut" })))
                  else connection.send(request, reply)
                })
            })
          })
        )
      }),
      { numRuns: 60 }
    )
  }, 60_000)
})
