import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { startRollcallUnder } from "../process/rollcall.ts"

/** Thresholds that a machine with a full disk does not meet either: its pressure is none of the tests' business. */
const undisturbed = { evictionHard: { "memory.available": "1Mi" } }

/** What both a machine with cgroup v1 and one with v2 start with, and one with swap. */
const anyMachine = { failCgroupV1: false, failSwapOn: false }

/** A KubeletConfiguration file in this folder. */
export const kubeletConfigIn = (folder: string, fields: object): string => {
  const file = join(folder, "kubelet.json")
  const kind = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }
  writeFileSync(file, JSON.stringify({ ...kind, ...anyMachine, ...undisturbed, ...fields }))
  return file
}

/** An administrator's kubeconfig as that of a node: with its rights, and no more. */
export const nodeKubeconfig = (admin: string, folder: string, name: string): string => {
  const file = join(folder, `${name}.conf`)
  const as = `    user:\n      as: system:node:${name}\n      as-groups: [system:nodes]\n`
  writeFileSync(file, readFileSync(admin, "utf8").replace(/^ {4}user:\n/m, as))
  return file
}

export interface LinuxKubeletProcess {
  /** The administrator's. */
  readonly kubeconfig: string
  /** Where its files are, `--root-dir` among them. */
  readonly folder: string
  readonly name: string
  readonly config: object
  readonly args?: ReadonlyArray<string>
  readonly busAddress?: string
}

export const rootDirIn = (folder: string): string => join(folder, "root")

/** `rollcall kubelet --host linux` as a process of its own, from when it says that it runs. */
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
  yield* program.says(/"Kubelet runs"/)
  return program
})
