import type { APIService } from "@rollcall/api"
import type { Fields } from "@rollcall/api/values"
import type { Registry } from "../../core/registry/Registry.ts"

/** A version of a group that another API server serves. */
export interface RemoteVersion {
  /** That of the APIService: `v1beta1.metrics.k8s.io`. */
  readonly name: string
  readonly group: string
  readonly version: string
  readonly apiService: APIService
}

/** The entries of a version in aggregated discovery. */
export type RemoteResources = ReadonlyArray<Fields>

/** What an OpenAPI document of version 2 says of a version. */
export interface RemoteSpec {
  /** That of the whole document. */
  readonly hash: string
  readonly paths: Fields
  readonly definitions: Fields
}

/** A version as discovery shows it. */
export interface DiscoveredVersion {
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  readonly resources: RemoteResources
  readonly isStale: boolean
  /** Where its OpenAPI document is, if its API server has one. */
  readonly openApiUrl?: string | undefined
  readonly spec?: RemoteSpec | undefined
}

/** The service of an APIService, with its defaults. */
export interface RemoteService {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

const HTTPS_PORT = 443
const OPENAPI = "/openapi/v3"

export const serviceOf = ({ apiService }: RemoteVersion): RemoteService => {
  const { name = "", namespace = "", port = HTTPS_PORT } = apiService.spec?.service ?? {}
  return { name, namespace, port }
}

/** Whether requests are passed on: the condition Available is true. */
export const isAvailable = ({ apiService }: RemoteVersion): boolean =>
  apiService.status?.conditions?.some(({ status, type }) => type === "Available" && status === "True") === true

/** Whether a version of this server itself lacks the condition that it is available, which someone has taken from it. */
const lacksLocal = ({ spec, status }: APIService): boolean =>
  spec?.service === undefined &&
  status?.conditions?.some(
    ({ reason, status: value, type }) => type === "Available" && value === "True" && reason === "Local"
  ) !== true

/** The versions of APIServices with a service, which other API servers serve. */
export class RemoteVersions {
  private readonly byName = new Map<string, RemoteVersion>()

  /** `changed` is called with the name of each APIService that changes, and has or had a service, or lacks its condition. */
  constructor({ kinds }: Registry, changed: (name: string) => void) {
    const { cache } = kinds.APIService
    const update = (name: string, object: APIService | undefined) => {
      const { group = "", service, version = "" } = object?.spec ?? {}
      // The core group is always local here.
      if (object === undefined || service === undefined || group === "") this.byName.delete(name)
      else this.byName.set(name, { name, group, version, apiService: object })
    }
    cache.visit(undefined, (object) => update(object.metadata.name ?? "", object as APIService))
    cache.observe((object, previous) => {
      const name = (object ?? previous)?.metadata.name ?? ""
      const wasRemote = this.byName.has(name)
      update(name, object as APIService | undefined)
      const isChanged = wasRemote || this.byName.has(name)
      if (isChanged || (object !== undefined && lacksLocal(object as APIService))) changed(name)
    })
  }

  get isEmpty(): boolean {
    return this.byName.size === 0
  }

  get(name: string): RemoteVersion | undefined {
    return this.byName.get(name)
  }

  [Symbol.iterator](): IterableIterator<RemoteVersion> {
    return this.byName.values()
  }

  /** Returns the version that serves a path: `/apis/<group>/<version>` and what is below, and its OpenAPI document. */
  find(path: string): RemoteVersion | undefined {
    if (this.byName.size === 0) return undefined
    const place = path.startsWith(OPENAPI) ? path.slice(OPENAPI.length) : path
    if (!place.startsWith("/apis/")) return undefined
    const [, , group, version] = place.split("/", 4)
    return version === undefined || version === "" ? undefined : this.byName.get(`${version}.${group}`)
  }
}
