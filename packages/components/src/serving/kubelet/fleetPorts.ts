import type { Server as SecureServer } from "node:https"
import { type AddressInfo, Server, type Socket } from "node:net"
import type { Machine } from "@rollcall/machines"
import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { askOverLink } from "../../fleet/fleetTransport.ts"
import { type ServedKubelet, UNREACHED } from "./KubeletHandler.ts"
import type { KubeletServerOptions } from "./kubeletServer.ts"

export interface FleetPortsOptions extends Omit<KubeletServerOptions, "kubelet" | "host" | "port" | "flagNames"> {
  /** The address of this machine at which the nodes are reached. */
  readonly address: string
  readonly machineNamed: (name: string) => Machine | undefined
}

/** The ports of the nodes of a fleet. */
export interface FleetPorts {
  /** Opens the ports of new nodes; a node without a port is not reached. */
  readonly open: (names: ReadonlyArray<string>) => Effect.Effect<void>
  readonly of: (name: string) => { readonly address: string; readonly port: number } | undefined
  readonly close: (name: string) => void
}

/** The connections that wait to be accepted: the kernel keeps no more for a port that few use. */
const BACKLOG = 16

/**
 * Serves the kubelets of a fleet, each on a free port of its own, by which a client's request is told from one for another
 * node. What serves them is made with the first connection; before, a node has a socket and no more.
 */
export const fleetPorts = Effect.fnUntraced(function* ({ address, machineNamed, ...options }: FleetPortsOptions) {
  const handleError = yield* loggedErrors
  const context = yield* Effect.context<never>()
  const scope = yield* Effect.scope
  const listeners = new Map<string, Server>()
  const names = new Map<number, string>()
  const kubelet = (port: number | undefined): ServedKubelet | undefined => {
    const name = port === undefined ? undefined : names.get(port)
    const machine = name === undefined ? undefined : machineNamed(name)
    return machine === undefined ? undefined : kubeletOverLink(machine)
  }
  let server: Promise<SecureServer> | undefined
  const makeServer = () =>
    import("./kubeletServer.ts").then(({ makeKubeletServer }) =>
      Effect.runPromiseWith(context)(Scope.provide(makeKubeletServer({ ...options, kubelet }), scope))
    )
  const accept = (socket: Socket) => {
    // A client may reset its connection before the server is there.
    socket.on("error", () => socket.destroy())
    server ??= makeServer()
    server.then(
      (made) => made.emit("connection", socket),
      (error: unknown) => {
        server = undefined
        handleError("kubelet server", error)
        socket.destroy()
      }
    )
  }
  const openOne = (name: string) =>
    Effect.callback<void>((resume) => {
      const listener = new Server(accept)
      listener.on("error", (error) => {
        handleError("kubelet server", error, { node: name })
        resume(Effect.void)
      })
      listener.listen({ port: 0, host: address, backlog: BACKLOG }, () => {
        listeners.set(name, listener)
        names.set((listener.address() as AddressInfo).port, name)
        resume(Effect.void)
      })
    })
  const close = (name: string) => {
    const listener = listeners.get(name)
    if (listener === undefined) return
    names.delete((listener.address() as AddressInfo).port)
    listeners.delete(name)
    listener.close()
  }
  yield* Scope.addFinalizer(
    scope,
    Effect.sync(() => [...listeners.keys()].forEach(close))
  )
  const ports: FleetPorts = {
    open: (wanted) =>
      Effect.forEach(
        wanted.filter((name) => !listeners.has(name)),
        openOne,
        { concurrency: "unbounded", discard: true }
      ),
    of: (name) => {
      const found = listeners.get(name)?.address()
      return typeof found === "object" && found !== null ? { address, port: found.port } : undefined
    },
    close
  }
  return ports
})

/** Returns a kubelet whose machine may be off, or cut off from its clients: they then get no answer. */
const kubeletOverLink = (machine: Machine): ServedKubelet => ({
  name: machine.name,
  running: true,
  serve: (request) => ({
    code: 200,
    contentType: "",
    body: {
      later: (reply) =>
        askOverLink(
          machine,
          request,
          () => machine.kubelet.running,
          (response) => reply(typeof response === "object" ? response : UNREACHED)
        )
    }
  })
})
