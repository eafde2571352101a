import { type APIService, type EndpointSlice, formatTime, type Service } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { Call } from "../call/Call.ts"
import {
  type RemoteResources,
  type RemoteSpec,
  type RemoteVersion,
  type RemoteVersions,
  serviceOf
} from "../request/RemoteVersions.ts"
import { failedCheck, type Judgement, local, objectsFault, passed, withAvailable } from "./availability.ts"
import { type ProxyCertificate, RemoteClient } from "./RemoteClient.ts"
import { readOpenApiUrl, readResources, readSpec } from "./remoteDiscovery.ts"
import { serveRemote } from "./serveRemote.ts"

/** How long a check may take. Upstream: remote_available_controller.go. */
const CHECK_TIMEOUT_MS = 5_000
/** Upstream: kube-aggregator/pkg/apiserver/apiserver.go, the resync of the controller. */
const RECHECK_MS = 30_000

const aggregator = { user: "system:kube-aggregator", groups: ["system:masters"] }

/** The server's own client, of which RBAC asks nothing. */
const OWN_CLIENT = { user: "system:apiserver", groups: ["system:masters"], userAgent: "kube-apiserver" }

export interface AggregationOptions {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  readonly now: () => number
  readonly versions: RemoteVersions
  readonly certificate: () => ProxyCertificate | undefined
  /** Called when discovery has changed. */
  readonly changed: () => void
}

/** What a version serves, as far as its API server told. */
interface Known {
  readonly resources: RemoteResources
  readonly isStale: boolean
  readonly openApiUrl?: string | undefined
  readonly spec?: RemoteSpec | undefined
}

/** Returns what differs if what is known does; the hash of a spec stands for it. */
const shownOf = (known: Known | undefined): string => JSON.stringify({ ...known, spec: known?.spec?.hash })

/** Of a version whose API server cannot be asked. */
const stale: Known = { resources: [], isStale: true }

/**
 * Passes requests on to the API servers of APIServices, checks whether these answer, and reads what they serve. Upstream:
 * kube-aggregator/pkg/{apiserver,controllers/status/remote}.
 */
export class Aggregation {
  private readonly options: AggregationOptions
  private readonly client: RemoteClient
  private readonly known = new Map<string, Known>()
  private readonly retries = new Retries<string>()
  /** The next checks by the name of the APIService. */
  private readonly planned = new Map<string, Timer>()
  /** The checks that run, and whether something has changed since they began. */
  private readonly checking = new Map<string, { isOutdated: boolean }>()

  constructor(options: AggregationOptions) {
    this.options = options
    this.client = new RemoteClient(options.server.registry, options.timers, options.certificate)
    const { kinds } = options.server.registry
    kinds.Service.cache.observe((object, previous) => {
      const { name, namespace } = (object ?? previous)?.metadata ?? {}
      this.checkThoseOf(namespace, name)
    })
    kinds.EndpointSlice.cache.observe((object, previous) => {
      const { labels, namespace } = (object ?? previous)?.metadata ?? {}
      this.checkThoseOf(namespace, labels?.["kubernetes.io/service-name"])
    })
    for (const { name } of options.versions) this.changed(name)
  }

  serve(call: Call, version: RemoteVersion): void {
    serveRemote(call, version, this.client)
  }

  /** Returns what a version serves; stale if its API server cannot be asked. */
  resourcesOf(name: string): Known {
    return this.known.get(name) ?? stale
  }

  /** Called after each change of an APIService that has or had a service. */
  changed(name: string): void {
    if (this.options.versions.get(name) === undefined) {
      this.known.delete(name)
      this.retries.forget(name)
      this.cancel(name)
      this.client.forget(name)
      this.options.changed()
      const { cache } = this.options.server.registry.kinds.APIService
      const apiService = cache.get("", name)?.object as APIService | undefined
      if (apiService !== undefined) this.options.timers.soon(() => this.write(apiService, local))
    } else this.checkAfter(name, 0)
  }

  private checkThoseOf(namespace: string | undefined, service: string | undefined): void {
    for (const version of this.options.versions) {
      const wanted = serviceOf(version)
      if (wanted.namespace === namespace && wanted.name === service) this.checkAfter(version.name, 0)
    }
  }

