import type { Pod } from "@rollcall/api"

/** One pod as a manifest on the node's own disk, or on a web server, has it. */
export interface StaticPodManifest {
  /** The file it stands in, or its address. */
  readonly source: string
  readonly kind: "file" | "http"
  /** As it is written there: the node adds its name, and what is missing. */
  readonly pod: Pod
}
