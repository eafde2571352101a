import type { Release } from "@rollcall/api"
import type { ControllerManagerSettings } from "@rollcall/control-plane"

/** Returns a warning for each setting that has no effect in the release. */
export const releaseWarnings = (
  file: string,
  { name, podEviction }: Release,
  { controllerManager }: { readonly controllerManager: ControllerManagerSettings }
): ReadonlyArray<string> =>
  podEviction === "taints" && controllerManager.podEvictionTimeoutMs !== undefined
    ? [
        `${file}: --pod-eviction-timeout has no effect in ${name}, where pods leave a lost node after their own tolerationSeconds`
      ]
    : []