  private cancel(name: string): void {
    const { timers } = this.options
    const planned = this.planned.get(name)
    if (planned !== undefined) timers.cancel(planned)
    this.planned.delete(name)
  }

  private checkAfter(name: string, ms: number): void {
    const { timers } = this.options
    this.cancel(name)
    const check = () => {
      this.planned.delete(name)
      guarded(timers, "APIService", () => this.check(name), { name })
    }
    this.planned.set(name, timers.after(ms, check))
  }

  private check(name: string) {
    const version = this.options.versions.get(name)
    if (version === undefined) return
    const running = this.checking.get(name)
    if (running !== undefined) {
      running.isOutdated = true
      return
    }
    const check = { isOutdated: false }
    this.checking.set(name, check)
    const finish = (judgement: Judgement) => {
      this.checking.delete(name)
      this.judge(name, judgement)
      if (check.isOutdated) this.checkAfter(name, 0)
    }
    try {
      const fault = objectsFault(version.apiService, this.backingOf(version))
      if (fault === undefined) this.ask(version, finish)
      else finish(fault)
    } catch (error) {
      this.checking.delete(name)
      this.checkAfter(name, RECHECK_MS)
      throw error
    }
  }

  private backingOf(version: RemoteVersion) {
    const { kinds } = this.options.server.registry
    const { name, namespace } = serviceOf(version)
    const slices: Array<EndpointSlice> = []
    kinds.EndpointSlice.cache.visit(namespace, (object) => {
      if (object.metadata.labels?.["kubernetes.io/service-name"] === name) slices.push(object as EndpointSlice)
    })
    return { service: kinds.Service.cache.get(namespace, name)?.object as Service | undefined, slices }
  }

  /** Asks the API server of a version for what it must serve. */
  private ask(version: RemoteVersion, done: (judgement: Judgement) => void) {
    const path = `/apis/${version.group}/${version.version}`
    const address = this.client.addressOf(version)
    if (Result.isFailure(address)) return done(failedCheck(address.failure))
    const { host, port } = address.success
    const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}${path}`
    this.client.read(version, { path, user: aggregator }, CHECK_TIMEOUT_MS, (result) => {
      const prefix = `failing or missing response from ${url}: `
      if (Result.isFailure(result)) return done(failedCheck(`${prefix}${result.failure}`))
      const { code } = result.success
      done(code >= 200 && code < 300 ? passed : failedCheck(`${prefix}bad status from ${url}: ${code}`))
    })
  }

  private judge(name: string, judgement: Judgement) {
    const { timers, versions } = this.options
    const version = versions.get(name)
    if (version === undefined) return
    const isAvailable = judgement.status === "True"
    // What the objects of the cluster say changes with them.
    const isRetried = judgement.reason === "FailedDiscoveryCheck"
    if (!isRetried) this.retries.forget(name)
    // Planned first: an error in what follows does not end the checks.
    this.checkAfter(name, isRetried ? Math.min(this.retries.nextMs(name, timers.now()), RECHECK_MS) : RECHECK_MS)
    this.write(version.apiService, judgement)
    if (!isAvailable) return this.learn(name, stale)
    readResources(this.client, version, (resources) => {
      if (resources === undefined) return this.learn(name, stale)
      readOpenApiUrl(this.client, version, (openApiUrl) =>
        readSpec(this.client, version, (spec) => this.learn(name, { resources, isStale: false, openApiUrl, spec }))
      )
    })
  }

  /** Records what a version serves. */
  private learn(name: string, next: Known): void {
    if (this.options.versions.get(name) === undefined) return
    const before = this.known.get(name)
    this.known.set(name, next)
    if (shownOf(before) !== shownOf(next)) this.options.changed()
  }

  private write(apiService: APIService, judgement: Judgement): void {
    const { now, server } = this.options
    const next = withAvailable(apiService, judgement, formatTime(now()))
    if (next === apiService) return
    const name = apiService.metadata.name ?? ""
    const request = { verb: "update", kind: "APIService", name, subresource: "status", object: next } as const
    // A conflict is followed by the check of the newer APIService.
    server.connect(OWN_CLIENT).send(request, () => {})
  }
}
