import { isIP } from "node:net"
import { componentLog } from "@rollcall/cluster"
import { KubeClient } from "@rollcall/kube-client"
import { MachineDirectory } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import { advertisedAddress } from "../apiserver/kept/keepOwnObjects.ts"
import { Host } from "../host/Host.ts"
import { fleetPorts } from "../serving/kubelet/fleetPorts.ts"
import { publishedClientCa } from "../serving/secure/reviewer.ts"
import { type KubeletValues, kubeletServing, readNamed } from "./kubeletServing.ts"
import type { KubeletStart } from "./kubeletSettings.ts"

const isSpecific = (address: string): boolean => isIP(address) !== 0 && address !== "0.0.0.0" && address !== "::"

/** Returns the address at which others reach the kubelets of this process; undefined if this machine has none. */
export const ownAddress = Effect.fnUntraced(function* ({ config, configuration }: KubeletStart) {
  const { addresses = () => [] } = yield* Host
  const given = config.nodeIPs.find(isSpecific)
  return given ?? advertisedAddress(configuration.address ?? "0.0.0.0", addresses())
})

/** Reads the CA of clients: that of the configuration, or the one that the cluster publishes. */
const clientCaOf = Effect.fnUntraced(function* ({ configuration }: KubeletStart) {
  const file = configuration.authentication?.x509?.clientCAFile ?? ""
  if (file !== "") return yield* readNamed("authentication.x509.clientCAFile", file)
  const { connection } = yield* KubeClient
  return yield* Effect.tryPromise({
    try: () => publishedClientCa(connection),
    catch: (error) => ({ message: error instanceof Error ? error.message : String(error) })
  })
})

/**
 * Prepares the ports of a fleet's nodes, by which API servers of other processes reach them. Undefined, with the reason in
 * the log, if they have none: their addresses then exist in the model only.
 */
export const kubeletPorts = (start: KubeletStart, values: KubeletValues) =>
  Effect.gen(function* () {
    if (start.configuration.enableServer === false) return undefined
    const log = yield* componentLog
    const address = yield* ownAddress(start)
    const clientCa = address === undefined ? undefined : yield* clientCaOf(start)
    if (address === undefined || clientCa === undefined) {
      const err = address === undefined ? "this machine has no address" : "the cluster publishes no CA of clients"
      log("info", "The kubelets have no ports", { err })
      return undefined
    }
    const { get } = yield* MachineDirectory
    const serving = yield* kubeletServing(start, values, clientCa)
    log("info", "Starting the kubelets' servers", { address })
    return yield* fleetPorts({ ...serving, address, machineNamed: get })
  }).pipe(Effect.catch(({ message }) => Effect.as(Effect.logInfo(`The kubelets have no ports: ${message}`), undefined)))
