/** Upstream: pkg/api/pod/warnings.go. */

/** The volume plugins that Kubernetes has dropped, or will. */
const deprecatedPlugins: ReadonlyArray<readonly [field: string, since: string]> = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"]
]

/** The fields whose Go names the messages use. */
const shownFields: Readonly<Record<string, string>> = { storageos: "storageOS" }

/** Returns a warning for each deprecated plugin of a volume. */
export const pluginWarnings = (
  source: object,
  path: string,
  plugins: ReadonlyArray<readonly [field: string, since: string]> = deprecatedPlugins
): ReadonlyArray<string> =>
  plugins.flatMap(([field, since]) =>
    (source as Readonly<Record<string, unknown>>)[field] === undefined
      ? []
      : [`${path}.${shownFields[field] ?? field}: ${since}`]
  )
