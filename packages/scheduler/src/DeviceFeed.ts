import type { ResourceClaim } from "@rollcall/api"
import { type InformerHandler, Informers } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { PodDevices } from "./cache/PodDevices.ts"
import type { DeviceParts, DeviceScheduling } from "./devices/index.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"
import type { Scheduler } from "./Scheduler.ts"

let loaded: { readonly DeviceScheduling: typeof DeviceScheduling } | undefined

/**
 * Loads what schedules by devices, and the expressions that select these. A scheduler does so with the first pod that uses
 * claims; a world whose time does not wait does so before it begins.
 */
export const loadDevices: Effect.Effect<{ readonly DeviceScheduling: typeof DeviceScheduling }> = Effect.suspend(() =>
  loaded === undefined
    ? Effect.tap(
        Effect.promise(() => import("./devices/index.ts")),
        (module) => Effect.sync(() => (loaded = module))
      )
    : Effect.succeed(loaded)
)

/** A handler that updates what is known, then reports each addition and change. */
const mirror = <A>(
  set: (object: A, isDeleted: boolean) => void,
  onChanged: (before: A | undefined, object: A) => void
): InformerHandler<A> => ({
  onAdd: (object) => {
    set(object, false)
    onChanged(undefined, object)
  },
  onUpdate: (before, object) => {
    set(object, false)
    onChanged(before, object)
  },
  onDelete: (object) => set(object, true)
})

/** The handlers of informers that keep the devices up to date. */
export const deviceFeed = ({ feed }: Scheduler, devices: PodDevices) => {
  const tell = (event: SchedulingEvent) => feed.handleEvent(event)
  return {
    claims: mirror<ResourceClaim>(devices.setClaim, (before, claim) => {
      tell({ _tag: "ResourceClaimChanged", before, claim })
      feed.recheckClaims(claim.metadata.namespace ?? "")
    }),
    classes: mirror(devices.setClass, (before, deviceClass) =>
      tell({ _tag: "DeviceClassChanged", before, deviceClass })
    ),
    slices: mirror(devices.setSlice, (before, slice) => tell({ _tag: "ResourceSliceChanged", before, slice }))
  }
}

/** Starts to watch claims and devices; the pods that wait for them are tried once all are known. */
export const startDevices = Effect.fnUntraced(function* (scheduler: Scheduler, parts: DeviceParts) {
  const { DeviceScheduling } = yield* loadDevices
  const { get } = yield* Informers
  const devices = new DeviceScheduling(parts)
  const handlers = deviceFeed(scheduler, devices)
  const informers = [
    yield* get("DeviceClass", { handlers: [handlers.classes] }),
    yield* get("ResourceSlice", { handlers: [handlers.slices] }),
    yield* get("ResourceClaim", { handlers: [handlers.claims] })
  ]
  yield* Effect.all(
    informers.map(({ synced }) => synced),
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.sync(() => {
    scheduler.cache.devices = devices
    scheduler.feed.recheckClaims()
  })
})
