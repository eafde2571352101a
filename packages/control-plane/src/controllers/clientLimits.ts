import type { ClientLimit } from "../ClientMaker.ts"

/** How much more than others the clients of controllers with many requests may send. */
const multiples: Readonly<Record<string, ClientLimit>> = {
  "namespace-controller": { qps: 20, burst: 100 },
  "generic-garbage-collector": { qps: 2, burst: 1 }
}

/**
 * Returns the rate limit of one of kube-controller-manager's clients, given the limit by its flags. Upstream:
 * cmd/kube-controller-manager/app/core.go.
 */
export const clientLimitOf = (client: string, limit: ClientLimit): ClientLimit => {
  const multiple = Object.hasOwn(multiples, client) ? multiples[client] : undefined
  return multiple === undefined ? limit : { qps: limit.qps * multiple.qps, burst: limit.burst * multiple.burst }
}
