import type { Pod, ResourceClaim } from "@rollcall/api"
import type { ComponentLog, Connection } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AllocatedResource } from "../runtime/PodRuntime.ts"
import { claimNames, driversOf, notRegistered, refusalOf } from "./claimChecks.ts"
import {
  type ContainerClaimDevices,
  claimedDevices,
  claimsOfContainer,
  devicesOf,
  type PreparedClaim
} from "./claimedDevices.ts"
import type { DeviceDriver, DeviceDriversShape, DriverDone, PreparedDevice } from "./DeviceDriver.ts"
import { DeviceReports } from "./DeviceReports.ts"

/** The delay before a failed step is repeated. Upstream: backOffPeriod, workerBackOffPeriodJitterFactor of pkg/kubelet. */
const BACK_OFF_MS = 10_000
const JITTER = 0.5

/** What the claims of one node's pods need. */
export interface ClaimManagerParts {
  readonly node: string
  readonly connection: Connection
  readonly timers: TimersShape
  readonly log: ComponentLog
  readonly drivers: DeviceDriversShape
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number
  /** Whether the kubelet's process runs: only then it asks and prepares. */
  readonly isRunning: () => boolean
  /** Whether the status of pods shows what drivers say about devices. */
  readonly showsMessages: boolean
  /** Called when the devices of pods are otherwise than before. */
  readonly devicesChanged: () => void
}

/** A claim that is prepared on the node, or is about to be. */
interface ClaimInfo extends PreparedClaim {
  readonly pods: Set<string>
  readonly devices: Map<string, ReadonlyArray<PreparedDevice>>
  isPrepared: boolean
}

type Step = (driver: DeviceDriver, claim: ResourceClaim, done: DriverDone, name: string) => void

const uidOf = ({ metadata }: Pod | ResourceClaim): string => metadata.uid ?? ""

/**
 * Prepares the claims of pods through the drivers of the node before a pod's sandbox is made, and unprepares them after its
 * containers have stopped. Upstream: pkg/kubelet/cm/dra/manager.go.
 */
export class ClaimManager {
  private readonly parts: ClaimManagerParts
  private readonly claims = new Map<string, ClaimInfo>()
  /** The pods whose claims are being prepared or unprepared; each has the timer of its next try. */
  private readonly waiting = new Map<string, { timer: Timer | undefined }>()

  private readonly reports: DeviceReports

  constructor(parts: ClaimManagerParts) {
    this.parts = parts
    const { devicesChanged, drivers, isRunning, log, node, timers } = parts
    this.reports = new DeviceReports({
      node,
      drivers,
      log,
      timers,
      isPrepared: (driver, { deviceName, poolName }) =>
        [...this.claims.values()].some((info) =>
          devicesOf(info).some(
            ([of, device]) => of === driver && device.poolName === poolName && device.deviceName === deviceName
          )
        ),
      changed: () => {
        if (isRunning()) devicesChanged()
      }
    })
  }

  /** Prepares the pod's claims, again and again until it succeeds, then calls `start`. */
  prepare(pod: Pod, warn: (reason: string, message: string) => void, start: () => void): void {
    this.repeat(
      pod,
      start,
      (done) =>
        this.fetchClaims(pod, (found) => {
          const problem = typeof found === "string" ? found : this.missingDriver(found)
          if (problem === undefined && typeof found !== "string") this.prepareEach(pod, found, done)
          else done(problem)
        }),
      (problem) =>
        warn(
          "FailedPrepareDynamicResources",
          `Failed to prepare dynamic resources: prepare dynamic resources: ${problem}`
        )
    )
  }

  /**
   * Stops to prepare, or to unprepare, a pod's claims, and calls `then` later. Returns false, and calls nothing, if that is not
   * in progress.
   */
  cancel(pod: Pod, then: () => void): boolean {
    const isWaiting = this.forget(pod)
    if (isWaiting) this.parts.timers.after(0, then)
    return isWaiting
  }

  /** Returns the devices of the claims of a container, and how their drivers say they are. */
  deviceHealth(pod: Pod, container: string): ReadonlyArray<AllocatedResource> {
    const { showsMessages } = this.parts
    return claimedDevices(pod, container, this.preparedFor(pod), (driver, device) => {
      const { health, message = "" } = this.reports.healthOf(driver, device)
      return showsMessages ? { health, message } : { health }
    })
  }

  /** Returns the claims of a container with all their devices. */
  claimsOf(pod: Pod, container: string): ReadonlyArray<ContainerClaimDevices> {
    return claimsOfContainer(pod, container, this.preparedFor(pod))
  }

  private preparedFor({ metadata: { namespace } }: Pod) {
    return (name: string): PreparedClaim | undefined =>
      [...this.claims.values()].find(
        ({ claim: { metadata }, isPrepared }) =>
          isPrepared && metadata.name === name && metadata.namespace === namespace
      )
  }

  private forget(pod: Pod): boolean {
    const waits = this.waiting.get(uidOf(pod))
    if (waits?.timer !== undefined) this.parts.timers.cancel(waits.timer)
    return this.waiting.delete(uidOf(pod))
  }

