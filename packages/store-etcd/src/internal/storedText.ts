/** Returns the resourceVersion that an object of Kubernetes says it has; undefined if it says none. */
const versionOf = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return undefined
  const { metadata } = value
  if (typeof metadata !== "object" || metadata === null || !("resourceVersion" in metadata)) return undefined
  return typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : undefined
}

/**
 * Returns the text that etcd keeps for a value whose JSON is `json`: without the resourceVersion in its metadata, which is
 * that of the state before. Upstream: storage/api_object_versioner.go, PrepareObjectForStorage.
 */
export const storedText = (value: unknown, json: string): string => {
  const version = versionOf(value)
  if (version === undefined) return json
  const field = `"resourceVersion":${JSON.stringify(version)}`
  const start = json.indexOf(field)
  // Quotes within a text are escaped, so that the only such field is that of the metadata.
  if (start < 0 || json.indexOf(field, start + 1) >= 0) return serializedAgain(value as WithVersion)
  const end = start + field.length
  if (json[end] === ",") return json.slice(0, start) + json.slice(end + 1)
  return json.slice(0, json[start - 1] === "," ? start - 1 : start) + json.slice(end)
}

interface WithVersion {
  readonly metadata: { readonly resourceVersion: string }
}

const serializedAgain = (value: WithVersion): string =>
  JSON.stringify({ ...value, metadata: { ...value.metadata, resourceVersion: undefined } })
