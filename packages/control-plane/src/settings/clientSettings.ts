import { integerValue, numberValue, setting } from "@rollcall/input"
import type { ClientLimit } from "../ClientMaker.ts"

/**
 * Returns the settings of a component's client rate limit; `path` is their field in its file. Upstream:
 * component-base/config ClientConnectionConfiguration.
 */
export const clientSettings = (path: string, { burst, qps }: ClientLimit) => ({
  qps: setting(numberValue(), { flag: "kube-api-qps", path: `${path}.qps` }, () => qps),
  burst: setting(integerValue(), { flag: "kube-api-burst", path: `${path}.burst` }, () => burst)
})
