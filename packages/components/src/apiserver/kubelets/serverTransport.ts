import { defaultAddressing, KubeletTransport, type KubeletTransportShape } from "@rollcall/api-server/http"
import type { Pki } from "@rollcall/pki"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DialledTransport, DialledTransportOptions } from "./dialledTransport.ts"
import type { KubeletClientSettings } from "./kubeletFlags.ts"

/** The user of the server's own certificate for kubelets; they let the group do everything. Upstream: kubeadm. */
const KUBELET_CLIENT = { commonName: "kube-apiserver-kubelet-client", organizations: ["system:masters"] }

/** Sends a request the first way if that leads to its node, else the second. */
export const eitherTransport = (
  near: KubeletTransportShape,
  reachesNear: (node: string) => boolean,
  far: KubeletTransportShape
): KubeletTransportShape => {
  const of = (node: string) => (reachesNear(node) ? near : far)
  return {
    send: (address, request, reply) => of(address.node).send(address, request, reply),
    relays: (node) => of(node).relays?.(node) === true,
    addressing: far.addressing ?? defaultAddressing
  }
}

/** A transport that loads with its first request: many servers dial no kubelet. */
const loadedOnDemand = (options: DialledTransportOptions): DialledTransport => {
  const { timers } = options
  let loading: Promise<DialledTransport> | undefined
  let loaded: DialledTransport | undefined
  const load = () => {
    loading ??= import("./dialledTransport.ts").then((module) => {
      loaded = module.dialledTransport(options)
      return loaded
    })
    return loading
  }
  return {
    send: (address, request, reply) => {
      if (loaded !== undefined) return loaded.send(address, request, reply)
      let isCancelled = false
      let cancel = () => {}
      const fail = () => guarded(timers, "kubelets", () => reply(Result.fail("internal error")))
      load().then(
        (transport) => {
          const send = () => {
            if (!isCancelled) cancel = transport.send(address, request, reply)
          }
          if (!guarded(timers, "kubelets", send)) fail()
        },
        (error: unknown) => {
          timers.handleError("kubelets", error)
          if (!isCancelled) fail()
        }
      )
      return () => {
        isCancelled = true
        cancel()
      }
    },
    relays: () => true,
    close: () => loaded?.close(),
    ...(options.addressing === undefined ? {} : { addressing: options.addressing })
  }
}

/**
 * Returns the way to kubelets: that of the process to those that it reaches, and connections to all others until the scope
 * closes. `useKeys` is called with the keys of the cluster, which may be renewed.
 */
export const serverTransport = Effect.fnUntraced(function* (
  { addressTypes, authorityPem, client, port = defaultAddressing.port }: KubeletClientSettings,
  pki: Pki,
  { timers, wallClockMs }: { readonly wallClockMs: () => number; readonly timers: TimersShape }
) {
  const given = yield* KubeletTransport
  let keys = pki
  let issued = client
  /** Made when it is first shown: many servers reach no kubelet. */
  const current = () => {
    issued ??= keys.clientCertificate(KUBELET_CLIENT, wallClockMs())
    return issued
  }
  const dialled = loadedOnDemand({
    timers,
    client: current,
    authorityPem,
    addressing: { types: addressTypes ?? defaultAddressing.types, port }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => dialled.close()))
  return {
    transport: given.reaches === undefined ? given : eitherTransport(given, given.reaches, dialled),
    useKeys: (next: Pki, nowMs: number) => {
      keys = next
      if (client === undefined && issued !== undefined && !next.isCurrent(issued, KUBELET_CLIENT, nowMs)) {
        issued = undefined
      }
    }
  }
})
