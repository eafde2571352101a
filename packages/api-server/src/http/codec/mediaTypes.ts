/** Media types of bodies. Upstream: apimachinery/pkg/runtime/types.go (ContentType…). */

export const JSON_TYPE = "application/json"
export const YAML_TYPE = "application/yaml"
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf"

/** What bodies of built-in kinds may be, in the order in which refusals tell it. Custom resources know the first two. */
export const bodyTypes: ReadonlyArray<string> = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]

/** A Content-Type without its parameters; JSON where there is none. */
export const mediaTypeOf = (contentType: string | undefined): string => {
  if (contentType === undefined || contentType === "") return JSON_TYPE
  const semicolon = contentType.indexOf(";")
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
}
