import { defaultRelease, formatTime, type Release } from "@rollcall/api"
import {
  type ClusterError,
  type ComponentLog,
  type Connection,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  noLog,
  type ProcessRecorder
} from "@rollcall/cluster"
import { fnv1a, guarded, Mulberry32, type TimersShape } from "@rollcall/time"
import { CredentialPlugins, type CredentialPluginsSetting } from "../credentials/CredentialPlugins.ts"
import type { CredentialProviders } from "../credentials/CredentialProviders.ts"
import type { CredentialMeter } from "../credentials/metrics.ts"
import type { ImageMeter } from "../images/metrics.ts"
import { PullRecords } from "../images/PullRecords.ts"
import type { FilesOfClaim, KubeletOptions } from "../Kubelet.ts"
import { type KubeletConfig, kubeletConfig } from "../KubeletConfig.ts"
import { type KubeletModel, modelUpstream } from "../KubeletModel.ts"
import type { Outcome } from "../node/Registration.ts"
import { MountedObjects } from "../references/MountedObjects.ts"
import type { HeldBy } from "../references/Reference.ts"
import { ReferenceReader } from "../references/ReferenceReader.ts"
import { TokenManager } from "../references/TokenManager.ts"
import { LifeCounts } from "../status/LifeCounts.ts"

/** The shared dependencies of the parts of one kubelet. */
export class Env {
  readonly name: string
  readonly connection: Connection
  readonly timers: TimersShape
  readonly config: KubeletConfig
  readonly model: KubeletModel
  readonly release: Release
  /** The generator of this kubelet's jitter, seeded from its name. */
  readonly random: Mulberry32
  readonly recorder: ProcessRecorder | undefined
  readonly onHeartbeatFailure: (() => void) | undefined
  readonly log: ComponentLog
  /** Receives the metrics of the node's images; absent if they are not counted. */
  readonly imageMeter: (ImageMeter & CredentialMeter) | undefined
  private readonly credentialPlugins: CredentialPluginsSetting | undefined
  private readonly heldBy: HeldBy
  readonly filesOfClaim: FilesOfClaim
  /**
   * How far the node's clock is ahead of `timers`, in milliseconds. It affects the times that are written, not periods.
   */
  clockSkewMs = 0
  readonly lifeCounts = new LifeCounts()
  private createdReferences: ReferenceReader | undefined = undefined
  private createdTokens: TokenManager | undefined = undefined
  private createdMounted: MountedObjects | undefined = undefined
  private createdRecords: PullRecords | undefined = undefined
  private createdProviders: CredentialProviders | undefined = undefined

  constructor(
    name: string,
    connection: Connection,
    timers: TimersShape,
    config: KubeletConfig,
    model: KubeletModel,
    release: Release,
    random: Mulberry32,
    recorder: ProcessRecorder | undefined,
    onHeartbeatFailure: (() => void) | undefined,
    log: ComponentLog,
    heldBy: HeldBy,
    filesOfClaim: FilesOfClaim,
    imageMeter: (ImageMeter & CredentialMeter) | undefined,
    credentialPlugins: CredentialPluginsSetting | undefined
  ) {
    this.name = name
    this.connection = connection
    this.timers = timers
    this.config = config
    this.model = model
    this.release = release
    this.random = random
    this.recorder = recorder
    this.onHeartbeatFailure = onHeartbeatFailure
    this.log = log
    this.heldBy = heldBy
    this.filesOfClaim = filesOfClaim
    this.imageMeter = imageMeter
    this.credentialPlugins = credentialPlugins
  }

  /** Reads what pods refer to; created for the first one that refers to anything. */
  get references(): ReferenceReader {
    this.createdReferences ??= new ReferenceReader(this.connection, this.timers, this.heldBy)
    return this.createdReferences
  }

  /** Who has pulled which image; created for the first that is looked for. It outlasts the process. */
  get pullRecords(): PullRecords {
    this.createdRecords ??= new PullRecords()
    return this.createdRecords
  }

  /** The plugins that have credentials for registries; undefined if there are none. */
  get credentialProviders(): CredentialProviders | undefined {
    if (this.credentialPlugins === undefined) return undefined
    const { connection, log, timers } = this
    this.createdProviders ??= new CredentialPlugins({
      ...this.credentialPlugins,
      connection,
      timers,
      log,
      tokens: () => this.tokens,
      meter: this.imageMeter
    })
    return this.createdProviders
  }

  /** The tokens of pods; created for the first one that is read. */
  get tokens(): TokenManager {
    const { connection, random } = this
    this.createdTokens ??= new TokenManager({
      connection,
      random: random.next,
      now: () => this.timers.now() + this.clockSkewMs
    })
    return this.createdTokens
  }

  /** What commands see of ConfigMaps and Secrets; created for the first one that is read. */
  get mounted(): MountedObjects {
    const { config, connection, random, references: reader, timers } = this
    const { syncFrequencyMs } = config
    this.createdMounted ??= new MountedObjects({ connection, timers, reader, random: random.next, syncFrequencyMs })
    return this.createdMounted
  }

  /** Ends the watches of objects, with the kubelet's process. */
  stopReading(): void {
    this.createdMounted?.stop()
  }

  /** Whether a log or an observer sees each request that fails. */
  get showsFailures(): boolean {
    return this.log !== noLog || this.onHeartbeatFailure !== undefined
  }

  /** Returns the time of the node's own clock, now or at another time of `timers`, as `metav1.Time`, for conditions and statuses. */
  wallTime(atMs = this.timers.now()): string {
    return formatTime(atMs + this.clockSkewMs)
  }
}

/** Returns a recorder that never throws: an exception of `recorder` is reported to the timers' error handler. */
const safeRecorder = (timers: TimersShape, recorder: ProcessRecorder): ProcessRecorder => ({
  event: (...event) => void guarded(timers, "event recorder", () => recorder.event(...event)),
  restart: () => void guarded(timers, "event recorder", () => recorder.restart?.())
})

const everywhere: HeldBy = () => true
const notKept: FilesOfClaim = () => undefined

/** Makes the shared dependencies of one kubelet. Absent options get their defaults. */
export const envOf = (timers: TimersShape, options: KubeletOptions): Env => {
  const { connection, model = modelUpstream, name, recorder, release = defaultRelease, seed = 0 } = options
  return new Env(
    name,
    connection,
    timers,
    options.config ?? kubeletConfig({}, release),
    model,
    release,
    // The multiplier is 2^32 divided by the golden ratio: adjacent seeds give unrelated generators.
    new Mulberry32(fnv1a(name) ^ Math.imul(seed, 0x9e3779b1)),
    recorder === undefined ? undefined : safeRecorder(timers, recorder),
    options.onRepeatedHeartbeatFailure,
    options.log ?? noLog,
    options.heldBy ?? everywhere,
    options.filesOfClaim ?? notKept,
    options.meter,
    options.credentialPlugins
  )
}

/** Returns the class of an error that the registration and lease loops distinguish. */
export const outcomeOf = (error: ClusterError): Outcome => {
  if (isConflict(error)) return "conflict"
  if (isNotFound(error)) return "notFound"
  if (isAlreadyExists(error)) return "alreadyExists"
  return isForbidden(error) ? "forbidden" : "error"
}
