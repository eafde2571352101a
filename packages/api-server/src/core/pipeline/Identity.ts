import type { UserInfo } from "../admission/Admission.ts"

/** Who is behind a connection, as authentication found. */
export interface Identity extends UserInfo {
  /** What the client calls itself: `kubelet/v1.36.0 (linux/amd64)`. */
  readonly userAgent: string
}
