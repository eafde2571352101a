import { hostPort, type KubeletAnswer, type KubeletTransportShape, noKubelets } from "@rollcall/api-server/http"
import type { KubeletResponse } from "@rollcall/kubelet"
import type { Link, Machine } from "@rollcall/machines"
import * as Result from "effect/Result"
import { portsOverLink, streamOverLink } from "./streamOverLink.ts"

/** Upstream: the dialer of client-go/transport/cache.go. */
const DIAL_TIMEOUT_MS = 30_000

const overLink = (response: KubeletResponse, link: Link): KubeletAnswer => {
  const { body } = response
  if (typeof body === "string") return response
  return { ...response, body: "open" in body ? streamOverLink(link, body) : portsOverLink(link, body) }
}

/**
 * The transport from the API server to modelled kubelets in the same process, without a socket. A request crosses the
 * machine's network, and fails like a dialer if the machine is off or cut off.
 */
export const fleetTransport = (machineNamed: (name: string) => Machine | undefined): KubeletTransportShape => ({
  send: (address, request, reply) => {
    const machine = machineNamed(address.node)
    if (machine === undefined) return noKubelets.send(address, request, reply)
    const { kubelet, link } = machine
    const failed = (why: string) => Result.fail(`dial tcp ${hostPort(address)}: ${why}`)
    const deliver = (answer: (result: Result.Result<KubeletAnswer, string>) => void) => {
      if (!machine.powered) return
      // On a modelled machine only the kubelet listens.
      if (kubelet.running && address.isKubelet) answer(Result.succeed(overLink(kubelet.serve(request), link)))
      else answer(failed("connect: connection refused"))
    }
    return link.exchange(DIAL_TIMEOUT_MS, deliver, reply, failed("i/o timeout"))
  },
  reaches: (node) => machineNamed(node) !== undefined
})
