import { DeviceDrivers, type DeviceDriversShape } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

const RESET_MS = 20_000

/** Drivers that reset the devices of a claim, which takes 20 s, before a pod can use them. */
export default defineLayers(
  Layer.effect(
    DeviceDrivers,
    Effect.map(Timers, (timers): DeviceDriversShape => {
      const readyMs = new Map<string, number>()
      return {
        of: (node, driver) => {
          const key = (uid = "") => `${node}/${driver}/${uid}`
          return {
            prepare: ({ metadata: { uid } }, done) => {
              const at = readyMs.get(key(uid)) ?? timers.now() + RESET_MS
              readyMs.set(key(uid), at)
              timers.at(at, () => done())
            },
            unprepare: ({ metadata: { uid } }, done) => {
              readyMs.delete(key(uid))
              done()
            }
          }
        }
      }
    })
  )
)
