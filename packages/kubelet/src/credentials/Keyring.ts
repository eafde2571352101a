import type { PullAccount, PullSecret } from "../images/PullCredentials.ts"
import type { DockerConfig, RegistryCredentials } from "./dockerConfig.ts"
import { addressOf, registryMatches } from "./registryMatch.ts"

/** Credentials, and where they come from. Those of the node come from neither. */
export interface TrackedCredentials extends RegistryCredentials {
  readonly secret?: PullSecret
  readonly account?: PullAccount
}

type Source = Pick<TrackedCredentials, "secret" | "account">

/** Docker Hub, whose credentials hold for all images without a registry of their own. */
const DEFAULT_REGISTRY = "index.docker.io"

const isOfDefaultRegistry = (repository: string): boolean => {
  const [first = "", ...rest] = repository.split("/")
  if (first === "") return false
  return rest.length === 0 || first === "docker.io" || first === DEFAULT_REGISTRY || !/[.:]/.test(first)
}

/** Returns the key of a registry in a docker config; undefined if it is no address. */
const keyOf = (registry: string): string | undefined => {
  const found = addressOf(registry.replace(/^https?:\/\//, ""))
  if (found === undefined) return undefined
  const { host, path, port } = found
  const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path
  return `${host}${port === "" ? "" : `:${port}`}${effective === "/" ? "" : effective}`
}

/** The content of credentials, as one text: what tells one from another. */
const hashOf = ({ password, username }: RegistryCredentials): string => JSON.stringify([username, password])

/** The credentials of one source, or of several. Upstream: pkg/credentialprovider/keyring.go, BasicDockerKeyring. */
export class Keyring {
  private readonly byKey = new Map<string, Array<TrackedCredentials>>()

  add(config: DockerConfig, source: Source = {}): void {
    for (const [registry, credentials] of config) {
      const key = keyOf(registry)
      if (key === undefined) continue
      const { secret } = source
      const tracked = secret === undefined ? source : { secret: { ...secret, hash: hashOf(credentials) } }
      this.byKey.set(key, [...(this.byKey.get(key) ?? []), { ...credentials, ...tracked }])
    }
  }

  /** Returns the credentials for a repository, those of the longest address first. */
  lookUp(repository: string): ReadonlyArray<TrackedCredentials> {
    const keys = [...this.byKey.keys()].toSorted().toReversed()
    const found = keys.filter((key) => registryMatches(key, repository)).flatMap((key) => this.byKey.get(key) ?? [])
    return found.length > 0 || !isOfDefaultRegistry(repository) ? found : (this.byKey.get(DEFAULT_REGISTRY) ?? [])
  }
}
