import type { KubeObject } from "../objects/Meta.ts"

const suffix = ".static.k8s.io"

/** Upstream: pkg/apis/admissionregistration/validation/static_suffix.go. */
export const staticNameWarnings = ({ metadata: { name = "" } }: KubeObject): ReadonlyArray<string> =>
  name.endsWith(suffix)
    ? [
        `metadata.name: names ending with "${suffix}" are reserved for static manifest-based configurations and cannot be managed via the API`
      ]
    : []
