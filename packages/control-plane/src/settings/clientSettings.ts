import { integerValue, numberValue, setting } from "@rollcall/input"
import type { ClientLimit } from "../ClientMaker.ts"

/** How fast a component may ask; `path` is where its file has it. Upstream: component-base/config ClientConnectionConfiguration. */
export const clientSettings = (path: string, { burst, qps }: ClientLimit) => ({
  qps: setting(numberValue(), { flag: "kube-api-qps", path: `${path}.qps` }, () => qps),
  burst: setting(integerValue(), { flag: "kube-api-burst", path: `${path}.burst` }, () => burst)
})
