import type { IPAddress, KindName, ObjectOf, Service } from "@rollcall/api"
import { type ClusterShape, EventSeriesRecorder, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import { contained, guarded, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { AddressBook } from "./AddressBook.ts"
import { type AddressRepairs, ALLOCATOR, familyOf, MANAGED_BY, repairAddresses } from "./repairAddresses.ts"
import type { SettledAddresses } from "./SettledAddresses.ts"

const CONTROLLER = "ipallocator-repair-controller"
/** How often all Services are compared with the objects of their addresses. Upstream: pkg/controlplane/instance.go, repairLoopInterval. */
const REPAIR_PERIOD_MS = 180_000
const RETRY_MS = 1000

const addressOf = (name: string, { metadata }: Service): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: { name, labels: { "ipaddress.kubernetes.io/ip-family": familyOf(name), [MANAGED_BY]: ALLOCATOR } },
  spec: { parentRef: { resource: "services", namespace: metadata.namespace ?? "", name: metadata.name ?? "" } }
})

/** Calls `changed` with the new and the previous state at each change of an object of the kind. */
export type ObserveKind<Kind extends KindName> = <K extends Kind>(
  kind: K,
  changed: (object: ObjectOf<K> | undefined, previous: ObjectOf<K> | undefined) => void
) => void

/** The server of the Services. */
interface Server {
  readonly hostname: string
  readonly observe: ObserveKind<"Service" | "IPAddress">
  readonly settledAddresses: SettledAddresses
}

/**
 * Makes an object for each address of a new Service, deletes those of Services that are gone, and repairs what others
 * change of them. Upstream: pkg/registry/core/service/ipallocator, which writes the objects with the Service, and its
 * repair controller.
 */
export const keepServiceAddresses = Effect.fnUntraced(function* (
  timers: TimersShape,
  cluster: ClusterShape,
  { hostname, observe, settledAddresses }: Server
) {
  const changes = yield* Queue.sliding<void>(1)
  const book = new AddressBook()
  const wake = () => Queue.offerUnsafe(changes, undefined)
  observe("Service", (service, previous) => {
    book.changeService(service, previous)
    wake()
  })
  observe("IPAddress", (address, previous) => {
    book.changeAddress(address, previous)
    wake()
  })
  const reporter = { controller: CONTROLLER, instance: `${CONTROLLER}-${hostname}` }
  const recorder = yield* Effect.acquireRelease(
    Effect.sync(() => new EventSeriesRecorder(cluster.connection, timers, reporter)),
    (made) => Effect.sync(() => made.close())
  )
  const write = Effect.fnUntraced(function* ({ creates, deletes, warnings }: AddressRepairs) {
    for (const { about, action, note, reason } of warnings) recorder.record(about, "Warning", reason, action, note)
    for (const name of deletes) yield* Effect.catchIf(cluster.delete("IPAddress", { name }), isNotFound, nothing)
    for (const [name, service] of creates)
      yield* Effect.catchIf(
        Effect.asVoid(cluster.create("IPAddress", addressOf(name, service))),
        isAlreadyExists,
        nothing
      )
  })
  const readStored = Effect.gen(function* () {
    const { items: services } = yield* cluster.list("Service")
    const { items: addresses } = yield* cluster.list("IPAddress")
    book.addStored(services, addresses)
  })
  let isRead = false
  let dueMs = timers.now()
  /** Returns how long nothing is to be done. */
  const pass = Effect.gen(function* () {
    if (!isRead) yield* readStored
    isRead = true
    const nowMs = timers.now()
    const comparesAll = nowMs >= dueMs
    const changed = book.takeChanges()
    const state = book.stateAt(nowMs, changed, comparesAll)
    const repairs = repairAddresses(state)
    yield* Effect.onError(write(repairs), () => Effect.sync(() => book.giveBack(changed)))
    const nextMs = book.keep(state, repairs)
    if (comparesAll) dueMs = nowMs + REPAIR_PERIOD_MS
    return Math.max(0, Math.min(dueMs, nextMs ?? dueMs) - nowMs)
  })
  const waitAfter = (idleMs = RETRY_MS) => Queue.take(changes).pipe(Effect.timeoutOption(idleMs))
  const give = (answers: ReadonlyArray<() => void>) =>
    Effect.sync(() => {
      for (const answer of answers) guarded(timers, "answer to a write of a Service", answer)
    })
  const settle = Effect.suspend(() => {
    const answers = settledAddresses.begin()
    return Effect.ensuring(contained(timers, "service addresses", pass), give(answers))
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => settledAddresses.open(wake)),
    () => Effect.suspend(() => give(settledAddresses.close()))
  )
  yield* Effect.forkScoped(settle.pipe(Effect.flatMap(waitAfter), Effect.forever))
})

const nothing = () => Effect.void
