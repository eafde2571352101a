import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ResourceClaim } from "@rollcall/api"
import { readRegularText, TextFileError } from "@rollcall/files"
import {
  type DeviceDriver,
  DeviceDrivers,
  type DeviceHealth,
  type DriverDone,
  type HealthCheckpoint,
  type HealthListener,
  type PreparedDevice
} from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { DRAPlugin } from "../generated/dra_pb.ts"
import { DRAPlugin as DRAPluginV1beta1 } from "../generated/drav1beta1_pb.ts"
import { type PluginInfo, Registration } from "../generated/pluginregistration_pb.ts"
import { asked, clientOf, PluginFailed } from "./call.ts"
import { followHealth } from "./deviceHealth.ts"

/** The services that a kubelet can call, the newest first. Upstream: servicesSupportedByKubelet. */
const services = { "v1.DRAPlugin": DRAPlugin, "v1beta1.DRAPlugin": DRAPluginV1beta1 } as const
type Service = keyof typeof services
const isService = (name: string): name is Service => Object.hasOwn(services, name)
/** Upstream: defaultClientCallTimeout of pkg/kubelet/cm/dra/plugin. */
const CALL_TIMEOUT_MS = 45_000
const INFO_TIMEOUT_MS = 10_000

/** A driver that has registered, by the socket that said so. */
interface Registered {
  /** Changes when another process makes the socket again. */
  readonly made: string
  readonly driver:
    | (DeviceDriver & { readonly name: string; readonly endpoint: string; readonly close: () => void })
    | undefined
  /** Why it is not registered. */
  readonly problem?: string
}

/** Why a plugin is no driver that the kubelet can call; undefined if it is. */
const refusalOf = ({ endpoint, name, supportedVersions, type }: PluginInfo): string | undefined => {
  if (type !== "DRAPlugin") return `no handler registered for plugin type: ${type} at socket ${endpoint}`
  if (name === "") return "DRA driver name is empty"
  const invalid = `invalid supported gRPC versions of DRA driver plugin ${name} at endpoint ${endpoint}: `
  if (supportedVersions.length === 0) return `${invalid}empty list of supported gRPC services (aka supported versions)`
  const quoted = (names: ReadonlyArray<string>) => `[${names.map((one) => JSON.stringify(one)).join(" ")}]`
  return supportedVersions.some(isService)
    ? undefined
    : `${invalid}none of services supported by the plugin (${quoted(supportedVersions)}) are supported by the kubelet (${quoted(Object.keys(services))})`
}

interface ClaimAnswer {
  readonly error: string
  readonly devices?: ReadonlyArray<PreparedDevice>
}

/** Why a claim was not dealt with; undefined if it was. */
const problemOf = (answer: ClaimAnswer | undefined, verb: string): string | undefined => {
  if (answer === undefined) return `${verb} skipped 1 ResourceClaims`
  return answer.error === "" ? undefined : answer.error
}

type RunFork = <A>(effect: Effect.Effect<A>) => unknown

/** The driver that listens on a socket. */
const driverAt = (
  name: string,
  service: Service,
  endpoint: string,
  runFork: RunFork
): NonNullable<Registered["driver"]> => {
  const { client, session } = clientOf<typeof DRAPlugin | typeof DRAPluginV1beta1>(services[service], endpoint)
  const options = { timeoutMs: CALL_TIMEOUT_MS }
  const calling =
    (
      verb: string,
      call: (claim: { namespace: string; uid: string; name: string }) => Promise<Readonly<Record<string, ClaimAnswer>>>
    ) =>
    ({ metadata: { name: claimName = "", namespace = "", uid = "" } }: ResourceClaim, done: DriverDone) => {
      const answered = asked(() => call({ namespace, uid, name: claimName })).pipe(
        Effect.match({
          onFailure: ({ message }) => done(`${verb}: ${message}`),
          onSuccess: (claims) => done(problemOf(claims[uid], verb), claims[uid]?.devices)
        })
      )
      runFork(Effect.andThen(Effect.yieldNow, answered))
    }
  return {
    name,
    endpoint,
    prepare: calling("NodePrepareResources", (claim) =>
      client.nodePrepareResources({ claims: [claim] }, options).then(({ claims }) =>
        Object.fromEntries(
          Object.entries(claims).map(([uid, { devices, error }]) => [
            uid,
            {
              error,
              devices: devices.map(({ cdiDeviceIds, deviceName, poolName, requestNames, shareId }) => ({
                requestNames,
                poolName,
                deviceName,
                cdiDeviceIDs: cdiDeviceIds,
                ...(shareId === undefined ? {} : { shareID: shareId })
              }))
            }
          ])
        )
      )
    ),
    unprepare: calling("NodeUnprepareResources", (claim) =>
      client.nodeUnprepareResources({ claims: [claim] }, options).then(({ claims }) => claims)
    ),
    close: () => session.abort()
  }
}

