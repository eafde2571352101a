import type { IPAddress, Service } from "@rollcall/api"
import { type ClusterShape, EventSeriesRecorder, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import { contained, guarded, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { ALLOCATOR, familyOf, MANAGED_BY, noMemory, repairAddresses } from "./repairAddresses.ts"
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

/** The server of the Services. */
interface Server {
  readonly hostname: string
  readonly observe: (kind: "Service" | "IPAddress", changed: () => void) => void
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
  for (const kind of ["Service", "IPAddress"] as const) observe(kind, () => Queue.offerUnsafe(changes, undefined))
  const reporter = { controller: CONTROLLER, instance: `${CONTROLLER}-${hostname}` }
  const recorder = yield* Effect.acquireRelease(
    Effect.sync(() => new EventSeriesRecorder(cluster.connection, timers, reporter)),
    (made) => Effect.sync(() => made.close())
  )
  let memory = noMemory
  let dueMs = timers.now()
  /** Returns how long nothing is to be done. */
  const pass = Effect.gen(function* () {
    const { items: services } = yield* cluster.list("Service")
    const { items: addresses } = yield* cluster.list("IPAddress")
    const nowMs = timers.now()
    const comparesAll = nowMs >= dueMs
    const repairs = repairAddresses({ services, addresses, memory, nowMs, comparesAll })
    for (const { about, action, note, reason } of repairs.warnings)
      recorder.record(about, "Warning", reason, action, note)
    for (const name of repairs.deletes)
      yield* Effect.catchIf(cluster.delete("IPAddress", { name }), isNotFound, nothing)
    for (const [name, service] of repairs.creates)
      yield* Effect.catchIf(
        Effect.asVoid(cluster.create("IPAddress", addressOf(name, service))),
        isAlreadyExists,
        nothing
      )
    memory = repairs.memory
    if (comparesAll) dueMs = nowMs + REPAIR_PERIOD_MS
    return Math.max(0, Math.min(dueMs, repairs.nextMs ?? dueMs) - nowMs)
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
    Effect.sync(() => settledAddresses.open(() => Queue.offerUnsafe(changes, undefined))),
    () => Effect.suspend(() => give(settledAddresses.close()))
  )
  yield* Effect.forkScoped(settle.pipe(Effect.flatMap(waitAfter), Effect.forever))
})

const nothing = () => Effect.void
