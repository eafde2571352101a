import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { startRollcallUnder } from "../process/rollcall.ts"

/** Eviction thresholds without disk signals, so that a full disk of the test machine does not matter. */
const withoutDiskThresholds = { evictionHard: { "memory.available": "1Mi" } }

/** Settings with which a kubelet starts on cgroup v1, on v2, and with swap. */
const withoutMachineChecks = { failCgroupV1: false, failSwapOn: false }

/** Writes a KubeletConfiguration file to this folder; returns its path. */
export const kubeletConfigIn = (folder: string, fields: object): string => {
  const file = join(folder, "kubelet.json")
  const kind = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }
  writeFileSync(file, JSON.stringify({ ...kind, ...withoutMachineChecks, ...withoutDiskThresholds, ...fields }))
  return file
}

/** Derives a kubeconfig with the rights of a node from an administrator's. */
export const nodeKubeconfig = (admin: string, folder: string, name: string): string => {
  const file = join(folder, `${name}.conf`)
  const as = `    user:\n      as: system:node:${name}\n      as-groups: [system:nodes]\n`
  writeFileSync(file, readFileSync(admin, "utf8").replace(/^ {4}user:\n/m, as))
  return file
}

export interface LinuxKubeletProcess {
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The folder of its files, including `--root-dir`. */
  readonly folder: string
  readonly name: string
  readonly config: object
  readonly args?: ReadonlyArray<string>
  readonly busAddress?: string
}

export const rootDirIn = (folder: string): string => join(folder, "root")

/** Starts `rollcall kubelet --host linux` as a separate process, and waits until it reports that it runs. */
export const startLinuxKubelet = Effect.fnUntraced(function* (options: LinuxKubeletProcess) {
  const { args = [], busAddress, config, folder, kubeconfig, name } = options
  const line = [
    "kubelet",
    "--host=linux",
    `--kubeconfig=${nodeKubeconfig(kubeconfig, folder, name)}`,
    `--hostname-override=${name}`,
    `--root-dir=${rootDirIn(folder)}`,
    `--config=${kubeletConfigIn(folder, config)}`,
    "--secure-port=0",
    ...args
  ]
  const program = yield* startRollcallUnder(
    busAddress === undefined ? {} : { DBUS_SYSTEM_BUS_ADDRESS: busAddress },
    ...line
  )
  yield* program.waitForOutput(/"Kubelet runs"/)
  return program
})
