import type { Release } from "@rollcall/api"
import type { SettingValues } from "@rollcall/input"

/** Settings that the release has no use for: one warning each. */
export const ofAnotherRelease = (
  file: string,
  { name, podEviction }: Release,
  { controllerManager }: { readonly controllerManager: SettingValues }
): ReadonlyArray<string> =>
  podEviction === "taints" && controllerManager.podEvictionTimeoutMs !== undefined
    ? [
        `${file}: --pod-eviction-timeout has no effect in ${name}, where pods leave a lost node after their own tolerationSeconds`
      ]
    : []
