import type { TimersShape } from "@rollcall/time"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { Call } from "../call/Call.ts"
import { sendText } from "../call/respond.ts"
import { type DiscoveredVersion, type RemoteVersion, RemoteVersions } from "../request/RemoteVersions.ts"
import type { Aggregation } from "./Aggregation.ts"
import type { ProxyCertificate } from "./RemoteClient.ts"

export interface AggregatorOptions {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** Returns the time of the cluster, which may run faster than `timers`. */
  readonly now: () => number
  /** The certificate of this server for other API servers; without one they cannot trust the users that it names. */
  readonly certificate?: () => ProxyCertificate | undefined
  /** Called when discovery has changed. */
  readonly changed: () => void
}

/**
 * Serves versions that other API servers implement. What asks them loads with the first APIService that has a service.
 */
export class Aggregator {
  private readonly versions: RemoteVersions
  private readonly options: AggregatorOptions
  private aggregation: Aggregation | undefined
  private loading: Promise<void> | undefined

  constructor(options: AggregatorOptions) {
    this.options = options
    this.versions = new RemoteVersions(options.server.registry, (name) => {
      if (this.aggregation === undefined) void this.load().then(() => this.aggregation?.changed(name))
      else this.aggregation.changed(name)
      options.changed()
    })
    if (!this.versions.isEmpty) void this.load()
  }

  /** Whether all versions are this server's. */
  get isIdle(): boolean {
    return this.versions.isEmpty
  }

  /** Returns the version of another API server that serves a path; undefined if this one does. */
  find(path: string): RemoteVersion | undefined {
    return this.versions.find(path)
  }

  /** Answers a call that another API server serves. */
  serve(call: Call, version: RemoteVersion) {
    if (this.aggregation !== undefined) return this.aggregation.serve(call, version)
    void this.load().then(() =>
      call.guard(() => {
        if (this.aggregation === undefined) sendText(call, 503, "service unavailable\n")
        else this.aggregation.serve(call, version)
      })
    )
  }

  /** Returns the versions that other API servers serve. */
  discovered(): ReadonlyArray<DiscoveredVersion> {
    return [...this.versions].map(({ apiService, group, name, version }) => ({
      group,
      version,
      groupPriority: apiService.spec?.groupPriorityMinimum ?? 0,
      versionPriority: apiService.spec?.versionPriority ?? 0,
      ...(this.aggregation?.resourcesOf(name) ?? { resources: [], isStale: true })
    }))
  }

  private load(): Promise<void> {
    const { certificate = () => undefined, changed, now, server, timers } = this.options
    this.loading ??= import("./Aggregation.ts").then(
      (module) => {
        this.aggregation = new module.Aggregation({
          server,
          timers,
          now,
          versions: this.versions,
          certificate,
          changed
        })
      },
      (error: unknown) => {
        this.loading = undefined
        timers.handleError("aggregation", error)
      }
    )
    return this.loading
  }
}
