import type { Volume } from "../objects/Volume.ts"
import { goQuote } from "../validation/goFormat.ts"
import { pluginWarnings } from "./plugins.ts"
import { claimSpecWarnings } from "./storage.ts"

/** Upstream: pkg/api/pod/warnings.go. */

export const volumeWarnings = (volumes: ReadonlyArray<Volume> = [], path: string): ReadonlyArray<string> =>
  volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`
    const template = (volume.ephemeral as EphemeralSource | undefined)?.volumeClaimTemplate
    return [
      ...pluginWarnings(volume, at),
      ...(template === undefined ? [] : claimSpecWarnings(template.spec, `${at}.ephemeral.volumeClaimTemplate.spec`))
    ]
  })

interface EphemeralSource {
  readonly volumeClaimTemplate?: { readonly spec?: ClaimSpec }
}
type ClaimSpec = Parameters<typeof claimSpecWarnings>[0]

/** A path in a volume, and what puts a file there. */
interface FilePath {
  readonly path: string
  readonly source: string
}

const shownPath = ({ path, source }: FilePath): string =>
  source === "" ? goQuote(path) : `${goQuote(path)} (${source})`

const pathsOf = (items: ReadonlyArray<{ readonly path?: string }> = [], source: string): ReadonlyArray<FilePath> =>
  items.map(({ path = "" }) => ({ path, source }))

const overlap = (left: FilePath, right: FilePath): boolean =>
  left.path !== "" && (`${left.path}/`.startsWith(`${right.path}/`) || `${right.path}/`.startsWith(`${left.path}/`))

/** Returns the pairs of files that are in each other's way; `files` come in groups of one source. */
const collisions = (groups: ReadonlyArray<ReadonlyArray<FilePath>>): ReadonlyArray<string> => {
  const earlier: Array<FilePath> = []
  const found: Array<string> = []
  for (const { path, source } of groups.flat()) {
    const file = { path: path.replace(/\/+$/, ""), source }
    if (file.path !== "") {
      for (const other of earlier) if (overlap(other, file)) found.push(`${shownPath(file)} with ${shownPath(other)}`)
    }
    earlier.push(file)
  }
  return found
}

interface Projection {
  readonly configMap?: { readonly name?: string; readonly items?: ReadonlyArray<{ readonly path?: string }> }
  readonly secret?: { readonly name?: string; readonly items?: ReadonlyArray<{ readonly path?: string }> }
  readonly downwardAPI?: { readonly items?: ReadonlyArray<{ readonly path?: string }> }
  readonly serviceAccountToken?: { readonly path?: string }
  readonly clusterTrustBundle?: { readonly path?: string; readonly name?: string; readonly signerName?: string }
  readonly podCertificate?: {
    readonly certificateChainPath?: string
    readonly keyPath?: string
    readonly credentialBundlePath?: string
  }
}

const projectedPaths = (source: Projection): ReadonlyArray<FilePath> => {
  const { clusterTrustBundle: bundle, configMap, downwardAPI, podCertificate, secret, serviceAccountToken } = source
  if (configMap?.items) return pathsOf(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`)
  if (secret?.items) return pathsOf(secret.items, `Secret ${goQuote(secret.name ?? "")}`)
  if (downwardAPI?.items) return pathsOf(downwardAPI.items, "DownwardAPI")
  if (serviceAccountToken) return pathsOf([serviceAccountToken], "ServiceAccountToken")
  if (bundle) return pathsOf([bundle], `ClusterTrustBundle ${goQuote(bundle.name ?? bundle.signerName ?? "")}`)
  const { certificateChainPath = "", credentialBundlePath = "", keyPath = "" } = podCertificate ?? {}
  return [
    { path: certificateChainPath, source: "PodCertificate chain" },
    { path: keyPath, source: "PodCertificate key" },
    { path: credentialBundlePath, source: "PodCertificate credential bundle" }
  ].filter(({ path }) => path !== "")
}

/** Returns a warning for each two files of a volume of which one hides the other. */
export const overlapWarnings = (volumes: ReadonlyArray<Volume> = []): ReadonlyArray<string> =>
  volumes.flatMap(({ configMap, downwardAPI, name, projected, secret }) => {
    const warn = (what: string, groups: ReadonlyArray<ReadonlyArray<FilePath>>) =>
      collisions(groups).map((pair) => `volume ${goQuote(name)} (${what}): overlapping paths: ${pair}`)
    const sources = (projected?.sources ?? []) as ReadonlyArray<Projection>
    return [
      ...warn(`ConfigMap ${goQuote(configMap?.name ?? "")}`, [pathsOf(configMap?.items, "")]),
      ...warn(`Secret ${goQuote(secret?.secretName ?? "")}`, [pathsOf(secret?.items, "")]),
      ...warn("DownwardAPI", [pathsOf(downwardAPI?.items as ReadonlyArray<{ path?: string }> | undefined, "")]),
      ...sources
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${goQuote(name)} (Projected) has no sources provided`),
      ...warn("Projected", sources.map(projectedPaths))
    ]
  })