/** Asks the plugin at a socket what it is, and tells it whether it is accepted. */
const greet = (path: string, runFork: RunFork) =>
  Effect.acquireUseRelease(
    Effect.sync(() => clientOf(Registration, path)),
    ({ client }) =>
      Effect.gen(function* () {
        const info = yield* asked(() => client.getInfo({}, { timeoutMs: INFO_TIMEOUT_MS }))
        const error = refusalOf({ ...info, endpoint: path }) ?? ""
        const answer = { pluginRegistered: error === "", error }
        yield* asked(() => client.notifyRegistrationStatus(answer, { timeoutMs: INFO_TIMEOUT_MS }))
        if (error !== "") return yield* new PluginFailed({ message: error })
        const service = info.supportedVersions.find(isService) ?? "v1.DRAPlugin"
        return driverAt(info.name, service, info.endpoint === "" ? path : info.endpoint, runFork)
      }),
    ({ session }) => Effect.sync(() => session.abort())
  )

/** Hands what drivers report of their devices to listeners, what they reported last to a new one. */
const healthReports = () => {
  const last = new Map<string, ReadonlyArray<DeviceHealth>>()
  const listeners: Array<HealthListener> = []
  return {
    report: (driver: string, devices: ReadonlyArray<DeviceHealth> | undefined) => {
      if (devices === undefined) last.delete(driver)
      else last.set(driver, devices)
      for (const listener of listeners) listener(driver, devices)
    },
    listen: (listener: HealthListener) => {
      listeners.push(listener)
      for (const [driver, devices] of last) listener(driver, devices)
    }
  }
}

/** The sockets in a folder, and what changes when one is made again. */
const socketsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.isSocket() === true ? [[path, `${found.ino} ${found.ctimeMs}`] as const] : []
    })
  )

/** Upstream: stateFileDirectory of pkg/kubelet/cm/dra/manager.go. */
const HEALTH_STATE = "dra_health_state"
const MAX_HEALTH_BYTES = 16 << 20

const healthCheckpointIn = (rootDir: string, isClosing: () => boolean): HealthCheckpoint => {
  const file = join(rootDir, HEALTH_STATE)
  return {
    read: () => {
      try {
        return readRegularText(file, MAX_HEALTH_BYTES)
      } catch (error) {
        if (error instanceof TextFileError && error.reason === "missing") return undefined
        throw error
      }
    },
    write: (text) => {
      if (isClosing()) return
      writeFileSync(`${file}.tmp`, text)
      renameSync(`${file}.tmp`, file)
    }
  }
}

/**
 * The drivers of devices that register below a kubelet's `--root-dir`, in `plugins_registry`, which is read every second.
 * Upstream: pkg/kubelet/pluginmanager, pkg/kubelet/cm/dra/plugin.
 */
export const layerDraDrivers = (rootDir: string): Layer.Layer<DeviceDrivers> =>
  Layer.effect(
    DeviceDrivers,
    Effect.gen(function* () {
      const folder = join(rootDir, "plugins_registry")
      const known = new Map<string, Registered>()
      // A plugin that does not answer keeps no other one waiting.
      const meetings = yield* FiberMap.make<string>()
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const reports = healthReports()
      const watches = yield* FiberMap.make<string>()
      const forget = (path: string) => {
        runFork(FiberMap.remove(watches, path))
        known.get(path)?.driver?.close()
        known.delete(path)
      }
      let isClosing = false
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          // The end of the reports is that of this process, not of the drivers.
          isClosing = true
          for (const path of [...known.keys()]) forget(path)
        })
      )
      const meet = Effect.fnUntraced(function* (path: string, made: string) {
        const before = known.get(path)?.problem
        forget(path)
        yield* greet(path, runFork).pipe(
          Effect.tap((driver) => {
            known.set(path, { made, driver })
            const follow = followHealth(driver.endpoint, (devices) => reports.report(driver.name, devices))
            return FiberMap.run(watches, path, follow)
          }),
          Effect.catch(({ message }) => {
            // It is asked again with the next look: its server may start after its socket is made.
            known.set(path, { made: "", driver: undefined, problem: message })
            const logged = Effect.logError("Failed to register plugin")
            return message === before ? Effect.void : Effect.annotateLogs(logged, { err: message, path })
          })
        )
      })
      const look = Effect.gen(function* () {
        const sockets = socketsIn(folder)
        for (const path of [...known.keys()]) if (!sockets.has(path)) forget(path)
        for (const [path, made] of sockets) {
          if (known.get(path)?.made !== made)
            yield* FiberMap.run(meetings, path, meet(path, made), { onlyIfMissing: true })
        }
      })
      mkdirSync(folder, { recursive: true, mode: 0o750 })
      yield* Effect.forkScoped(
        look.pipe(
          Effect.catchDefect((error) =>
            Effect.logError("Failed to look for plugins").pipe(Effect.annotateLogs({ err: String(error), folder }))
          ),
          Effect.repeat(Schedule.spaced("1 second"))
        )
      )
      return {
        healthCheckpoint: healthCheckpointIn(rootDir, () => isClosing),
        of: (_, driver) => [...known.values()].find((each) => each.driver?.name === driver)?.driver,
        watchHealth: (_, listener) =>
          runFork(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => reports.listen(listener))
            )
          )
      }
    })
  )