  /** Unprepares the claims that only this pod uses, again and again until it succeeds, then calls `then`. */
  unprepare(pod: Pod, then: () => void): void {
    this.forget(pod)
    const uid = uidOf(pod)
    this.repeat(pod, then, (done) => {
      const own = [...this.claims.values()].filter(({ pods }) => pods.has(uid))
      for (const { pods } of own) if (pods.size > 1) pods.delete(uid)
      const last = own.filter(({ pods }) => pods.has(uid)).map(({ claim }) => claim)
      const undo: Step = (driver, claim, undone) => driver.unprepare(claim, undone)
      this.eachDriver(last, undo, "NodeUnprepareResources", (problem) => {
        if (problem === undefined) for (const claim of last) this.claims.delete(uidOf(claim))
        done(problem)
      })
    })
  }

  /** Forgets everything, because the machine lost power. */
  clear(): void {
    for (const { timer } of this.waiting.values()) if (timer !== undefined) this.parts.timers.cancel(timer)
    this.waiting.clear()
    this.claims.clear()
  }

  /** Tries until `attempt` is done without a problem, unless the pod is cancelled. */
  private repeat(
    pod: Pod,
    then: () => void,
    attempt: (done: DriverDone) => void,
    failed: (problem: string) => void = () => undefined
  ): void {
    const { isRunning, random, timers } = this.parts
    const waits: { timer: Timer | undefined } = { timer: undefined }
    this.waiting.set(uidOf(pod), waits)
    const again = () => (waits.timer = timers.after(BACK_OFF_MS * (1 + JITTER * random()), next))
    const next = (): void => {
      waits.timer = undefined
      if (!isRunning()) {
        again()
        return
      }
      attempt((problem) => {
        if (this.waiting.get(uidOf(pod)) !== waits) return
        if (problem === undefined) {
          this.waiting.delete(uidOf(pod))
          then()
          return
        }
        failed(problem)
        again()
      })
    }
    next()
  }

  /** Gets the pod's claims from the API, in order; or passes why the pod must not use one. */
  private fetchClaims(pod: Pod, done: (found: ReadonlyArray<ResourceClaim> | string) => void): void {
    const { namespace = "" } = pod.metadata
    const names = claimNames(pod)
    const found: Array<ResourceClaim> = []
    const fetch = (index: number): void => {
      const named = typeof names === "string" ? undefined : names[index]
      if (named === undefined) {
        done(typeof names === "string" ? names : found)
        return
      }
      const { isGenerated, name } = named
      this.parts.connection.send({ verb: "get", kind: "ResourceClaim", name, namespace }, (answer) => {
        const problem = Result.isFailure(answer)
          ? `fetch ResourceClaim ${name}: ${answer.failure.message}`
          : refusalOf(pod, answer.success as ResourceClaim, isGenerated)
        if (problem !== undefined) {
          done(problem)
          return
        }
        found.push(Result.getOrThrow(answer) as ResourceClaim)
        fetch(index + 1)
      })
    }
    fetch(0)
  }

  private missingDriver(claims: ReadonlyArray<ResourceClaim>): string | undefined {
    const { drivers, node } = this.parts
    const missing = claims.flatMap(driversOf).find((driver) => drivers.of(node, driver) === undefined)
    return missing === undefined ? undefined : notRegistered(missing)
  }

  private prepareEach(pod: Pod, claims: ReadonlyArray<ResourceClaim>, done: DriverDone): void {
    for (const claim of claims) {
      const { name } = claim.metadata
      const old = [...this.claims.values()].find(
        (info) => info.claim.metadata.name === name && info.claim.metadata.namespace === claim.metadata.namespace
      )
      if (old !== undefined && uidOf(old.claim) !== uidOf(claim)) {
        const before = `different UID ${uidOf(old.claim)} still exists (previous pod force-deleted?!)`
        done(`old ResourceClaim with same name ${name} and ${before}`)
        return
      }
      const info = this.claims.get(uidOf(claim)) ?? { claim, pods: new Set(), devices: new Map(), isPrepared: false }
      info.pods.add(uidOf(pod))
      this.claims.set(uidOf(claim), info)
    }
    const unprepared = claims.filter((claim) => this.claims.get(uidOf(claim))?.isPrepared !== true)
    const act: Step = (driver, claim, prepared, name) =>
      driver.prepare(claim, (problem, devices) => {
        if (devices !== undefined) this.claims.get(uidOf(claim))?.devices.set(name, devices)
        prepared(problem)
      })
    this.eachDriver(unprepared, act, "NodePrepareResources", (problem) => {
      for (const claim of problem === undefined ? unprepared : []) {
        const info = this.claims.get(uidOf(claim))
        if (info !== undefined) info.isPrepared = true
      }
      done(problem)
    })
  }

  /** Lets each driver of each claim act, one after the other, until one fails. */
  private eachDriver(claims: ReadonlyArray<ResourceClaim>, act: Step, verb: string, done: DriverDone): void {
    const { drivers, node } = this.parts
    const calls = claims.flatMap((claim) => driversOf(claim).map((driver) => ({ claim, driver })))
    const next = (index: number): void => {
      const call = calls[index]
      if (call === undefined) {
        done()
        return
      }
      const driver = drivers.of(node, call.driver)
      if (driver === undefined) {
        done(notRegistered(call.driver))
        return
      }
      const acted: DriverDone = (problem) => {
        if (problem === undefined) next(index + 1)
        // A problem with the call itself names it.
        else
          done(
            problem.startsWith(verb)
              ? problem
              : `${verb} failed for ResourceClaim ${call.claim.metadata.name}: ${problem}`
          )
      }
      act(driver, call.claim, acted, call.driver)
    }
    next(0)
  }
}
