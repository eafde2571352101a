import type { Pod } from "@rollcall/api"

/** One pod from a manifest on the node's disk, or on a web server. */
export interface StaticPodManifest {
  /** The file of the manifest, or its URL. */
  readonly source: string
  readonly kind: "file" | "http"
  /** As written in the manifest: the node adds its name, and defaults. */
  readonly pod: Pod
}
