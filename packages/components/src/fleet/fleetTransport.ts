import { hostPort, type KubeletTransportShape, noKubelets } from "@rollcall/api-server/http"
import { type KubeletRequest, type KubeletResponse, type SettledResponse, whenAnswered } from "@rollcall/kubelet"
import type { Link, Machine } from "@rollcall/machines"
import * as Result from "effect/Result"
import { portsOverLink, streamOverLink } from "./streamOverLink.ts"

/** Upstream: the dialer of client-go/transport/cache.go. */
const DIAL_TIMEOUT_MS = 30_000

const overLink = (response: SettledResponse, link: Link): SettledResponse => {
  const { body } = response
  if (typeof body === "string") return response
  return { ...response, body: "open" in body ? streamOverLink(link, body) : portsOverLink(link, body) }
}

/** Why there is no response: nobody listens, or the machine is off or cut off. */
type NoResponse = "refused" | "timeout"

/** Asks a kubelet over the network of its machine. Returns what gives the request up. */
export const askOverLink = (
  machine: Machine,
  request: KubeletRequest,
  listens: () => boolean,
  reply: (response: SettledResponse | NoResponse) => void
): (() => void) => {
  const { link } = machine
  const deliver = (answer: (response: KubeletResponse | NoResponse) => void) => {
    if (machine.powered) answer(listens() ? machine.kubelet.serve(request) : "refused")
  }
  let cancel = () => {}
  // A response that takes its time is not late.
  const received = (response: KubeletResponse | NoResponse) => {
    if (typeof response === "string") reply(response)
    else cancel = whenAnswered(response, (settled) => reply(overLink(settled, link)))
  }
  const giveUp = link.exchange<KubeletResponse | NoResponse>(DIAL_TIMEOUT_MS, deliver, received, "timeout")
  return () => {
    giveUp()
    cancel()
  }
}

/**
 * The transport from the API server to modelled kubelets in the same process, without a socket. A request crosses the
 * machine's network, and fails like a dialer if the machine is off or cut off.
 */
export const fleetTransport = (machineNamed: (name: string) => Machine | undefined): KubeletTransportShape => ({
  send: (address, request, reply) => {
    const machine = machineNamed(address.node)
    if (machine === undefined) return noKubelets.send(address, request, reply)
    const failed = (why: string) => Result.fail(`dial tcp ${hostPort(address)}: ${why}`)
    // On a modelled machine only the kubelet listens.
    const listens = () => machine.kubelet.running && address.isKubelet
    return askOverLink(machine, request, listens, (response) => {
      if (typeof response === "object") reply(Result.succeed(response))
      else reply(failed(response === "refused" ? "connect: connection refused" : "i/o timeout"))
    })
  },
  reaches: (node) => machineNamed(node) !== undefined
})
